-- Expires tickets that waited too long: how many.
local max_wait_ms, limit, keep_ms = unpack(ARGV)
local due = redis.call('ZRANGEBYSCORE', waiting_key, '-inf', now - max_wait_ms, 'LIMIT', 0, limit)
for _, id in ipairs(due) do
  local ticket = redis.call('HMGET', ticket_key(id), 'player', 'queue', 'party', 'party_size')
  local reason = 'nobody_found'
  if ticket[3] and redis.call('SCARD', party_key(ticket[3])) < tonumber(ticket[4]) then
    reason = 'party_incomplete'
  end
  leave_queue(id, ticket[2])
  settle(id, ticket[1], 'expired', keep_ms, reason)
end
return #due
