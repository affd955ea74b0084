-- Cancels a waiting ticket of a player's; the ticket as it is then, as a flat hash.
local id, player, keep_ms = unpack(ARGV)
local ticket = redis.call('HMGET', ticket_key(id), 'player', 'state', 'queue')
if ticket[1] ~= player then return {} end
if ticket[2] == 'waiting' then
  leave_queue(id, ticket[3])
  settle(id, player, 'cancelled', keep_ms, 'cancelled')
end
return redis.call('HGETALL', ticket_key(id))
