#!lua
-- Store a tombstone for an unknown match. A restore does it for matches deleted before the backup.
--
-- KEYS[1]  string, the head    KEYS[2]  string, the tombstone, as delete.lua describes it
-- KEYS[3]  stream of the partition, its commits in order, one field "m" = "<match>:<version>"
--
-- ARGV[1]  the tombstone    ARGV[2]  match
--
-- The feed gets a line like that of a first commit. A match deleted here has left such a line, too. A
-- walk through all matches finds the tombstone by this line.
--
-- Returns 1, or 0 if the match or its tombstone exists.

if redis.call('EXISTS', KEYS[1], KEYS[2]) > 0 then
  return 0
end
redis.call('SET', KEYS[2], ARGV[1])
redis.call('XADD', KEYS[3], '*', 'm', ARGV[2] .. ':1')
return 1
