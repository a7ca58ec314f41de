#!lua
-- Set a field of the metadata of an existing match, unless it is there, be it empty.
--
-- KEYS[1]  string, the head    KEYS[2]  hash, the metadata
-- ARGV[1]  field               ARGV[2]  value
--
-- Returns 1, 0 if there is no such match, or -1 if the field is there.

if redis.call('EXISTS', KEYS[1]) == 0 then
  return 0
end
return redis.call('HSETNX', KEYS[2], ARGV[1], ARGV[2]) == 1 and 1 or -1
