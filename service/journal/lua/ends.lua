#!lua flags=no-writes,allow-cross-slot-keys
-- Find the last line of each of many feeds, and lines that were once the last. The keys are
-- arguments, because those of several partitions lie in several slots of a cluster.
--
-- ARGV[1]      number of feeds
-- ARGV[2] ...  the keys of the feeds; then
--              a key, an id, a key, an id and so on: the lines to look for; keys of other servers
--              may be among them
--
-- Returns two lists of key, id, "<match>:<version>", key, id and so on: the last lines of those
-- feeds that have any, and those of the lines looked for that are there.

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

local last, found = {}, {}
for place = 2, keys_end do
  local key = ARGV[place]
  local entry = redis.call('XREVRANGE', key, '+', '-', 'COUNT', 1)[1]
  put(last, key, entry)

  local id = wanted[key]
  if id and entry and entry[1] ~= id then
    entry = redis.call('XRANGE', key, id, id)[1]
  end
  if id then
    put(found, key, entry)
  end
end
return { last, found }
