-- The table is open: its tickets are matched, their players were opponents, and the pairing is
-- due. 1, or 0 when there is no such proposal.
local table_id, keep_ms, recent_max, waits_max = unpack(ARGV)
local pairing = redis.call('HGET', proposal_key(table_id), 'pairing')
local tickets = end_proposal(table_id)
if not tickets then return 0 end
if pairing and pairing ~= '' then redis.call('HSET', pairings_key, table_id, pairing) end
for _, ticket in ipairs(tickets) do
  local id, player, queue, created = unpack(ticket)
  settle(id, player, 'matched', keep_ms)
  if tonumber(keep_ms) > 0 then redis.call('SET', last_key(player), table_id, 'PX', keep_ms) end
  for _, other in ipairs(tickets) do
    if other[2] ~= player then redis.call('ZADD', recent_key(player), now, other[2]) end
  end
  redis.call('ZREMRANGEBYRANK', recent_key(player), 0, -1 - recent_max)
  redis.call('PEXPIRE', recent_key(player), keep_ms)
  redis.call('LPUSH', waits_key(queue), string.format('%.0f', now - created))
  redis.call('LTRIM', waits_key(queue), 0, waits_max - 1)
  redis.call('PEXPIRE', waits_key(queue), keep_ms)
end
return 1
