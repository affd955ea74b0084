-- The table was refused: its tickets wait again. 1, or 0 when the lease is stale or there is no
-- such proposal.
local queue, holder, token, table_id = unpack(ARGV)
if not is_held(queue, holder, token) then return 0 end
local tickets = end_proposal(table_id)
if not tickets then return 0 end
for _, ticket in ipairs(tickets) do
  local id, _, ticket_queue, created = unpack(ticket)
  redis.call('HSET', ticket_key(id), 'state', 'waiting')
  redis.call('HDEL', ticket_key(id), 'table')
  wait_in_queue(id, ticket_queue, created)
  announce(id)
end
return 1
