-- ARGV: min, since, span, member. One more than the span behind, to know whether there are more.
if not usable(ARGV[1], ARGV[2]) then
  return {'unusable'}
end
local rank = redis.call('ZRANK', order, ARGV[4])
if not rank then
  return {'absent'}
end
local span = tonumber(ARGV[3])
return lines(math.max(0, rank - span), rank + span + 1)
