#!lua flags=no-writes,allow-cross-slot-keys
-- Find the last line of each of many feeds, and lines that were once the last. The keys are
-- arguments, because partitions have different slots in a cluster.
--
-- ARGV[1]      number of feeds
-- ARGV[2] ...  the keys of the feeds; then
--              key, id, key, id and so on: a line to look for in a feed; keys of other servers
--              may be among them
--
-- Returns three lists. Two have key, id, "<match>:<version>", key, id and so on: the last lines of all
-- non-empty feeds, and the lines found. The third has the keys of the feeds from which the line to
-- look for was trimmed (trim.lua). Such a line is older than the first line of its feed.

local keys_end = 1 + tonumber(ARGV[1])
local wanted = {}
for place = keys_end + 1, #ARGV, 2 do
  wanted[ARGV[place]] = ARGV[place + 1]
end

local function put(lines, key, entry)
  if entry then
    lines[#lines + 1] = key
    lines[#lines + 1] = entry[1]
    lines[#lines + 1] = entry[2][2]
  end
end

local function is_before(one, other)
  local ms, number = one:match('^(%d+)-(%d+)$')
  local other_ms, other_number = other:match('^(%d+)-(%d+)$')
  if not ms or tonumber(ms) ~= tonumber(other_ms) then
    return ms and tonumber(ms) < tonumber(other_ms)
  end
  return tonumber(number) < tonumber(other_number)
end

local function has_gone(key, id)
  local first = redis.call('XRANGE', key, '-', '+', 'COUNT', 1)[1]
  return first and is_before(id, first[1]) and redis.call('EXISTS', (key:gsub('feed$', 'trimmed'))) == 1
end

local last, found, gone = {}, {}, {}
for place = 2, keys_end do
  local key = ARGV[place]
  local entry = redis.call('XREVRANGE', key, '+', '-', 'COUNT', 1)[1]
  put(last, key, entry)

  local id = wanted[key]
  if id and entry and entry[1] ~= id then
    entry = redis.call('XRANGE', key, id, id)[1]
  end
  if id and not entry and has_gone(key, id) then
    gone[#gone + 1] = key
  elseif id then
    put(found, key, entry)
  end
end
return { last, found, gone }
