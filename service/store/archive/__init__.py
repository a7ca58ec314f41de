"""Final matches, packed and stored outside the journal's stream.

`archive` moves matches out and back, `packing` defines the format of a packed match, `places`
stores files, and `journal` reads archived matches like stored ones.
"""
