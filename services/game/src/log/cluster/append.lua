#!lua
-- Compares and appends.
-- KEYS: log, commands, wake-ups, channel, seen
-- ARGV: table, expected head, its time or '', ms to the wake-up or '', command or '',
--       fingerprint, end of the latest known outage or '', ms without a look that are an outage,
--       events...
-- Answers {0 done, head, time}, {1 conflict, head, ''}, {2 duplicate, head, fingerprint} or
-- {3 outage, head, its end}.
local function int(number)
  return string.format('%.0f', number)
end

if ARGV[5] ~= '' then
  local known = redis.call('HGET', KEYS[2], ARGV[5])
  if known then
    return {2, string.sub(known, 9), string.sub(known, 1, 8)}
  end
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
if ARGV[7] ~= '' then
  local seen = redis.call('HMGET', KEYS[5], 'at', 'outage')
  local at, outage = tonumber(seen[1]), tonumber(seen[2] or '0')
  if at and time - math.max(at, outage) > tonumber(ARGV[8]) then
    outage = time
    redis.call('HSET', KEYS[5], 'outage', int(outage))
  end
  if int(outage) ~= ARGV[7] then
    return {3, int(head), int(outage)}
  end
end

now = math.max(now, time)
for i = 9, #ARGV do
  head = head + 1
  redis.call('XADD', KEYS[1], int(head) .. '-0', 't', int(now), 'e', ARGV[i])
end
if ARGV[5] ~= '' then
  redis.call('HSET', KEYS[2], ARGV[5], ARGV[6] .. int(head))
end

-- A table that expires stays out of the wake-ups, and its commands go when it goes.
local ttl = redis.call('PTTL', KEYS[1])
if ttl >= 0 then
  redis.call('PEXPIRE', KEYS[2], ttl)
elseif ARGV[4] == '' then
  redis.call('ZREM', KEYS[3], ARGV[1])
else
  redis.call('ZADD', KEYS[3], int(now + ARGV[4]), ARGV[1])
end
redis.call('SPUBLISH', KEYS[4], ARGV[1] .. ' ' .. int(head))
return {0, int(head), int(now)}
