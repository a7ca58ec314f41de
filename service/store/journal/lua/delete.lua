#!lua flags=allow-oom
-- Replace a match by its tombstone. Runs on a full server too, since it frees memory.
--
-- KEYS[1]  stream of commits
-- KEYS[2]  string, the head
-- KEYS[3]  hash, the command ids
-- KEYS[4]  hash, the metadata
-- KEYS[5]  string, the tombstone, "<time in ms>|<public or private>|<operator>", or
--          "<time in ms>|<operator>" if the visibility is unknown
-- KEYS[6]  string, the snapshot
-- KEYS[7]  zset of the partition, pending
-- KEYS[8]  zset of the partition, listing
-- KEYS[9]  zset of the partition, idle
-- KEYS[10] zset of the partition, late
-- KEYS[11] zset of the partition, again
-- KEYS[12] hash of the partition, failing
-- KEYS[13] hash of the partition, markers of archived matches
-- KEYS[14] string, thoughts of bots
-- KEYS[15] zset of the partition, timers
--
-- ARGV[1]  the tombstone
-- ARGV[2]  match
-- ARGV[3]  channel to notify followers; they look, and find no match
-- ARGV[4] ...  the kinds of timers
--
-- Returns 1, the marker of an archived match, 0 for an unknown match, or -1 if it was deleted
-- before.

if redis.call('EXISTS', KEYS[5]) == 1 then
  return -1
end
local head = redis.call('GET', KEYS[2])
if not head then
  return 0
end

redis.call('SET', KEYS[5], ARGV[1])
local match = ARGV[2]
local status, visibility, created, game, imported =
  head:match('^%d+|[^|]*|([^|]*)|[^|]*|[^|]*|([^|]*)|(%d+)|%d+|([^|]*)|?(%d*)$')
local delisted = 0
if status then
  local listed = string.format(':%014d:%s', tonumber(imported) or tonumber(created), match)
  local of_game = '@' .. game .. ':'
  delisted = redis.call('ZREM', KEYS[8],
    listed, status .. listed, of_game .. listed, of_game .. status .. listed)
end
if delisted < 4 and visibility ~= 'private' then
  -- A damaged head does not tell the match's place in the listing.
  local ending = ':' .. match
  for _, listed in ipairs(redis.call('ZRANGE', KEYS[8], 0, -1)) do
    if listed:sub(-#ending) == ending then
      redis.call('ZREM', KEYS[8], listed)
    end
  end
end
redis.call('ZREM', KEYS[7], match)
redis.call('ZREM', KEYS[9], match)
redis.call('ZREM', KEYS[10], match)
redis.call('ZREM', KEYS[11], match)
redis.call('HDEL', KEYS[12], match)
for index = 4, #ARGV do
  redis.call('ZREM', KEYS[15], ARGV[index] .. ':' .. match)
end
local marker = redis.call('HGET', KEYS[13], match)
redis.call('HDEL', KEYS[13], match)
redis.call('UNLINK', KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[6], KEYS[14])
-- As in append.lua.
local publish = ARGV[3]:sub(1, 10) == 'giornale:{' and 'SPUBLISH' or 'PUBLISH'
redis.call(publish, ARGV[3], 'deleted')
return marker or 1
