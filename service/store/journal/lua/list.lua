#!lua flags=no-writes,allow-cross-slot-keys
-- Find the newest members of a group in the listings of many partitions, taken together. The keys
-- are arguments, because those of several partitions lie in several slots of a cluster.
--
-- ARGV[1]      number of listings
-- ARGV[2] ...  the keys of the listings; then
--              newest bound of the members, as ZREVRANGEBYLEX takes it
--              oldest bound
--              how many members are wanted
--              for how many members each listing is asked first
--              at which character of a member its time begins, which has 14 digits
--              1 in a cluster, else 0
--
-- A call costs more than what is done in it. So listings that are not there are found out many at
-- a time, and each of the others is asked for few members: for more only while what it has not
-- given yet could be among the newest. Times are compared as numbers, because Lua compares texts
-- by the locale.
--
-- Returns the newest members in no order. These are more than wanted only where the oldest of them
-- has the same time as others.

local keys_end = 1 + tonumber(ARGV[1])
local newest, oldest = ARGV[keys_end + 1], ARGV[keys_end + 2]
local wanted, few = tonumber(ARGV[keys_end + 3]), tonumber(ARGV[keys_end + 4])
local time_begins = tonumber(ARGV[keys_end + 5])
local in_cluster = ARGV[keys_end + 6] == '1'
local time_ends = time_begins + 13

-- Collect the keys that are there, by halves: where none is, or none is missing, one call suffices.
-- In a cluster one call takes keys of one slot only, so each key is asked for by itself.
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

-- Ask a listing for more; return whether it may have still more that are wanted.
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

-- Return the time of the last member wanted, as far as members are known.
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
