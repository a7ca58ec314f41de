#!lua
-- Set a missing field of the metadata of an existing match. An empty field is not missing.
--
-- KEYS[1]  string, the head    KEYS[2]  hash, the metadata
-- ARGV[1]  field               ARGV[2]  value
--
-- Returns 1, 0 for an unknown match, or -1 if the field exists.

if redis.call('EXISTS', KEYS[1]) == 0 then
  return 0
end
return redis.call('HSETNX', KEYS[2], ARGV[1], ARGV[2]) == 1 and 1 or -1
