#!lua flags=allow-oom
-- Publish a checkpoint of the log, and remove the lines of its full bundles (files of 256 lines).
-- Runs on a full server too, since it frees memory.
--
-- KEYS     as in decide.lua
-- ARGV[1]  size of the checkpoint before             ARGV[2]  size of the new checkpoint
-- ARGV[3]  position of the first line to keep        ARGV[4]  the verifier key
-- ARGV[5]  the checkpoint                            ARGV[6]  channel to notify followers
-- ARGV[7]  SHA-1 of the lines between the two sizes, each with "\n" after it
--
-- Returns 1, or 0 if the checkpoint before, the key or the lines differ. The lines are compared
-- because an order that has gone back may have grown to these sizes again.

local published = tonumber(redis.call('HGET', KEYS[2], 'published') or 0)
local size = tonumber(redis.call('HGET', KEYS[2], 'size') or 0)
local key = redis.call('HGET', KEYS[2], 'key')
if published ~= tonumber(ARGV[1]) or size < tonumber(ARGV[2]) or (key and key ~= ARGV[4]) then
  return 0
end

local base = tonumber(redis.call('HGET', KEYS[2], 'base') or 0)
local lines = redis.call('LRANGE', KEYS[1], published - base, tonumber(ARGV[2]) - base - 1)
lines[#lines + 1] = ''
if redis.sha1hex(table.concat(lines, '\n')) ~= ARGV[7] then
  return 0
end

local more = tonumber(ARGV[3]) - base
if more > 0 then
  redis.call('LTRIM', KEYS[1], more, -1)
  base = base + more
end
redis.call('HSET', KEYS[2], 'published', ARGV[2], 'base', string.format('%d', base),
  'key', ARGV[4], 'checkpoint', ARGV[5])
-- As in append.lua.
local publish = ARGV[6]:sub(1, 10) == 'giornale:{' and 'SPUBLISH' or 'PUBLISH'
redis.call(publish, ARGV[6], ARGV[2])
return 1
