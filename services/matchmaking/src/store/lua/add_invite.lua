-- Keeps an invite code: 1, or 0 when it is taken.
local code, table_id, duration_ms = unpack(ARGV)
local invite = redis.call('HGET', invite_key(code), 'until')
if invite and tonumber(invite) > now then return 0 end
redis.call('HSET', invite_key(code), 'table', table_id, 'until', now + duration_ms)
redis.call('PEXPIRE', invite_key(code), math.max(1, duration_ms))
return 1
