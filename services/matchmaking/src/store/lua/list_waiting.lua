-- The time and the oldest tickets that wait in a queue: {time, list of ids}.
local queue, limit = unpack(ARGV)
return {string.format('%.0f', now), redis.call('ZRANGE', queue_key(queue), 0, limit - 1)}
