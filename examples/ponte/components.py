"""The box of Ponte: its pieces and printed numbers (P1-P3)."""

from domain.wire import Named


class Bank(Named):
    """The two banks, and the row of stones that begins at each (P3)."""

    LEFT = 0
    RIGHT = 1


BANKS = tuple(Bank)

HEIGHTS = range(1, 9)
COPIES = 3  # of each height

SEATS = range(2, 5)
MOST_IN_HAND = 5

POINTS_BY_STEPS = {0: 1, 1: 3, 2: 2}  # steps from the last stone; more bring nothing (P7)
KEYSTONE = 2  # points (P9)
