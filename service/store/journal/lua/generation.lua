#!lua flags=allow-oom
-- Write the journal's generation, unless another process has written it meanwhile. Also done on a full
-- server: it takes the place of what was there.
--
-- KEYS[1]  string, the generation, JSON
-- ARGV[1]  what it must still hold, "" for nothing    ARGV[2]  the new generation
--
-- Returns 1, or 0 if it holds something else.

if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then
  return 0
end
redis.call('SET', KEYS[1], ARGV[2])
return 1
