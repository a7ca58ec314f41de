"""The log: one order of all commits, sealed in a Merkle tree for anybody to check.

`entries` defines its entries. `sequencer` appends them, and `log` reads them from files in the
archive's place. `index` finds positions, and `ratings` rates players. `witness` signs checkpoints
of other services' logs. `service.record.tlog` checks a log without its files.
"""
