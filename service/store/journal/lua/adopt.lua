#!lua
-- Replace the order of the log by the order in the log's files.
--
-- KEYS     as in decide.lua
-- ARGV[1]  size that the order must have    ARGV[2]  size that its checkpoint must have
-- ARGV[3]  number of lines
-- ARGV[4] ...  the lines; then field, value, field, value and so on: the new state
--
-- Returns 1, or 0 if the order or its checkpoint has another size.

local size = tonumber(redis.call('HGET', KEYS[2], 'size') or 0)
local published = tonumber(redis.call('HGET', KEYS[2], 'published') or 0)
if size ~= tonumber(ARGV[1]) or published ~= tonumber(ARGV[2]) then
  return 0
end

redis.call('UNLINK', KEYS[1], KEYS[2])
local lines_end = 3 + tonumber(ARGV[3])
for start = 4, lines_end, 1000 do
  redis.call('RPUSH', KEYS[1], unpack(ARGV, start, math.min(start + 999, lines_end)))
end
for start = lines_end + 1, #ARGV, 1000 do
  redis.call('HSET', KEYS[2], unpack(ARGV, start, math.min(start + 999, #ARGV)))
end
return 1
