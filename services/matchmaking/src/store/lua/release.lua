-- Ends a lease, unless it is stale.
local queue, holder, token = unpack(ARGV)
if is_held(queue, holder, token) then redis.call('HSET', lease_key(queue), 'until', 0) end
return 1
