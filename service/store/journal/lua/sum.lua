#!lua flags=no-writes,allow-cross-slot-keys
-- Add up what a command answers for many keys. They are arguments, because keys of several
-- partitions lie in several slots of a cluster.
--
-- ARGV[1]      number of keys
-- ARGV[2] ...  the keys; then
--              a command that takes a key and answers a number
--              what the command takes after the key, with a space between two: a sum for each
--
-- Returns the sums, in the order of the last arguments.

local keys_end = 1 + tonumber(ARGV[1])
local command = ARGV[keys_end + 1]

local sums = {}
for number = keys_end + 2, #ARGV do
  local more = {}
  for argument in ARGV[number]:gmatch('%S+') do
    more[#more + 1] = argument
  end

  local sum = 0
  for place = 2, keys_end do
    sum = sum + redis.call(command, ARGV[place], unpack(more))
  end
  sums[#sums + 1] = sum
end
return sums
