#!lua flags=allow-oom,allow-cross-slot-keys
-- Make future timers of many partitions due now: they may have been set by a clock that was ahead.
-- The handler of each timer then sets it again by the right time. Runs on a full server too: a timer
-- only changes its time.
--
-- ARGV[1]  number of partitions, then the beginnings of their keys, such as "giornale:{p00}"; then
--   1  limit of changed timers
--
-- Returns the number of changed timers.

local partitions = tonumber(ARGV[1])
local left = tonumber(ARGV[partitions + 2])
local woken = 0

local time = redis.call('TIME')
local now = string.format('%d', time[1] * 1000 + math.floor(time[2] / 1000))

for number = 2, partitions + 1 do
  if woken < left then
    local timers = ARGV[number] .. ':timers'
    local later = redis.call('ZRANGE', timers, '(' .. now, '+inf', 'BYSCORE', 'LIMIT', 0, left - woken)
    for _, member in ipairs(later) do
      redis.call('ZADD', timers, now, member)
    end
    woken = woken + #later
  end
end

return woken
