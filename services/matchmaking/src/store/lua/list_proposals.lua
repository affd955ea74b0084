-- Proposals of an age: a list of {table, queue, tickets, request, pairing}.
local min_age_ms, limit = unpack(ARGV)
local due = redis.call('ZRANGEBYSCORE', proposals_key, '-inf', now - min_age_ms, 'LIMIT', 0, limit)
local proposals = {}
for _, table_id in ipairs(due) do
  proposals[#proposals + 1] = redis.call('HMGET', proposal_key(table_id), 'table', 'queue',
    'tickets', 'request', 'pairing')
end
return proposals
