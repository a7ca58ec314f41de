#!lua flags=allow-oom
-- Reschedule or cancel a claimed timer, unless it has changed since its claim.
--
-- KEYS[1]  zset of the partition, timers
--
-- ARGV[1]  member    ARGV[2]  end of the lease of its claim, "" to set it in any case
-- ARGV[3]  time to the next deadline (ms), "" for never
--
-- Returns 1, or 0 if the timer is no longer at the end of that lease, for example after a commit,
-- another claim or a wake.

local timers, member, claimed_until, wait = KEYS[1], ARGV[1], ARGV[2], ARGV[3]

if claimed_until ~= '' and redis.call('ZSCORE', timers, member) ~= claimed_until then
  return 0
end
if wait == '' then
  redis.call('ZREM', timers, member)
  return 1
end

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', timers, string.format('%d', now + tonumber(wait)), member)
return 1
