#!lua flags=no-writes,allow-cross-slot-keys
-- Add up the replies of a command for many keys. The keys are arguments, because partitions have
-- different slots in a cluster.
--
-- ARGV[1]      number of keys
-- ARGV[2] ...  the keys; then
--              a command with a key and a numeric reply
--              for each sum, the arguments of the command after the key, separated by spaces
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
