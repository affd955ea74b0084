-- Makes a waiting ticket: {'made', time, recent opponents, size of the party}; or says why not:
-- {'exists', live ticket}, {'seated', last table}, {'no_party'}, {'code_taken'}.
local id, queue, player, name, rating, keep_ms, recent_max, over, blocked, protocol, party, size =
  unpack(ARGV)
-- Longer than anybody waits; a party is gone with its last ticket anyway.
local party_ms = 86400000

local live = redis.call('GET', live_key(player))
if live then return {'exists', live} end
local last = redis.call('GET', last_key(player))
if last and last ~= over then return {'seated', last} end

-- Whether the member of a party and the new player may sit together.
local function fits(member)
  local m = redis.call('HMGET', ticket_key(member), 'queue', 'protocol', 'state', 'player', 'blocked')
  return m[1] == queue and (m[2] or '1') == protocol and m[3] == 'waiting'
    and not string.find(blocked, m[4], 1, true) and not string.find(m[5] or '', player, 1, true)
end

if party ~= '' then
  local members = redis.call('SMEMBERS', party_key(party))
  if size ~= '' then
    if #members > 0 then return {'code_taken'} end
  else
    if #members == 0 then return {'no_party'} end
    size = redis.call('HGET', ticket_key(members[1]), 'party_size')
    if not size or #members >= tonumber(size) then return {'no_party'} end
    for _, member in ipairs(members) do
      if not fits(member) then return {'no_party'} end
    end
  end
end

redis.call('ZREMRANGEBYSCORE', recent_key(player), '-inf', now - keep_ms)
local opponents = redis.call('ZREVRANGE', recent_key(player), 0, recent_max - 1)
local recent = table.concat(opponents, ',')
redis.call('HSET', ticket_key(id), 'id', id, 'queue', queue, 'player', player, 'name', name,
  'rating', rating, 'recent', recent, 'state', 'waiting', 'created', now,
  'blocked', blocked, 'protocol', protocol)
if party ~= '' then
  redis.call('HSET', ticket_key(id), 'party', party, 'party_size', size)
  redis.call('SADD', party_key(party), id)
  redis.call('PEXPIRE', party_key(party), party_ms)
  announce_party(party)
end
redis.call('SET', live_key(player), id)
wait_in_queue(id, queue, now)
announce('arrival')
return {'made', string.format('%.0f', now), recent, size}
