#!lua
-- Takes due tables of one shard and holds them, so that others find others.
-- KEYS: wake-ups, mark
-- ARGV: limit, ms to hold
-- Answers {time, {tables...}, 1 if there is a mark}, the longest due first.
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local due = redis.call('ZRANGE', KEYS[1], '-inf', string.format('%.0f', now), 'BYSCORE',
  'LIMIT', 0, ARGV[1])
for _, id in ipairs(due) do
  redis.call('ZADD', KEYS[1], string.format('%.0f', now + ARGV[2]), id)
end
return {string.format('%.0f', now), due, redis.call('EXISTS', KEYS[2])}
