#!lua
-- Store a published checkpoint with signatures of witnesses.
--
-- KEYS     as in decide.lua
-- ARGV[1]  size of the checkpoint    ARGV[2]  the checkpoint
--
-- Returns 1, or 0 if a larger cosigned checkpoint is stored, or if ARGV[1] exceeds the published
-- size.

local size = tonumber(ARGV[1])
local published = tonumber(redis.call('HGET', KEYS[2], 'published') or 0)
local kept = tonumber(redis.call('HGET', KEYS[2], 'cosigned_size') or 0)
if size < kept or size > published then
  return 0
end

redis.call('HSET', KEYS[2], 'cosigned', ARGV[2], 'cosigned_size', ARGV[1])
return 1
