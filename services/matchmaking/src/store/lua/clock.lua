-- The server's time in milliseconds since 1970 UTC, before everything that scripts share.
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)

