#!lua
-- Goes on with a log of which the end was lost, or all.
-- KEYS: log, wake-ups, channel
-- ARGV: table, expected head, ms to the wake-up or '', version and event to add, then version,
--       time and event of each entry to put back before it
-- Answers 1 when it did, 0 when the log ends elsewhere.
local function int(number)
  return string.format('%.0f', number)
end

local head, now = '0', 0
local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
if last then
  head = string.match(last[1], '^%d+')
  now = tonumber(last[2][2])
end
if head ~= ARGV[2] then
  return 0
end
for i = 6, #ARGV, 3 do
  redis.call('XADD', KEYS[1], ARGV[i] .. '-0', 't', ARGV[i + 1], 'e', ARGV[i + 2])
  now = math.max(now, tonumber(ARGV[i + 1]))
end
local clock = redis.call('TIME')
now = math.max(now, clock[1] * 1000 + math.floor(clock[2] / 1000))
redis.call('XADD', KEYS[1], ARGV[4] .. '-0', 't', int(now), 'e', ARGV[5])
if ARGV[3] == '' or redis.call('PTTL', KEYS[1]) >= 0 then
  redis.call('ZREM', KEYS[2], ARGV[1])
else
  redis.call('ZADD', KEYS[2], int(now + ARGV[3]), ARGV[1])
end
redis.call('SPUBLISH', KEYS[3], ARGV[1])
return 1
