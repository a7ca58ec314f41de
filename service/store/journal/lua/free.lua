#!lua flags=allow-oom
-- Forget the failures of a match. The match is pending again. Its wait counts from its old start.
--
-- KEYS[1]  zset of the partition, pending    KEYS[2]  zset, late
-- KEYS[3]  zset, again                       KEYS[4]  hash, failing
--
-- ARGV[1]  match
--
-- claim.lua describes the keys.
--
-- Returns 1, or 0 if the match has not failed.

local match = ARGV[1]
local record = redis.call('HGET', KEYS[4], match)
if not record then
  return 0
end

redis.call('HDEL', KEYS[4], match)
redis.call('ZREM', KEYS[2], match)
redis.call('ZREM', KEYS[3], match)
redis.call('ZADD', KEYS[1], record:match('^%d+|%d+|(%d+)|'), match)
return 1
