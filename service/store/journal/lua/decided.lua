#!lua flags=no-writes
-- Read lines of the order of the log.
--
-- KEYS     as in decide.lua
-- ARGV[1]  the position of the first line    ARGV[2]  limit
--
-- Returns the lines, or nil if the first of them is no longer stored in the order.

local first = tonumber(ARGV[1]) - tonumber(redis.call('HGET', KEYS[2], 'base') or 0)
if first < 0 then
  return false
end
if tonumber(ARGV[2]) == 0 then
  return {}
end
return redis.call('LRANGE', KEYS[1], first, first + tonumber(ARGV[2]) - 1)
