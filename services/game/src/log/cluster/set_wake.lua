#!lua
-- Replaces a table's wake-up if the head is still the one that the caller knows.
-- KEYS: log, wake-ups
-- ARGV: table, expected head, ms to the wake-up or ''
-- Answers 1 when it did.
local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
if not last then
  -- Lost or expired: it must not come up for ever.
  redis.call('ZREM', KEYS[2], ARGV[1])
  return 0
end
if string.match(last[1], '^%d+') ~= ARGV[2] then
  return 0
end
if ARGV[3] == '' or redis.call('PTTL', KEYS[1]) >= 0 then
  redis.call('ZREM', KEYS[2], ARGV[1])
else
  local clock = redis.call('TIME')
  local now = math.max(tonumber(last[2][2]), clock[1] * 1000 + math.floor(clock[2] / 1000))
  redis.call('ZADD', KEYS[2], string.format('%.0f', now + ARGV[3]), ARGV[1])
end
return 1
