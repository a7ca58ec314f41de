#!lua
-- Append lines to the order of the log. Only adopt.lua changes decided lines.
--
-- KEYS[1]  list, the decided lines from `base` on, oldest first
-- KEYS[2]  hash, the state of the order:
--          size        number of decided lines
--          base        position in the log of the first line in the list
--          published   size of the checkpoint            checkpoint  the checkpoint, a signed note
--          key         the verifier key of the log       stopped     reason of a standstill
--          cosigned    the newest checkpoint with signatures of witnesses
--          cosigned_size  size of that checkpoint
--          generation  of the journal when the last lines were decided
--          cursor:<n>  "<id> <match>:<version> ", the last sequenced line of partition n's feed; with
--                      "?" at the end if later lines may be in the log already
--
-- ARGV[1]  size that the order must have   ARGV[2]  number of lines   ARGV[3]  number of cursors
-- ARGV[4] ...  the lines; then field and expected value of each cursor, "" for none; then field,
--              value, field, value and so on, to set in the state
--
-- The cursors are compared, too: an order that has gone back may have grown to ARGV[1] again, with
-- other lines.
--
-- Returns 1, or 0 if the order has another size or other cursors.

local size = tonumber(redis.call('HGET', KEYS[2], 'size') or 0)
if size ~= tonumber(ARGV[1]) then
  return 0
end

local lines_end = 3 + tonumber(ARGV[2])
local seen_end = lines_end + 2 * tonumber(ARGV[3])
for place = lines_end + 1, seen_end, 2 do
  if (redis.call('HGET', KEYS[2], ARGV[place]) or '') ~= ARGV[place + 1] then
    return 0
  end
end

for start = 4, lines_end, 1000 do
  redis.call('RPUSH', KEYS[1], unpack(ARGV, start, math.min(start + 999, lines_end)))
end
for start = seen_end + 1, #ARGV, 1000 do
  redis.call('HSET', KEYS[2], unpack(ARGV, start, math.min(start + 999, #ARGV)))
end
redis.call('HSET', KEYS[2], 'size', string.format('%d', size + tonumber(ARGV[2])))
return 1
