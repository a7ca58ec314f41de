"""The cloth that an action leaves in each workshop of a player (C26, C30)."""

from domain.calimala.components import CAPACITY, Action, City
from domain.calimala.state import Player


def woven(player: Player) -> tuple[int, ...]:
    """Return the workshops after weaving (C26).

    Each takes one cube while the reserve lasts, the emptiest first.
    """
    cloth = list(player.cloth)
    takers = [place for place, cubes in enumerate(cloth) if cubes < CAPACITY]
    takers.sort(key=cloth.__getitem__)

    for place in takers[: player.reserve]:
        cloth[place] += 1
    return tuple(cloth)


def taken_out(player: Player, count: int) -> tuple[int, ...]:
    """Return the workshops after so many cloth have left, each from the fullest (C30)."""
    cloth = list(player.cloth)
    for _ in range(count):
        fullest = cloth.index(max(cloth))
        cloth[fullest] -= 1
    return tuple(cloth)


def workshops_after(
    player: Player, action: Action, cities: tuple[City, ...] | None
) -> tuple[int, ...] | None:
    """Return the cloth in each workshop after the action, or None if it leaves them alone."""
    if cities is not None:
        return taken_out(player, len(cities))
    if action is Action.WEAVE:
        return woven(player)
    return None
