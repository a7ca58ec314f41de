#!lua
-- Put commits, command ids and thoughts of an archived match back in place of its marker.
--
-- KEYS     as in archive.lua
--
-- ARGV[1]  match                ARGV[2]  its required marker
-- ARGV[3]  number of commits    ARGV[4]  thoughts of bots, "" for none
-- ARGV[5]  ... the commits; then command id, "<version>:<fingerprint>"
--
-- Returns 1, or 0 if the match has another marker or none.

if redis.call('HGET', KEYS[5], ARGV[1]) ~= ARGV[2] then
  return 0
end

local commits_end = 4 + tonumber(ARGV[3])
for place = 5, commits_end do
  redis.call('XADD', KEYS[1], string.format('%d-0', place - 4), 'c', ARGV[place])
end
for place = commits_end + 1, #ARGV, 2 do
  redis.call('HSET', KEYS[3], ARGV[place], ARGV[place + 1])
end
if ARGV[4] ~= '' then
  redis.call('SET', KEYS[7], ARGV[4])
end
redis.call('HDEL', KEYS[5], ARGV[1])
return 1
