"""Who acts: seats are numbered from 0, and the house acts for what no player decides."""

HOUSE = -1
