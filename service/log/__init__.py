"""The log: one order of all commits, sealed in a Merkle tree that anybody can check.

`tree` is the arithmetic of RFC 6962 over tiles, `checkpoint` the signed word how far the log goes,
`log` what lies of it in the archive's place and how that is read, and `sequencer` how it grows.
"""
