-- ARGV: member, score, last_ms, matches of each line. A line never goes back to fewer matches, so
-- that lines may come late and twice; a copy that is not there stays away.
local min = redis.call('HGET', state, 'min')
if not min then
  return 0
end
for i = 1, #ARGV, 4 do
  local matches = tonumber(ARGV[i + 3])
  local has = redis.call('HGET', played, ARGV[i])
  if matches >= tonumber(min) and (not has or tonumber(has) <= matches) then
    redis.call('ZADD', order, ARGV[i + 1], ARGV[i])
    redis.call('ZADD', last, ARGV[i + 2], ARGV[i])
    redis.call('HSET', played, ARGV[i], ARGV[i + 3])
  end
end
return 1
