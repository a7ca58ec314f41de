#!lua flags=no-writes
-- Read on in the matches of a partition that were ever begun: first those whose lines have left the
-- feed, then those in the feed. Both together are one sequence, whatever leaves the feed meanwhile.
--
-- KEYS[1]  list, and KEYS[2] stream, as KEYS[2] and KEYS[1] in trim.lua
--
-- ARGV[1]  how many matches were read before    ARGV[2]  the id of the last line read, "-" for none
-- ARGV[3]  how many to read at most
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
