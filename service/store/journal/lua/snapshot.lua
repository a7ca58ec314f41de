#!lua
-- Store the snapshot of an existing match. Only a match with commits gets one, so that a late snapshot
-- of a deleted or archived match leaves nothing behind.
--
-- KEYS[1]  string, the head    KEYS[2]  string, the snapshot    KEYS[3]  stream of commits
-- ARGV[1]  the new snapshot

if redis.call('EXISTS', KEYS[1], KEYS[3]) == 2 then
  redis.call('SET', KEYS[2], ARGV[1])
end
return 1
