"""Finished matches, packed and kept outside the journal's stream.

`rows` says what is left out of a packed match, `packed` how it is written, `dictionaries` by what
it is compressed, `places` where it lies. `journal` reads archived matches as if they had never
left; `leaving` lets matches leave the stream and come back.
"""
