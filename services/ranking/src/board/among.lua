-- ARGV: min, since, members. How many have a higher rating, member, score and matches of each who
-- is listed.
if not usable(ARGV[1], ARGV[2]) then
  return {'unusable'}
end
local answer = {'lines'}
for i = 3, #ARGV do
  local score = redis.call('ZSCORE', order, ARGV[i])
  if score then
    answer[#answer + 1] = above(tonumber(score))
    answer[#answer + 1] = ARGV[i]
    answer[#answer + 1] = text(tonumber(score))
    answer[#answer + 1] = redis.call('HGET', played, ARGV[i])
  end
end
return answer
