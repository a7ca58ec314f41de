"""The log: one order of all commits, sealed in a Merkle tree for anybody to check.

`entries` are the contents of its positions. `sequencer` appends to it, `log` reads its files in the
archive's place, `index` finds positions, and `ratings` rates players from it. `witness` signs the
checkpoints of others' logs. `service.record.tlog` checks it without the files.
"""
