#!lua
-- Takes due tables of one shard and holds them, so that others find others. Notes that somebody
-- looked, and whether nobody had for long (`outage.rs` says the same in Rust).
-- KEYS: wake-ups, mark, seen
-- ARGV: limit, ms to hold, ms without a look that are an outage, ms between notes
-- Answers {time, {tables...}, 1 if there is a mark, end of the latest outage or 0}, the longest
-- due first.
local function int(number)
  return string.format('%.0f', number)
end

local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local due = redis.call('ZRANGE', KEYS[1], '-inf', int(now), 'BYSCORE', 'LIMIT', 0, ARGV[1])
for _, id in ipairs(due) do
  redis.call('ZADD', KEYS[1], int(now + ARGV[2]), id)
end

local seen = redis.call('HMGET', KEYS[3], 'at', 'outage')
local at, outage = tonumber(seen[1]), tonumber(seen[2] or '0')
if not at or now < at or now - at >= tonumber(ARGV[4]) then
  if at and now - at > tonumber(ARGV[3]) then
    outage = now
  end
  redis.call('HSET', KEYS[3], 'at', int(now), 'outage', int(outage))
end
return {int(now), due, redis.call('EXISTS', KEYS[2]), int(outage)}
