#!lua
-- Note a beat of the scheduler, and a gap if the last beat was long ago. A server that is full or
-- lacks its replicas refuses this as it refuses commits: no beat is noted while nobody can move.
--
-- If this server's clock was set back by more than ARGV[2] since the last beat, nothing is noted
-- until the caller has woken the timers (wake.lua). Then gaps end now at the latest: a gap in the
-- future would stop every clock.
--
-- KEYS[1]  hash: "last", time of the last beat (ms of this server's clock); "gaps", one
--          "<start>-<end>," after the other; "set_backs", number of set-backs of the clock;
--          "ahead_until", time of the last beat before the last set-back
-- ARGV[1]  the time by the caller's clock (ms)
-- ARGV[2]  a longer time between two beats is a gap (ms); if the two clocks differ by more, nothing
--          is noted
-- ARGV[3]  limit of the stored gaps in bytes
-- ARGV[4]  "1" if the timers were woken
--
-- Returns the time (ms), the gaps, and the size of a set-back of the clock (ms), 0 for none.

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local last = redis.call('HGET', KEYS[1], 'last')
local gaps = redis.call('HGET', KEYS[1], 'gaps') or ''

local longest = tonumber(ARGV[2])
if math.abs(now - tonumber(ARGV[1])) > longest then
  return { now, gaps, 0 }
end

local set_back = last and tonumber(last) - now or 0
if set_back > longest then
  if ARGV[4] ~= '1' then
    return { now, gaps, set_back }
  end
  gaps = gaps:gsub('(%d+)-(%d+),', function(first, final)
    if tonumber(first) >= now then
      return ''
    end
    return string.format('%s-%d,', first, math.min(tonumber(final), now))
  end)
  local before = tonumber(redis.call('HGET', KEYS[1], 'set_backs') or 0)
  local set_backs = string.format('%d', before + 1)
  redis.call('HSET', KEYS[1], 'gaps', gaps, 'ahead_until', last, 'set_backs', set_backs)
else
  set_back = 0
end

if last and now - tonumber(last) > longest then
  gaps = gaps .. string.format('%s-%d,', last, now)
  while #gaps > tonumber(ARGV[3]) do
    gaps = gaps:match(',(.*)')
  end
  redis.call('HSET', KEYS[1], 'gaps', gaps)
end
redis.call('HSET', KEYS[1], 'last', string.format('%d', now))
return { now, gaps, set_back }
