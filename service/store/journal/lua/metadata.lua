#!lua
-- Change the metadata of an existing match outside any commit.
--
-- KEYS[1]  string, the head    KEYS[2]  hash, the metadata
-- ARGV[1]  field with the required value ARGV[2], "" for no condition
-- ARGV[2]  required value, "" for a missing or empty field
-- ARGV[3]  number of arguments to set
-- ARGV[4]  ... field, value; then fields to delete
--
-- Returns 1, 0 for an unknown match, or -1 if the field has another value.

if redis.call('EXISTS', KEYS[1]) == 0 then
  return 0
end
if ARGV[1] ~= '' and (redis.call('HGET', KEYS[2], ARGV[1]) or '') ~= ARGV[2] then
  return -1
end
local set_ends = 3 + tonumber(ARGV[3])
if set_ends > 3 then
  redis.call('HSET', KEYS[2], unpack(ARGV, 4, set_ends))
end
if #ARGV > set_ends then
  redis.call('HDEL', KEYS[2], unpack(ARGV, set_ends + 1))
end
return 1
