#!lua flags=allow-oom
-- Replace the commits of a match by a marker, after they were archived. Runs on a full server too,
-- since it frees memory.
--
-- KEYS[1]  stream of commits
-- KEYS[2]  string, the head
-- KEYS[3]  hash, the command ids
-- KEYS[4]  string, the snapshot
-- KEYS[5]  hash of the partition, match -> marker, "<sha256>|<size>|<commits>|<stored>|<at in ms>"
-- KEYS[6]  zset of the partition, idle
-- KEYS[7]  string, thoughts of bots
--
-- ARGV[1]  match               ARGV[2]  its marker
-- ARGV[3]  number of commits    ARGV[4]  number of command ids
-- ARGV[5]  hash of the last commit
--
-- Head, metadata, listing and feed stay as they are.
--
-- Returns 1, or 0 if the match is unknown, not final or archived already, or if its last hash or one
-- of the two numbers differs.

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
