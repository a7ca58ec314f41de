"""Finished matches, packed and kept outside the journal's stream.

`archive` moves matches out and back, `packing` says how a packed match is written, `places` where
it lies, and `journal` reads archived matches as if they had never left.
"""
