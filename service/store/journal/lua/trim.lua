#!lua flags=allow-oom
-- Trim lines of a feed that are in the log. Runs on a full server too, since it frees memory.
--
-- KEYS[1]  stream of the partition, its commits in order, one field "m" = "<match>:<version>"
-- KEYS[2]  list of the partition, the matches with a trimmed first line, in the order of the feed
-- KEYS[3]  string of the partition, number of trimmed lines
--
-- ARGV[1]  id of a line; only earlier lines are trimmed
-- ARGV[2]  text of that line, "<match>:<version>"
-- ARGV[3]  least age of a trimmed line (ms)    ARGV[4]  limit of trimmed lines
--
-- Returns the number of trimmed lines, 0 if the feed lacks the line with this id and text.

local known = redis.call('XRANGE', KEYS[1], ARGV[1], ARGV[1])[1]
if not known or known[2][2] ~= ARGV[2] then
  return 0
end

local time = redis.call('TIME')
local newest = time[1] * 1000 + math.floor(time[2] / 1000) - tonumber(ARGV[3])
local lines = redis.call('XRANGE', KEYS[1], '-', '(' .. ARGV[1], 'COUNT', ARGV[4])

local gone, last = 0, nil
for _, entry in ipairs(lines) do
  if tonumber(entry[1]:match('^%d+')) > newest then
    break
  end
  local match = entry[2][2]:match('^(.*):1$')
  if match then
    redis.call('RPUSH', KEYS[2], match)
  end
  gone, last = gone + 1, entry[1]
end

if gone > 0 then
  local ms, number = last:match('^(%d+)-(%d+)$')
  redis.call('XTRIM', KEYS[1], 'MINID', string.format('%s-%d', ms, number + 1))
  redis.call('INCRBY', KEYS[3], gone)
end
return gone
