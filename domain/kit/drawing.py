"""What games draw at random, from the draws of `domain.chance`."""

from collections.abc import Sequence
from typing import TypeVar

from domain.chance import Chance, pick

Item = TypeVar("Item")


def one_of(chance: Chance, items: Sequence[Item]) -> Item:
    """Return one of the items (one at least), each as likely as the others; takes one draw."""
    return items[chance.below(len(items))]


def take_from(chance: Chance, pile: list[int]) -> int:
    """Take one thing at random out of a pile, which changes, and return its kind; takes one draw.

    pile: how many there are of each kind, by its number; not all zero.
    """
    kind = pick(chance, pile)
    pile[kind] -= 1
    return kind
