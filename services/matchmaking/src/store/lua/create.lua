-- Makes a waiting ticket: {id of the live one} or {'', time, recent opponents}.
local id, queue, player, name, rating, keep_ms, recent_max = unpack(ARGV)
local live = redis.call('GET', live_key(player))
if live then return {live} end
redis.call('ZREMRANGEBYSCORE', recent_key(player), '-inf', now - keep_ms)
local opponents = redis.call('ZREVRANGE', recent_key(player), 0, recent_max - 1)
local recent = table.concat(opponents, ',')
redis.call('HSET', ticket_key(id), 'id', id, 'queue', queue, 'player', player, 'name', name,
  'rating', rating, 'recent', recent, 'state', 'waiting', 'created', now)
redis.call('SET', live_key(player), id)
wait_in_queue(id, queue, now)
announce('arrival')
return {'', string.format('%.0f', now), recent}
