#!lua
-- Add an existing match to the indexes that journals of the first release lack.
--
-- KEYS[1]  string, the head    KEYS[2]  zset, listing    KEYS[3]  zset, idle
-- ARGV[1]  match
--
-- Returns 1, or 0 if the match no longer exists.

local head = redis.call('GET', KEYS[1])
if not head then
  return 0
end

local match = ARGV[1]
local status, visibility, created, updated, game, imported =
  head:match('^%d+|[^|]*|([^|]*)|[^|]*|[^|]*|([^|]*)|(%d+)|(%d+)|([^|]*)|?(%d*)$')
if visibility == 'public' then
  local listed = string.format(':%014d:%s', tonumber(imported) or tonumber(created), match)
  local of_game = '@' .. game .. ':'
  redis.call('ZADD', KEYS[2], 0, of_game .. listed, 0, of_game .. status .. listed)
end
if status == 'open' or status == 'running' then
  redis.call('ZADD', KEYS[3], 'NX', updated, match)
end
return 1
