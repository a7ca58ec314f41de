#!lua flags=allow-oom,allow-cross-slot-keys
-- Claim the timers of many partitions that are due, the longest first in each, and put each off for
-- as long as acting on it may take. Also done on a full server: a timer only changes its time.
--
-- ARGV[1]  number of partitions, then how their keys begin, such as "giornale:{p00}"; then
--   1  how many to claim at most
--   2  name of the claim
--   3  a kind of timers, and for how long a claimed one is put off (ms); so on for each kind
--
-- A caller whose answer was lost asks again by the same name, and gets the same answer. The string
-- `:claimed-timers` of the first partition holds name and answer of the last claim (MessagePack).
--
-- append.lua says what the zset `:timers` of a partition holds. Times are ms of this server's clock.
--
-- Returns member, since when it was due, and until when it is put off, for each.

local partitions = tonumber(ARGV[1])
local left = tonumber(ARGV[partitions + 2])
local name = ARGV[partitions + 3]
local answered = ARGV[2] .. ':claimed-timers'

local ANSWER_KEPT = 60000 -- ms, longer than any caller tries again

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

-- Returns whether there may be more than the share.
local function claim_share(root, share)
  local timers = root .. ':timers'
  local most = math.min(share, left)
  local due = redis.call('ZRANGE', timers, '-inf', string.format('%d', now), 'BYSCORE',
    'LIMIT', 0, most, 'WITHSCORES')
  for index = 1, #due, 2 do
    -- A kind that the caller does not know is left to those that do.
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

-- First every partition has a fair share, so that none waits for the others.
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
