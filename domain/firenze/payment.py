"""Bricks that somebody gives up: as named, the rest by the automatic rule (F25)."""

from collections.abc import Collection, Iterator, Sequence
from operator import mul

from domain.errors import RuleBroken
from domain.firenze.components import COLOURS, Bricks, Colour


def automatic(count: int, pool: Sequence[int], building: Collection[int]) -> Bricks:
    """Colours of which no tower is being built first, then the others; within each, cheapest first (F25)."""
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
    """Return the named bricks, filled up to the count by F25; refuses more than are due and bricks not in the pool."""
    if not named:
        return automatic(count, pool, building)
    if len(named) > count:
        may = f"at most {count} of {in_words(pool)}" if count else "none"
        raise RuleBroken(
            "too_many_bricks", rule, f"You name {counted(len(named))}; you may name {may} here."
        )
    left = list(pool)
    for colour in named:
        left[colour] -= 1
        if left[colour] < 0:
            detail = f"You name more {colour.wire} than you can give; you may name up to {count} of {in_words(pool)}."
            raise RuleBroken("no_such_brick", rule, detail)
    return named + automatic(count - len(named), left, building)


def in_words(pool: Sequence[int]) -> str:
    """Return the bricks as people say them: "2 white, 1 red"."""
    return ", ".join(f"{pool[c]} {c.wire}" for c in COLOURS if pool[c]) or "no bricks"


def counted(count: int) -> str:
    """Return a number of bricks as people say it: "no bricks", "1 brick", "2 bricks"."""
    return f"{count or 'no'} brick{'' if count == 1 else 's'}"


def listed(pool: Sequence[int]) -> Bricks:
    """Return a pile of bricks as a list of colours, cheapest first."""
    piles: Iterator[Bricks] = map(mul, _SINGLE, pool)
    white, yellow, green, red, blue, purple = piles
    return white + yellow + green + red + blue + purple


_SINGLE = tuple((colour,) for colour in COLOURS)
