#!lua flags=allow-oom,allow-cross-slot-keys
-- Claim due matches of many partitions, and reschedule each. The caller enqueues a job for each (a
-- "look" at the match). Runs on a full server too: a claimed match only changes its set.
--
-- ARGV[1]  number of partitions, then the beginnings of their keys, such as "giornale:{p00}"; then
--   1  shortest wait before the first look (ms)
--   2  longest pause between two looks (ms): a pause is as long as the match has waited, but at
--      least (1) and at most (2)
--   3  limit of claimed matches
--   4  name of the claim
--
-- Keys of each partition; all times are ms of this server's clock:
--   :pending  zset, waiting matches that were not claimed yet, by the start of their wait
--   :late     zset, waiting matches that were claimed or have failed, by the start of their wait;
--             without parked ones
--   :again    zset, the same and the parked matches by the time of their next look; "inf": parked
--   :failing  hash, match -> "<version>|<tries>|<since>|<error>"
--   :claimed  string of the first partition alone, name and answer of the last claim (MessagePack)
--
-- After a lost answer a caller repeats the request with the same name. The caller gets the same
-- matches, unless another claim was made meanwhile.
--
-- A wait that begins in the future, and a look more than FARTHEST ahead, were written under a wrong
-- clock. Such a match is due now.
--
-- Returns match, its wait so far (ms), and its record in :failing or "", for each.

local FARTHEST = 600000 -- ms that a look may lie ahead

local partitions = tonumber(ARGV[1])
local waited = tonumber(ARGV[partitions + 2])
local longest_pause = tonumber(ARGV[partitions + 3])
local left = tonumber(ARGV[partitions + 4])
local name = ARGV[partitions + 5]
local answered = ARGV[2] .. ':claimed'

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
local claimed = {}

local function digits(number)
  return string.format('%d', number)
end

local DUE = {
  { ':pending', '-inf', digits(now - waited) },
  { ':pending', '(' .. digits(now), '+inf' },
  { ':again', '-inf', digits(now) },
  { ':again', '(' .. digits(now + FARTHEST), '(inf' },
}

local function claim(root, match)
  local since = redis.call('ZSCORE', root .. ':pending', match)
  if since then
    redis.call('ZREM', root .. ':pending', match)
    redis.call('HDEL', root .. ':failing', match)
  else
    since = redis.call('ZSCORE', root .. ':late', match)
  end

  since = math.min(tonumber(since or now), now)
  local pause = math.min(math.max(now - since, waited, 1), longest_pause)
  redis.call('ZADD', root .. ':late', digits(since), match)
  redis.call('ZADD', root .. ':again', digits(now + pause), match)

  table.insert(claimed, match)
  table.insert(claimed, now - since)
  table.insert(claimed, redis.call('HGET', root .. ':failing', match) or '')
  left = left - 1
end

-- Returns true if there may be more than the share.
local function claim_share(root, share)
  -- Most often no match waits in a partition, and one command shows that.
  if redis.call('EXISTS', root .. ':pending', root .. ':again') == 0 then
    return false
  end

  local ends = left - math.min(share, left)
  for _, due in ipairs(DUE) do
    local found = redis.call('ZRANGE', root .. due[1], due[2], due[3], 'BYSCORE',
      'LIMIT', 0, left - ends)
    for _, match in ipairs(found) do
      claim(root, match)
    end
  end
  return left == ends
end

-- First each partition gets a fair share, so that one with many due matches does not use up the
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
