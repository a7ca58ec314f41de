"""Final matches, packed and stored outside the journal's stream.

`archive` moves matches out and back, `packing` is the format of a packed match, `places` are stores
of files, and `journal` reads archived matches like stored ones.
"""
