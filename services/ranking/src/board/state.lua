-- ARGV: what to do with the copy, and the fewest matches of who is on it.
if ARGV[1] == 'begin' then
  redis.call('UNLINK', order, last, played, state)
  redis.call('HSET', state, 'state', 'building', 'min', ARGV[2])
  return 1
elseif ARGV[1] == 'finish' then
  -- Lost since it was begun: whatever is there is not all.
  if redis.call('HGET', state, 'state') ~= 'building' then
    return 0
  end
  redis.call('HSET', state, 'state', 'ready')
  return 1
elseif ARGV[1] == 'drop' then
  redis.call('UNLINK', order, last, played, state)
  return 1
end
local is = redis.call('HMGET', state, 'state', 'min')
if is[1] == 'ready' and is[2] == ARGV[2] then
  return 1
end
return 0
