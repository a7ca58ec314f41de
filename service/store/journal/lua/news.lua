#!lua flags=no-writes,allow-cross-slot-keys
-- Read new lines of many feeds. The keys are arguments, because partitions have different slots in a
-- cluster.
--
-- ARGV[1]      number of feeds
-- ARGV[2] ...  the keys of the feeds; then
--              limit of lines, and
--              key, id, "<match>:<version>", key, id and so on: the last known line of a feed; other
--              feeds are read from their beginning; keys of other servers may be among them
--
-- Returns two lists: key, id, "<match>:<version>", key, id and so on of the lines after the known ones,
-- and the keys of the feeds without their known line.

local keys_end = 1 + tonumber(ARGV[1])
local room = tonumber(ARGV[keys_end + 1])
local ids, texts = {}, {}
for place = keys_end + 2, #ARGV, 3 do
  ids[ARGV[place]] = ARGV[place + 1]
  texts[ARGV[place]] = ARGV[place + 2]
end

local lines, missing = {}, {}
for place = 2, keys_end do
  local key = ARGV[place]
  local id = ids[key]
  local entries = redis.call('XRANGE', key, id or '-', '+', 'COUNT', room + 1)
  local first = 1

  if id then
    local known = entries[1]
    first = 2
    local text = known and known[2][2]
    -- A damaged line does not count as missing.
    local is_damaged = text and not text:match('^[!-~]+:[1-9]%d*$')
    if not known or known[1] ~= id or (text ~= texts[key] and not is_damaged) then
      missing[#missing + 1] = key
      first = #entries + 1
    end
  end
  for number = first, #entries do
    if room > 0 then
      lines[#lines + 1] = key
      lines[#lines + 1] = entries[number][1]
      lines[#lines + 1] = entries[number][2][2]
      room = room - 1
    end
  end
end
return { lines, missing }
