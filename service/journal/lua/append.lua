#!lua
-- Append one commit, or say why not and change nothing.
--
-- KEYS[1]  stream of the match's commits, entry ids "<version>-0", one field "c"
-- KEYS[2]  hash, the head
-- KEYS[3]  hash, command id -> "<version>:<fingerprint>"
-- KEYS[4]  hash, the side table
-- KEYS[5]  zset of the partition, matches that wait for the house or a bot by the time of their last commit (ms)
-- KEYS[6]  stream of the partition, its commits in order, one field "m" = "<match>:<version>"
-- KEYS[7]  zset of the partition, "<created>:<match>" of its public matches, all scores 0
-- KEYS[8]  the same for the open ones, KEYS[9] running, KEYS[10] finished, KEYS[11] aborted
--
-- ARGV[1]  expected version                      ARGV[2]  hash of the predecessor, "" for the first
-- ARGV[3]  the commit                            ARGV[4]  command id, "" for none
-- ARGV[5]  fingerprint of the command            ARGV[6]  match
-- ARGV[7]  channel to wake followers             ARGV[8]  "<created>:<match>"
-- ARGV[9]  number of arguments of the new head   ARGV[10] number of arguments to set in the side table
-- ARGV[11] ... field, value of the head; field, value of the side table; fields to delete from the side table
--
-- Returns {"made", version}, {"repeated", version}, {"reused"}, {"conflict", version} or {"broken"}.

local stream, head_key, ids, aside = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local pending, feed, listed = KEYS[5], KEYS[6], KEYS[7]
local listed_as = { open = KEYS[8], running = KEYS[9], finished = KEYS[10], aborted = KEYS[11] }
local expected, prev, commit, id, fingerprint = tonumber(ARGV[1]), ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local match, channel, listing = ARGV[6], ARGV[7], ARGV[8]

local head_ends = 10 + tonumber(ARGV[9])
local set_ends = head_ends + tonumber(ARGV[10])
local head = {}
for i = 11, head_ends, 2 do
  head[ARGV[i]] = ARGV[i + 1]
end

local known = id ~= '' and redis.call('HGET', ids, id)
if known then
  local made, of = known:match('^(%d+):(.*)$')
  if of ~= fingerprint then
    return { 'reused' }
  end
  return { 'repeated', tonumber(made) }
end

local last = redis.call('XREVRANGE', stream, '+', '-', 'COUNT', 1)[1]
local version = last and tonumber(last[1]:match('^%d+')) or 0
if version ~= expected then
  return { 'conflict', version }
end

local old = redis.call('HMGET', head_key, 'hash', 'status', 'visibility')
if (old[1] or '') ~= prev then
  return { 'broken' }
end

version = string.format('%d', expected + 1)
redis.call('XADD', stream, version .. '-0', 'c', commit)
redis.call('HSET', head_key, unpack(ARGV, 11, head_ends))
if id ~= '' then
  redis.call('HSET', ids, id, version .. ':' .. fingerprint)
end

if set_ends > head_ends then
  redis.call('HSET', aside, unpack(ARGV, head_ends + 1, set_ends))
end
if #ARGV > set_ends then
  redis.call('HDEL', aside, unpack(ARGV, set_ends + 1))
end

if head.work == '' then
  redis.call('ZREM', pending, match)
else
  redis.call('ZADD', pending, head.updated, match)
end

local was = old[3] == 'public' and old[2]
local is = head.visibility == 'public' and head.status
if was ~= is then
  if was then
    redis.call('ZREM', listed, listing)
    redis.call('ZREM', listed_as[was], listing)
  end
  if is then
    redis.call('ZADD', listed, 0, listing)
    redis.call('ZADD', listed_as[is], 0, listing)
  end
end

redis.call('XADD', feed, '*', 'm', match .. ':' .. version)
redis.call('PUBLISH', channel, version)
return { 'made', tonumber(version) }
