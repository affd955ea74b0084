#!lua
-- Compares and appends.
-- KEYS: log, wake-ups, channel, seen
-- ARGV: table, expected head, its time or '', ms to the wake-up or '', end of the latest known
--       outage or '', ms without a look that are an outage, the events as a notice has them,
--       events...
-- Answers {0 done, head, time}, {1 conflict, head, ''} or {2 outage, head, its end}.
local function int(number)
  return string.format('%.0f', number)
end

-- The last entry says the head, not the stream's last id: that one outlives deleted entries,
-- and an absent stream has neither.
local head, now = 0, 0
local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
if last then
  head = tonumber(string.match(last[1], '^%d+'))
  now = tonumber(last[2][2])
end
if int(head) ~= ARGV[2] or (ARGV[3] ~= '' and int(now) ~= ARGV[3]) then
  return {1, int(head), ''}
end

local clock = redis.call('TIME')
local time = clock[1] * 1000 + math.floor(clock[2] / 1000)
if ARGV[5] ~= '' then
  local seen = redis.call('HMGET', KEYS[4], 'at', 'outage')
  local at, outage = tonumber(seen[1]), tonumber(seen[2] or '0')
  if at and time - math.max(at, outage) > tonumber(ARGV[6]) then
    outage = time
    redis.call('HSET', KEYS[4], 'outage', int(outage))
  end
  if int(outage) ~= ARGV[5] then
    return {2, int(head), int(outage)}
  end
end

local before = ' ' .. int(head) .. ' ' .. int(now) .. ' '
now = math.max(now, time)
for i = 8, #ARGV do
  head = head + 1
  redis.call('XADD', KEYS[1], int(head) .. '-0', 't', int(now), 'e', ARGV[i])
end

-- A table that expires stays out of the wake-ups.
if ARGV[4] == '' or redis.call('PTTL', KEYS[1]) >= 0 then
  redis.call('ZREM', KEYS[2], ARGV[1])
else
  redis.call('ZADD', KEYS[2], int(now + ARGV[4]), ARGV[1])
end
redis.call('SPUBLISH', KEYS[3], ARGV[1] .. before .. int(now) .. '\n' .. ARGV[7])
return {0, int(head), int(now)}
