#!lua flags=no-writes,allow-cross-slot-keys
-- Count all lines that many feeds ever had. Their keys are arguments, because partitions have
-- different slots in a cluster.
--
-- ARGV[1]      number of feeds
-- ARGV[2] ...  the keys of the feeds; the key of the number of trimmed lines follows from each
--              (trim.lua)

local count = 0
for place = 2, 1 + tonumber(ARGV[1]) do
  local gone = ARGV[place]:gsub('feed$', 'trimmed')
  count = count + redis.call('XLEN', ARGV[place]) + tonumber(redis.call('GET', gone) or 0)
end
return count
