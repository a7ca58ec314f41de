"""The pure rules, with the standard library only: no clock, and no global random.

The only I/O is reading the tables beside the code.
"""
