#!lua flags=no-writes
-- Read the next of all matches ever begun in a partition: first those trimmed from the feed, then
-- those in the feed. Both are one sequence, even if the feed is trimmed meanwhile.
--
-- KEYS[1]  list, KEYS[2] of trim.lua    KEYS[2]  stream, KEYS[1] of trim.lua
--
-- ARGV[1]  number of matches read before    ARGV[2]  id of the last line read, "-" for none
-- ARGV[3]  limit
--
-- Returns matches, and the id of the last line read; no match and no new id at the end.

local place, last = tonumber(ARGV[1]), ARGV[2]
local names = redis.call('LRANGE', KEYS[1], place, place + tonumber(ARGV[3]) - 1)
if #names > 0 then
  return { names, last }
end

local start = last == '-' and '-' or '(' .. last
for _, entry in ipairs(redis.call('XRANGE', KEYS[2], start, '+', 'COUNT', ARGV[3])) do
  last = entry[1]
  names[#names + 1] = entry[2][2]:match('^(.*):1$')
end
return { names, last }
