-- The copy of a ladder. Scores put the best first: (4095 - rating) * 2^42 + reached_ms - 2^53,
-- whole numbers that a double holds exactly.
local order, last, played, state = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local SPAN, BASE = 4398046511104, 9007199254740992

local function text(number)
  return string.format('%.0f', number)
end

-- How many have a higher rating than the one of this score.
local function above(score)
  local first = math.floor((score + BASE) / SPAN) * SPAN - BASE
  return redis.call('ZCOUNT', order, '-inf', '(' .. text(first))
end

-- Takes out who is inactive. False when this copy cannot answer.
local function usable(min, since)
  local is = redis.call('HMGET', state, 'state', 'min')
  if is[1] ~= 'ready' or is[2] ~= min then
    return false
  end
  local gone = redis.call('ZRANGEBYSCORE', last, '-inf', '(' .. since, 'LIMIT', 0, 1000)
  if #gone > 0 then
    redis.call('ZREM', order, unpack(gone))
    redis.call('ZREM', last, unpack(gone))
    redis.call('HDEL', played, unpack(gone))
  end
  return #gone < 1000
end

-- Lines from one position to another: how many stand before them and above them, then member,
-- score and matches of each.
local function lines(from, to)
  local found = redis.call('ZRANGE', order, from, to, 'WITHSCORES')
  if #found == 0 then
    return {'lines', 0, 0}
  end
  local members = {}
  for i = 1, #found, 2 do
    members[#members + 1] = found[i]
  end
  local matches = redis.call('HMGET', played, unpack(members))
  local answer = {'lines', from, above(tonumber(found[2]))}
  for i, member in ipairs(members) do
    answer[#answer + 1] = member
    answer[#answer + 1] = text(tonumber(found[2 * i]))
    answer[#answer + 1] = matches[i]
  end
  return answer
end
