#!lua
-- Store the snapshot of an existing match. One that comes after the match was deleted must leave
-- nothing behind.
--
-- KEYS[1]  string, the head    KEYS[2]  string, the snapshot
-- ARGV[1]  the new snapshot

if redis.call('EXISTS', KEYS[1]) == 1 then
  redis.call('SET', KEYS[2], ARGV[1])
end
return 1
