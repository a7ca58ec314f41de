"""The builds that are listed: a bounded choice of those within F19.

At most one new tower a colour is begun. The builds that keep the most towers come first, and among
these the ones of the fewest bricks.
"""

from collections.abc import Iterator
from itertools import combinations, islice

from domain.firenze.build import most_laid
from domain.firenze.commands import Build, Lay
from domain.firenze.components import COLOURS
from domain.firenze.state import State, Tower

MOST_BUILDS = 120

_NEW = -1  # in place of the number of a tower that is still to be begun


def builds(state: State, seat: int) -> list[Build]:
    """Return builds of the seat (F19), building nothing among them."""
    plans = _builds(state, seat)
    listed = list(islice(plans, MOST_BUILDS))

    # Building nothing is always there, however many others there are.
    nothing = Build(seat)
    if nothing not in listed:
        listed.append(nothing)
    return listed


def _builds(state: State, seat: int) -> Iterator[Build]:
    player = state.players[seat]
    most = most_laid(state, seat)
    begun = [Tower(_NEW, colour, 0, False) for colour in COLOURS if player.storehouse[colour]]

    for targets, bricks in _targets(player.towers, begun, most):
        for plan in _spread(targets, player.storehouse[:], bricks):
            yield Build(seat, _lay(targets, plan))


def _targets(
    towers: list[Tower], begun: list[Tower], most: int
) -> Iterator[tuple[list[Tower], int]]:
    """Yield the towers to be raised or begun, and how many bricks to lay onto them.

    First come those that keep the most towers; among these, those of the fewest bricks.
    """
    for kept in range(min(len(towers), most), -1, -1):
        for bricks in range(kept, most + 1):
            for chosen in combinations(towers, kept):
                yield [*chosen, *begun], bricks


def _spread(targets: list[Tower], left: list[int], bricks: int) -> Iterator[tuple[int, ...]]:
    """Yield every way to lay exactly so many bricks onto the towers: the bricks of each.

    At least one is laid onto each tower that stands.
    left: the bricks in store by colour; it changes while the ways are gone through.
    """
    if not targets:
        if not bricks:
            yield ()
        return

    colours = {tower.colour for tower in targets}
    if sum([left[colour] for colour in colours]) < bricks:
        return

    first = targets[0]
    rest = targets[1:]
    least = 0 if first.id == _NEW else 1
    for count in range(min(bricks, left[first.colour]), least - 1, -1):
        left[first.colour] -= count
        for others in _spread(rest, left, bricks - count):
            yield (count, *others)
        left[first.colour] += count


def _lay(targets: list[Tower], plan: tuple[int, ...]) -> tuple[Lay, ...]:
    """Return the entries of a build that lays so many bricks onto each tower."""
    entries = []
    for tower, bricks in zip(targets, plan, strict=True):
        if bricks:
            number = None if tower.id == _NEW else tower.id
            entries.append(Lay(tower.colour, bricks, number))
    return tuple(entries)
