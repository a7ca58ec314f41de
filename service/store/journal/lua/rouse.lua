#!lua flags=allow-oom
-- Make a match pending for a bot that has rested until now.
--
-- KEYS[1]  string, the head
-- KEYS[2]  zset of the partition, pending    KEYS[3]  zset, late
-- KEYS[4]  zset, again                       KEYS[5]  hash, failing
--
-- ARGV[1]  match
--
-- claim.lua describes the keys.
--
-- Returns 1, or 0 if the match is pending, claimed or parked already, or awaits neither the house
-- nor a bot.

local match = ARGV[1]
local head = redis.call('GET', KEYS[1]) or ''
local work = head:match('^%d+|[^|]*|[^|]*|([^|]*)')
if not work or work == '' or redis.call('ZSCORE', KEYS[4], match) then
  return 0
end

local time = redis.call('TIME')
local now = string.format('%d', time[1] * 1000 + math.floor(time[2] / 1000))
return redis.call('ZADD', KEYS[2], 'NX', now, match)
