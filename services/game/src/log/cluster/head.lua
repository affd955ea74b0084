#!lua flags=no-writes
-- Says where a log ends.
-- KEYS: log
-- Answers {head, its time, the table's time}.
local head, at = '0', '0'
local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
if last then
  head = string.match(last[1], '^%d+')
  at = last[2][2]
end
local clock = redis.call('TIME')
local now = math.max(tonumber(at), clock[1] * 1000 + math.floor(clock[2] / 1000))
return {head, at, string.format('%.0f', now)}
