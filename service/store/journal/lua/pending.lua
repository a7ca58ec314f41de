#!lua flags=no-writes,allow-cross-slot-keys
-- Find matches that wait for the house or a bot, in many partitions. Parked matches are included.
--
-- ARGV[1]  number of partitions, then the beginnings of their keys, such as "giornale:{p00}"; then
--   1  shortest wait of a match (ms)    2  limit of matches
--
-- claim.lua describes the keys.
--
-- Returns match, its wait so far (ms), its record in :failing or "", and 1 if it is parked, else 0,
-- for each match, longest wait first.

local partitions = tonumber(ARGV[1])
local waited = tonumber(ARGV[partitions + 2])
local limit = ARGV[partitions + 3]

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local latest = waited > 0 and string.format('%d', now - waited) or '+inf'
local found = {}

local function note(root, match, since, parked)
  since = math.min(tonumber(since or now), now)
  if now - since >= waited then
    table.insert(found, { root = root, match = match, since = since, parked = parked })
  end
end

local function look_into(root)
  for _, set in ipairs({ ':pending', ':late' }) do
    local members = redis.call('ZRANGE', root .. set, '-inf', latest, 'BYSCORE',
      'LIMIT', 0, limit, 'WITHSCORES')
    for place = 1, #members, 2 do
      note(root, members[place], members[place + 1], 0)
    end
  end

  local parked = redis.call('ZRANGE', root .. ':again', 'inf', 'inf', 'BYSCORE', 'LIMIT', 0, limit)
  for _, match in ipairs(parked) do
    local record = redis.call('HGET', root .. ':failing', match) or ''
    note(root, match, record:match('^%d+|%d+|(%d+)|'), 1)
  end
end

for number = 2, partitions + 1 do
  local root = ARGV[number]
  -- Most often no match waits in a partition, and one command shows that.
  if redis.call('EXISTS', root .. ':pending', root .. ':again') > 0 then
    look_into(root)
  end
end

table.sort(found, function(one, other)
  if one.since ~= other.since then
    return one.since < other.since
  end
  return one.match < other.match
end)

local answer = {}
for place = 1, math.min(#found, tonumber(limit)) do
  local one = found[place]
  local record = redis.call('HGET', one.root .. ':failing', one.match) or ''
  for _, value in ipairs({ one.match, now - one.since, record, one.parked }) do
    table.insert(answer, value)
  end
end
return answer
