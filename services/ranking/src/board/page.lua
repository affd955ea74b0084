-- ARGV: min, since, limit, and the score and member of the position after which the page begins.
if not usable(ARGV[1], ARGV[2]) then
  return {'unusable'}
end

-- Byte by byte, as Redis orders members; Lua compares strings as the locale says.
local function follows(a, b)
  for i = 1, math.min(#a, #b) do
    local x, y = a:byte(i), b:byte(i)
    if x ~= y then
      return x > y
    end
  end
  return #a > #b
end

local from = 0
if ARGV[4] then
  from = redis.call('ZCOUNT', order, '-inf', '(' .. ARGV[4])
  for _, member in ipairs(redis.call('ZRANGEBYSCORE', order, ARGV[4], ARGV[4])) do
    if follows(member, ARGV[5]) then
      break
    end
    from = from + 1
  end
end
return lines(from, from + tonumber(ARGV[3]) - 1)
