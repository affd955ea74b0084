-- The table of an invite code, or nothing.
local invite = redis.call('HMGET', invite_key(ARGV[1]), 'table', 'until')
if invite[1] and tonumber(invite[2]) > now then return invite[1] end
return false
