"""The event store: one stream of commits a match.

`ports` declares the eight ports, a file each. `memory` and `redis` implement them in files of the
same names. `values` and `errors` define the values and errors of the ports. `keys`, `encoding` and
the scripts in `lua/` define the form of the data in Redis.
"""
