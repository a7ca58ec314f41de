#!lua flags=no-writes,allow-cross-slot-keys
-- Count the waiting and the parked matches of many partitions.
--
-- ARGV[1]  number of partitions, then the beginnings of their keys, such as "giornale:{p00}"
--
-- claim.lua describes the keys.
--
-- Returns the number of waiting matches without the parked ones, the number of parked matches, and the
-- longest wait (ms).

local waiting, parked = 0, 0
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local oldest = now

for number = 2, tonumber(ARGV[1]) + 1 do
  local root = ARGV[number]
  -- Most often no match waits in a partition, and one command shows that.
  if redis.call('EXISTS', root .. ':pending', root .. ':again') > 0 then
    for _, set in ipairs({ ':pending', ':late' }) do
      waiting = waiting + redis.call('ZCARD', root .. set)
      local first = redis.call('ZRANGE', root .. set, 0, 0, 'WITHSCORES')
      oldest = math.min(oldest, tonumber(first[2] or now))
    end
    parked = parked + redis.call('ZCOUNT', root .. ':again', 'inf', 'inf')
  end
end

return { waiting, parked, now - oldest }
