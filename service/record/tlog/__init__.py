"""The log of all commits, without its files.

`tree` is the arithmetic of RFC 6962 over tiles. `checkpoint` is the signed note of the log's length
and root. `proof` checks an entry against a checkpoint without a server.
"""
