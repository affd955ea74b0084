-- Where a ticket stands: {place in its queue from 0, or -1; live tickets of its party}.
local id, queue, party = unpack(ARGV)
local joined = 0
if party ~= '' then joined = redis.call('SCARD', party_key(party)) end
return {redis.call('ZRANK', queue_key(queue), id) or -1, joined}
