-- Moves tickets from waiting to proposed, all or none: 1, or 0 when the lease is stale, or 2 when
-- a ticket does not wait.
local queue, holder, token, table_id, request, pairing, ids = unpack(ARGV)
if not is_held(queue, holder, token) then return 0 end
for id in string.gmatch(ids, '[^,]+') do
  local ticket = redis.call('HMGET', ticket_key(id), 'state', 'queue')
  if ticket[1] ~= 'waiting' or ticket[2] ~= queue then return 2 end
end
for id in string.gmatch(ids, '[^,]+') do
  leave_queue(id, queue)
  redis.call('HSET', ticket_key(id), 'state', 'proposed', 'table', table_id)
  announce(id)
end
redis.call('HSET', proposal_key(table_id), 'table', table_id, 'queue', queue, 'tickets', ids,
  'request', request, 'pairing', pairing)
redis.call('ZADD', proposals_key, now, table_id)
return 1
