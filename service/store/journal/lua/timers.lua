#!lua flags=allow-oom,allow-cross-slot-keys
-- Claim due timers of many partitions, longest due first in each, and reschedule each to the end of
-- its lease. Runs on a full server too: a timer only changes its time.
--
-- ARGV[1]  number of partitions, then the beginnings of their keys, such as "giornale:{p00}"; then
--   1  limit of claimed timers
--   2  name of the claim
--   3  a kind of timers, and the lease of a claimed one (ms); so on for each kind
--
-- After a lost answer a caller repeats the request with the same name. The caller gets the same
-- timers, unless another claim was made meanwhile. The string `:claimed-timers` of the first partition
-- has name and answer of the last claim (MessagePack).
--
-- append.lua describes the zset `:timers` of a partition. Times are ms of this server's clock.
--
-- Returns member, its deadline, and the end of its lease, for each.

local partitions = tonumber(ARGV[1])
local left = tonumber(ARGV[partitions + 2])
local name = ARGV[partitions + 3]
local answered = ARGV[2] .. ':claimed-timers'

local ANSWER_KEPT = 60000 -- ms, longer than a caller repeats its request

local last = redis.call('GET', answered)
if last then
  local claim_before = cmsgpack.unpack(last)
  if claim_before[1] == name then
    return claim_before[2]
  end
end

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local leases, longest = {}, 0
for index = partitions + 4, #ARGV, 2 do
  local lease = tonumber(ARGV[index + 1])
  leases[ARGV[index]] = lease
  longest = math.max(longest, lease)
end
local claimed = {}

-- Returns true if there may be more than the share.
local function claim_share(root, share)
  local timers = root .. ':timers'
  local most = math.min(share, left)
  local due = redis.call('ZRANGE', timers, '-inf', string.format('%d', now), 'BYSCORE',
    'LIMIT', 0, most, 'WITHSCORES')
  for index = 1, #due, 2 do
    -- A timer of a kind unknown to this caller is due for other callers after the longest lease.
    local lease = leases[due[index]:match('^[^:]*')] or longest
    local until_then = string.format('%d', now + lease)
    redis.call('ZADD', timers, until_then, due[index])
    table.insert(claimed, due[index])
    table.insert(claimed, due[index + 1])
    table.insert(claimed, until_then)
  end
  left = left - #due / 2
  return #due / 2 == most
end

-- First each partition gets a fair share, so that one with many due timers does not use up the
-- limit.
local fair_share = math.max(1, math.floor(left / partitions))
local crowded = {}
for number = 2, partitions + 1 do
  if left > 0 and claim_share(ARGV[number], fair_share) then
    table.insert(crowded, ARGV[number])
  end
end
for _, root in ipairs(crowded) do
  if left > 0 then
    claim_share(root, left)
  end
end

if #claimed > 0 then
  redis.call('SET', answered, cmsgpack.pack({ name, claimed }), 'PX', ANSWER_KEPT)
end
return claimed
