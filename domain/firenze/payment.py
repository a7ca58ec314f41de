"""Bricks that somebody gives up: as named, the rest by the automatic rule (F25)."""

from collections.abc import Collection, Iterable, Sequence
from operator import mul

from domain.errors import RuleBroken
from domain.firenze.components import COLOURS, Bricks, Colour

_ONE_BRICK = tuple((colour,) for colour in COLOURS)


def automatic(count: int, pool: Sequence[int], building: Collection[int]) -> Bricks:
    """Return so many bricks of the pool, or all, as F25 chooses them.

    Colours of which no tower is being built come first, then the others; within each group, the
    cheapest first.
    """
    if not count:
        return ()

    chosen: list[Colour] = []
    for built in (False, True):
        for colour in COLOURS:
            if pool[colour] and (colour in building) is built:
                chosen += [colour] * min(pool[colour], count - len(chosen))
                if len(chosen) == count:
                    return tuple(chosen)
    return tuple(chosen)


def complete(
    named: Bricks | None, count: int, pool: Sequence[int], building: Collection[int], rule: str
) -> Bricks:
    """Return so many bricks of the pool: those named, filled up by F25.

    building: the colours of which the player is building a tower. rule: the number of the rule that
    asks for the bricks.
    Raises RuleBroken when more are named than are due, or bricks that are not in the pool.
    """
    if not named:
        return automatic(count, pool, building)

    if len(named) > count:
        may = f"at most {count} of {in_words(pool)}" if count else "none"
        detail = f"You name {counted(len(named))}; you may name {may} here."
        raise RuleBroken("too_many_bricks", rule, detail)

    left = list(pool)
    for colour in named:
        left[colour] -= 1
        if left[colour] < 0:
            may = f"up to {count} of {in_words(pool)}"
            detail = f"You name more {colour.wire} than you can give; you may name {may}."
            raise RuleBroken("no_such_brick", rule, detail)

    return named + automatic(count - len(named), left, building)


def in_words(pool: Sequence[int]) -> str:
    """Return the bricks as people say them: "2 white, 1 red"."""
    heaps = [f"{pool[colour]} {colour.wire}" for colour in COLOURS if pool[colour]]
    return ", ".join(heaps) or "no bricks"


def counted(count: int) -> str:
    """Return a number of bricks as people say it: "no bricks", "1 brick", "2 bricks"."""
    if count == 1:
        return "1 brick"
    return f"{count or 'no'} bricks"


def listed(pool: Sequence[int]) -> Bricks:
    """Return a pile of bricks as a list of colours, cheapest first.

    Tuples are multiplied and added, which is faster than a loop: every card that is taken asks for
    this.
    """
    heaps: Iterable[Bricks] = map(mul, _ONE_BRICK, pool)
    white, yellow, green, red, blue, purple = heaps
    return white + yellow + green + red + blue + purple
