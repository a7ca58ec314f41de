#!lua flags=no-writes,allow-cross-slot-keys
-- Find the matches of many partitions that wait for the house or a bot, parked ones too.
--
-- ARGV[1]  number of partitions, then how their keys begin, such as "giornale:{p00}"; then
--   1  how long a match must have waited (ms)    2  how many to return of each set at most
--
-- claim.lua says what the keys hold.
--
-- Returns match, how long it has waited (ms), its record in :failing or "", and whether it is
-- parked (1 or 0), for each match.

local partitions = tonumber(ARGV[1])
local waited = tonumber(ARGV[partitions + 2])
local limit = ARGV[partitions + 3]

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local latest = waited > 0 and string.format('%d', now - waited) or '+inf'
local found = {}

local function tell(match, since, record, parked)
  local wait = math.max(now - tonumber(since), 0)
  if wait < waited then
    return
  end
  for _, value in ipairs({ match, wait, record, parked }) do
    table.insert(found, value)
  end
end

for number = 2, partitions + 1 do
  local root = ARGV[number]
  for _, set in ipairs({ ':pending', ':late' }) do
    local members = redis.call('ZRANGE', root .. set, '-inf', latest, 'BYSCORE',
      'LIMIT', 0, limit, 'WITHSCORES')
    for place = 1, #members, 2 do
      local match = members[place]
      tell(match, members[place + 1], redis.call('HGET', root .. ':failing', match) or '', 0)
    end
  end

  local parked = redis.call('ZRANGE', root .. ':again', 'inf', 'inf', 'BYSCORE', 'LIMIT', 0, limit)
  for _, match in ipairs(parked) do
    local record = redis.call('HGET', root .. ':failing', match) or ''
    tell(match, record:match('^%d+|%d+|(%d+)|') or now, record, 1)
  end
end

return found
