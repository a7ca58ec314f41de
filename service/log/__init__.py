"""The log: one order of all commits, sealed in a Merkle tree that anybody can check.

`tree` is the arithmetic of RFC 6962 over tiles, `entries` what lies at a position, and `checkpoint`
the signed note that says how far the log goes. `sequencer` lets the log grow, `log` reads it from
its files in the archive's place, and `index` finds positions. `proof` checks it without a server,
and `witness` signs the checkpoints of others' logs.
"""
