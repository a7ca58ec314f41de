#!lua
-- Note that timers are seen to now, and if nobody has for long, note that gap. Refused where commits
-- are refused as well: while a server is full, or lacks its replicas, nobody can move.
--
-- KEYS[1]  hash: "last", when timers were last seen to (ms of this server's clock); "gaps", one
--          "<start>-<end>," after the other
-- ARGV[1]  the time by the caller's clock (ms)
-- ARGV[2]  a longer time between two beats is a gap (ms); while the two clocks differ by more than
--          that, nothing is noted
-- ARGV[3]  how many bytes of gaps to keep
--
-- Returns the time (ms) and the gaps.

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local last = redis.call('HGET', KEYS[1], 'last')
local gaps = redis.call('HGET', KEYS[1], 'gaps') or ''

local longest = tonumber(ARGV[2])
if math.abs(now - tonumber(ARGV[1])) > longest then
  return { now, gaps }
end
if last and now - tonumber(last) > longest then
  gaps = gaps .. string.format('%s-%d,', last, now)
  while #gaps > tonumber(ARGV[3]) do
    gaps = gaps:match(',(.*)')
  end
  redis.call('HSET', KEYS[1], 'gaps', gaps)
end
redis.call('HSET', KEYS[1], 'last', string.format('%d', now))
return { now, gaps }
