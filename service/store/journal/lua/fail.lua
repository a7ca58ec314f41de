#!lua flags=allow-oom
-- Note a failure of the house or a bot in a match, and reschedule the match or park it. Runs on a
-- full server too: the note is small, and the next commit of the match removes it.
--
-- KEYS[1]  string, the head
-- KEYS[2]  zset of the partition, pending    KEYS[3]  zset, late
-- KEYS[4]  zset, again                       KEYS[5]  hash, failing
--
-- ARGV[1]  match
-- ARGV[2]  type of the error
-- ARGV[3] ...  pause after the first failure, after the second and so on (ms); the failure after the
--              last pause parks the match
--
-- claim.lua describes the keys.
--
-- Returns the number of failures of the match at its version, and 1 if it is parked, else 0. Returns
-- 0, 0 if the match does not wait for the house or a bot.

local pending, late, again, failing = KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local match, error_type = ARGV[1], ARGV[2]

local head = redis.call('GET', KEYS[1]) or ''
local version, work = head:match('^(%d+)|[^|]*|[^|]*|([^|]*)')
if not work or work == '' then
  return { 0, 0 }
end

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local record = redis.call('HGET', failing, match) or ''
local failed_version, failed_tries, failed_since = record:match('^(%d+)|(%d+)|(%d+)|')
local tries = 1
if failed_version == version then
  tries = failed_tries + 1
end

local since = redis.call('ZSCORE', pending, match) or redis.call('ZSCORE', late, match)
  or failed_since or now
since = string.format('%d', math.min(tonumber(since), now))

redis.call('HSET', failing, match,
  string.format('%s|%d|%s|%s', version, tries, since, error_type))
redis.call('ZREM', pending, match)

local pause = ARGV[2 + tries]
if pause then
  redis.call('ZADD', late, since, match)
  redis.call('ZADD', again, string.format('%d', now + tonumber(pause)), match)
  return { tries, 0 }
end

redis.call('ZREM', late, match)
redis.call('ZADD', again, 'inf', match)
return { tries, 1 }
