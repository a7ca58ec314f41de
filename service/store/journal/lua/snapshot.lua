#!lua
-- Store the snapshot of an existing match. One that comes after the match was deleted or archived
-- must leave nothing behind: only a match with commits gets one.
--
-- KEYS[1]  string, the head    KEYS[2]  string, the snapshot    KEYS[3]  stream of commits
-- ARGV[1]  the new snapshot

if redis.call('EXISTS', KEYS[1], KEYS[3]) == 2 then
  redis.call('SET', KEYS[2], ARGV[1])
end
return 1
