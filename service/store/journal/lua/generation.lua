#!lua flags=allow-oom
-- Replace the journal's generation, unless another process has done so meanwhile. Runs on a full
-- server too: the new generation takes the place of the old one.
--
-- KEYS[1]  string, the generation, JSON
-- ARGV[1]  the required old generation, "" for none    ARGV[2]  the new generation
--
-- Returns 1, or 0 for another old generation.

if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then
  return 0
end
redis.call('SET', KEYS[1], ARGV[2])
return 1
