#!lua flags=no-writes,allow-cross-slot-keys
-- Find the newest members of a group in the listings of many partitions together. The keys are
-- arguments, because partitions have different slots in a cluster.
--
-- ARGV[1]      number of listings
-- ARGV[2] ...  the keys of the listings; then
--              newest bound of the members, as ZREVRANGEBYLEX takes it
--              oldest bound
--              number of requested members
--              number of members in the first read of each listing
--              index of the first character of the time in a member, of 14 digits
--              1 in a cluster, else 0
--
-- A call of a command costs more than the work of the command. So one call looks for many missing
-- listings. An existing listing is read in small pieces, and only while its next members could be
-- among the newest. Times are compared as numbers, because Lua compares texts by the locale.
--
-- Returns the newest members in no order. There are more than requested only if several have the
-- same time as the oldest of them.

local keys_end = 1 + tonumber(ARGV[1])
local newest, oldest = ARGV[keys_end + 1], ARGV[keys_end + 2]
local wanted, few = tonumber(ARGV[keys_end + 3]), tonumber(ARGV[keys_end + 4])
local time_begins = tonumber(ARGV[keys_end + 5])
local in_cluster = ARGV[keys_end + 6] == '1'
local time_ends = time_begins + 13

-- Collect the existing keys, by halves: one call suffices if none exists or none is missing. In a
-- cluster one call takes keys of one slot only, so each key has a call of its own.
local present = {}
local function look(first, last)
  local there = redis.call('EXISTS', unpack(ARGV, first, last))
  if there == last - first + 1 then
    for place = first, last do
      present[#present + 1] = ARGV[place]
    end
  elseif there > 0 then
    local middle = math.floor((first + last) / 2)
    look(first, middle)
    look(middle + 1, last)
  end
end
if in_cluster then
  for place = 2, keys_end do
    look(place, place)
  end
else
  look(2, keys_end)
end

local members, times = {}, {}

-- Read more of a listing. Returns true if it may have still more of the newest members.
local function query(listing, number)
  local answer =
    redis.call('ZREVRANGEBYLEX', listing.key, listing.bound, oldest, 'LIMIT', 0, number)
  for place = 1, #answer do
    members[#members + 1] = answer[place]
    times[#times + 1] = tonumber(answer[place]:sub(time_begins, time_ends))
  end

  listing.seen = listing.seen + #answer
  if #answer < number or listing.seen >= wanted then
    return false
  end
  listing.bound = '(' .. answer[number]
  listing.time = times[#times]
  return true
end

-- Returns the time of the last requested member among those read so far, 0 if none are superfluous.
local function cut()
  if #times <= wanted then
    return 0
  end
  local sorted = {}
  for place = 1, #times do
    sorted[place] = times[place]
  end
  table.sort(sorted)
  return sorted[#sorted - wanted + 1]
end

local unfinished = {}
for place = 1, #present do
  local listing = { key = present[place], bound = newest, seen = 0 }
  if query(listing, few) then
    unfinished[#unfinished + 1] = listing
  end
end

local oldest_wanted = cut()
while #unfinished > 0 do
  local more = {}
  for place = 1, #unfinished do
    local listing = unfinished[place]
    if listing.time >= oldest_wanted and query(listing, listing.seen) then
      more[#more + 1] = listing
    end
  end
  unfinished = more
  oldest_wanted = cut()
end

local found = {}
for place = 1, #members do
  if times[place] >= oldest_wanted then
    found[#found + 1] = members[place]
  end
end
return found
