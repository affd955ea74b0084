-- The live ticket of a player, as a flat hash.
local live = redis.call('GET', live_key(ARGV[1]))
if not live then return {} end
return redis.call('HGETALL', ticket_key(live))
