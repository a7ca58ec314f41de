"""The pure rules: no I/O, no clock, no global random, standard library only."""
