#!lua flags=allow-oom
-- Let the commits of a match go to the archive, where they lie already, and leave a marker. Also
-- done on a full server: it is how room is made there.
--
-- KEYS[1]  stream of commits
-- KEYS[2]  string, the head
-- KEYS[3]  hash, the command ids
-- KEYS[4]  string, the snapshot
-- KEYS[5]  hash of the partition, match -> marker, "<sha256>|<size>|<commits>|<stored>|<at in ms>"
-- KEYS[6]  zset of the partition, idle
-- KEYS[7]  string, what bots have thought
--
-- ARGV[1]  match               ARGV[2]  its marker
-- ARGV[3]  how many commits    ARGV[4]  how many command ids
-- ARGV[5]  hash of the last commit
--
-- Head, metadata, listing and feed stay as they are.
--
-- Returns 1, or 0 if there is nothing to archive: no such match, one that has not ended, one with
-- other commits or command ids, or one that is archived already.

local head = redis.call('GET', KEYS[2])
if not head then
  return 0
end
local version, hash, status, work = head:match('^(%d+)|([^|]*)|([^|]*)|([^|]*)|')
if work ~= '' or (status ~= 'finished' and status ~= 'aborted') then
  return 0
end
if version ~= ARGV[3] or hash ~= ARGV[5] then
  return 0
end
if redis.call('XLEN', KEYS[1]) ~= tonumber(ARGV[3])
    or redis.call('HLEN', KEYS[3]) ~= tonumber(ARGV[4]) then
  return 0
end

redis.call('HSET', KEYS[5], ARGV[1], ARGV[2])
redis.call('UNLINK', KEYS[1], KEYS[3], KEYS[4], KEYS[7])
redis.call('ZREM', KEYS[6], ARGV[1])
return 1
