-- Takes or renews the lease of a queue: its token, or 0 while another holds it.
local queue, holder, duration_ms = unpack(ARGV)
local lease = redis.call('HMGET', lease_key(queue), 'holder', 'token', 'until')
local token = tonumber(lease[2] or 0)
if lease[1] ~= holder then
  if tonumber(lease[3] or 0) > now then return 0 end
  token = token + 1
end
redis.call('HSET', lease_key(queue), 'holder', holder, 'token', token,
  'until', now + duration_ms)
return token
