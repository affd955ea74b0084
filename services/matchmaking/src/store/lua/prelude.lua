-- What all scripts share, after the time. KEYS[1] is the start of every key; its hash tag keeps
-- them in one slot, so the keys that follow from it may be made here.
local base = KEYS[1]

local function ticket_key(ticket) return base .. ':ticket:' .. ticket end
local function live_key(player) return base .. ':live:' .. player end
local function recent_key(player) return base .. ':recent:' .. player end
local function queue_key(queue) return base .. ':queue:' .. queue end
local function lease_key(queue) return base .. ':lease:' .. queue end
local function proposal_key(table_id) return base .. ':proposal:' .. table_id end
local function party_key(code) return base .. ':party:' .. code end
local function last_key(player) return base .. ':last:' .. player end
local function waits_key(queue) return base .. ':waits:' .. queue end
local function invite_key(code) return base .. ':invite:' .. code end
local waiting_key = base .. ':waiting'
local proposals_key = base .. ':proposals'
-- Pairings by table, until they are in the database.
local pairings_key = base .. ':pairings'

local function announce(message) redis.call('SPUBLISH', base .. ':changed', message) end

local function wait_in_queue(ticket, queue, created)
  redis.call('ZADD', queue_key(queue), created, ticket)
  redis.call('ZADD', waiting_key, created, ticket)
end

local function leave_queue(ticket, queue)
  redis.call('ZREM', queue_key(queue), ticket)
  redis.call('ZREM', waiting_key, ticket)
end

local function announce_party(party)
  for _, member in ipairs(redis.call('SMEMBERS', party_key(party))) do announce(member) end
end

-- The last state of a ticket: its player is free, and it is kept for a while only.
local function settle(ticket, player, state, keep_ms, reason)
  redis.call('HSET', ticket_key(ticket), 'state', state)
  if reason then redis.call('HSET', ticket_key(ticket), 'reason', reason) end
  local party = redis.call('HGET', ticket_key(ticket), 'party')
  if party then
    redis.call('SREM', party_key(party), ticket)
    announce_party(party)
  end
  redis.call('DEL', live_key(player))
  redis.call('PEXPIRE', ticket_key(ticket), keep_ms)
  announce(ticket)
end

local function is_held(queue, holder, token)
  local lease = redis.call('HMGET', lease_key(queue), 'holder', 'token')
  return lease[1] == holder and lease[2] == token
end

-- The tickets of a proposal that are still proposed for its table, as {id, player, queue,
-- created}. The proposal is gone afterwards. Nothing when there is none.
local function end_proposal(table_id)
  local ids = redis.call('HGET', proposal_key(table_id), 'tickets')
  if not ids then return nil end
  local tickets = {}
  for id in string.gmatch(ids, '[^,]+') do
    local t = redis.call('HMGET', ticket_key(id), 'state', 'table', 'player', 'queue', 'created')
    if t[1] == 'proposed' and t[2] == table_id then
      tickets[#tickets + 1] = {id, t[3], t[4], t[5]}
    end
  end
  redis.call('DEL', proposal_key(table_id))
  redis.call('ZREM', proposals_key, table_id)
  return tickets
end
