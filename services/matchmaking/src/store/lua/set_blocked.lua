-- Whom the player of a waiting ticket does not want to meet.
local player, blocked = unpack(ARGV)
local live = redis.call('GET', live_key(player))
if live and redis.call('HGET', ticket_key(live), 'state') == 'waiting' then
  redis.call('HSET', ticket_key(live), 'blocked', blocked)
end
return 1
