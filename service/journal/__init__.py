"""The event store: one stream of commits a match.

`port` says what a journal does, `values` and `errors` what goes in and comes out. `redis` and
`memory` implement it; `keys`, `encoding` and the scripts in `lua/` say what lies in Redis.
"""
