#!lua
-- Change the side table of an existing match outside any commit.
--
-- KEYS[1]  string, the head    KEYS[2]  hash, the side table
-- ARGV[1]  number of arguments to set
-- ARGV[2]  ... field, value; then fields to delete
--
-- Returns 1, or 0 if there is no such match.

if redis.call('EXISTS', KEYS[1]) == 0 then
  return 0
end
local set_ends = 1 + tonumber(ARGV[1])
if set_ends > 1 then
  redis.call('HSET', KEYS[2], unpack(ARGV, 2, set_ends))
end
if #ARGV > set_ends then
  redis.call('HDEL', KEYS[2], unpack(ARGV, set_ends + 1))
end
return 1
