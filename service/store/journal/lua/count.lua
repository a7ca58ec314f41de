#!lua flags=no-writes,allow-cross-slot-keys
-- Count the lines that many feeds ever had. Their keys are arguments, because those of several
-- partitions lie in several slots of a cluster.
--
-- ARGV[1]      number of feeds
-- ARGV[2] ...  their keys; how many lines have gone stands beside each (trim.lua)

local count = 0
for place = 2, 1 + tonumber(ARGV[1]) do
  local gone = ARGV[place]:gsub('feed$', 'trimmed')
  count = count + redis.call('XLEN', ARGV[place]) + tonumber(redis.call('GET', gone) or 0)
end
return count
