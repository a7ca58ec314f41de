#!lua
-- Append one commit, or change nothing and return the reason.
--
-- KEYS[1]  stream of the match's commits, entry ids "<version>-0", one field "c"
-- KEYS[2]  string, the head:
--          "<version>|<hash>|<status>|<work>|<waiting>|<visibility>|<created>|<updated>|<game>",
--          and "|<imported>" for a match that was imported
-- KEYS[3]  hash, command id -> "<version>:<fingerprint>"
-- KEYS[4]  hash, the metadata
-- KEYS[5]  string, the tombstone of a deleted match
-- KEYS[6]  zset of the partition, pending: unclaimed matches that wait for the house or a bot, by the
--          start of the wait (ms of this server's clock; an earlier release wrote their commit's time)
-- KEYS[7]  stream of the partition, its commits in order, one field "m" = "<match>:<version>"
-- KEYS[8]  zset of the partition, scores 0, four members for each public match:
--          ":<listed>:<match>"         "<status>:<listed>:<match>"
--          "@<game>::<listed>:<match>" "@<game>:<status>:<listed>:<match>"
-- KEYS[9]  zset of the partition, idle: matches by the time of their next look for idleness (ms);
--          written here by the first commit only
-- KEYS[10] zset of the partition, late     KEYS[11] zset, again     KEYS[12] hash, failing: notes of
--          claim.lua and fail.lua about a waiting match; a commit clears them
-- KEYS[13] string, thoughts of bots in the match, each a line of JSON
-- KEYS[14] zset of the partition, timers: "clock:<match>" and "hook:<match>" by their deadline (ms);
--          if the metadata has the field "hooks", "hook:<match>" is due at once after a commit
--
-- ARGV[1]  expected version                      ARGV[2]  hash of the predecessor, "" for the first
-- ARGV[3]  the commit                            ARGV[4]  command id, "" for none
-- ARGV[5]  fingerprint of the command            ARGV[6]  match
-- ARGV[7]  channel to notify followers           ARGV[8]  ":<listed>:<match>"
-- ARGV[9]  the new head                          ARGV[10] number of arguments to set in the metadata
-- ARGV[11] field of the metadata, "" for none    ARGV[12] its required value
-- ARGV[13] thoughts of a bot, "" for none        ARGV[14] limit of the match's thoughts in bytes
-- ARGV[15] time of "clock:<match>" (ms), "0" for never, "" to leave it as it is
-- ARGV[16] "1" if bots rest: the match is not pending after the commit, until rouse.lua makes it so
-- ARGV[17] ... field, value to set in the metadata; then fields to delete from it
--
-- Returns one of
--   {"made", version}       the commit was appended
--   {"repeated", version}   the command id has made this version before
--   {"reused"}              the command id was used with another fingerprint
--   {"conflict", version}   the match has another version, or the field another value
--   {"deleted"}             the match was deleted
--   {"broken"}              the last commit has another hash than ARGV[2], or the match is archived

local stream, head_key, ids, metadata, tombstone = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local pending, feed, listing, idle = KEYS[6], KEYS[7], KEYS[8], KEYS[9]
local late, again, failing, thoughts = KEYS[10], KEYS[11], KEYS[12], KEYS[13]
local timers, deadline = KEYS[14], ARGV[15]
local expected, prev, commit = tonumber(ARGV[1]), ARGV[2], ARGV[3]
local id, fingerprint = ARGV[4], ARGV[5]
local match, channel, listed, head = ARGV[6], ARGV[7], ARGV[8], ARGV[9]
local thought, room = ARGV[13], tonumber(ARGV[14])
local is_resting = ARGV[16] == '1'
local set_ends = 16 + tonumber(ARGV[10])
local FIELDS = '^%d+|([^|]*)|([^|]*)|([^|]*)|[^|]*|([^|]*)|%d+|(%d+)|([^|]*)'

-- The condition comes first: a caller with a deleted token does not learn if a command id was used.
if ARGV[11] ~= '' and redis.call('HGET', metadata, ARGV[11]) ~= ARGV[12] then
  return { 'conflict', redis.call('XLEN', stream) }
end

local known = id ~= '' and redis.call('HGET', ids, id)
if known then
  local made, of = known:match('^(%d+):(.*)$')
  if of ~= fingerprint then
    return { 'reused' }
  end
  return { 'repeated', tonumber(made) }
end

-- Single entries are never removed, so the length of the stream is the version.
local version = redis.call('XLEN', stream)
if version ~= expected then
  return { 'conflict', version }
end
if version == 0 and redis.call('EXISTS', tombstone) == 1 then
  return { 'deleted' }
end

local hash, old_status, old_work, old_visibility = '', '', '', ''
local old = redis.call('GET', head_key)
if old then
  hash, old_status, old_work, old_visibility = old:match(FIELDS)
end
-- A first commit has no predecessor. An archived match has a head and no stream: it takes no commit.
if hash ~= prev or (version == 0 and prev ~= '') then
  return { 'broken' }
end
local _, status, work, visibility, updated, game = head:match(FIELDS)

version = string.format('%d', expected + 1)
redis.call('XADD', stream, version .. '-0', 'c', commit)
redis.call('SET', head_key, head)
if id ~= '' then
  redis.call('HSET', ids, id, version .. ':' .. fingerprint)
end

if thought ~= '' and redis.call('STRLEN', thoughts) + #thought + 1 <= room then
  redis.call('APPEND', thoughts, thought .. '\n')
end

if set_ends > 16 then
  redis.call('HSET', metadata, unpack(ARGV, 17, set_ends))
end
if #ARGV > set_ends then
  redis.call('HDEL', metadata, unpack(ARGV, set_ends + 1))
end

local time = redis.call('TIME')
local now = string.format('%d', time[1] * 1000 + math.floor(time[2] / 1000))
if work ~= '' and not is_resting then
  redis.call('ZADD', pending, now, match)
elseif old_work ~= '' then
  redis.call('ZREM', pending, match)
end
if old_work ~= '' and redis.call('ZREM', again, match) == 1 then
  redis.call('ZREM', late, match)
  redis.call('HDEL', failing, match)
end

if deadline == '0' then
  redis.call('ZREM', timers, 'clock:' .. match)
elseif deadline ~= '' then
  redis.call('ZADD', timers, deadline, 'clock:' .. match)
end
if redis.call('HEXISTS', metadata, 'hooks') == 1 then
  redis.call('ZADD', timers, now, 'hook:' .. match)
end

local was = old_visibility == 'public' and old_status
local is = visibility == 'public' and status
if was ~= is then
  local of_game = '@' .. game .. ':'
  if was then
    redis.call('ZREM', listing, listed, was .. listed, of_game .. listed, of_game .. was .. listed)
  end
  if is then
    redis.call('ZADD', listing,
      0, listed, 0, is .. listed, 0, of_game .. listed, 0, of_game .. is .. listed)
  end
end

if expected == 0 and (status == 'open' or status == 'running') then
  redis.call('ZADD', idle, updated, match)
end

redis.call('XADD', feed, '*', 'm', match .. ':' .. version)
-- In a cluster the channel lies in the slot of the match, and SPUBLISH reaches the subscribers at
-- the node of this slot.
local publish = channel:sub(1, 10) == 'giornale:{' and 'SPUBLISH' or 'PUBLISH'
redis.call(publish, channel, version)
return { 'made', tonumber(version) }
