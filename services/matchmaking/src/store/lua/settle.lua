-- The table is open: its tickets are matched, and their players were opponents. 1, or 0 when
-- there is no such proposal.
local table_id, keep_ms, recent_max = unpack(ARGV)
local tickets = end_proposal(table_id)
if not tickets then return 0 end
for _, ticket in ipairs(tickets) do
  local id, player = ticket[1], ticket[2]
  settle(id, player, 'matched', keep_ms)
  for _, other in ipairs(tickets) do
    if other[2] ~= player then redis.call('ZADD', recent_key(player), now, other[2]) end
  end
  redis.call('ZREMRANGEBYRANK', recent_key(player), 0, -1 - recent_max)
  redis.call('PEXPIRE', recent_key(player), keep_ms)
end
return 1
