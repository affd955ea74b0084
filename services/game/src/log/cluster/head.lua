#!lua flags=no-writes
-- Says where a log ends.
-- KEYS: log
-- Answers {head, time}.
local head, now = '0', 0
local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
if last then
  head = string.match(last[1], '^%d+')
  now = tonumber(last[2][2])
end
local clock = redis.call('TIME')
now = math.max(now, clock[1] * 1000 + math.floor(clock[2] / 1000))
return {head, string.format('%.0f', now)}
