"""Towers on the construction sites: finding them, and tearing them down (F20)."""

from domain.errors import RuleBroken
from domain.firenze.components import Colour
from domain.firenze.events import TowerTornDown
from domain.firenze.state import Player, State, Tower, find_tower
from domain.game import Draft


def built_colours(player: Player) -> set[Colour]:
    """Return the colours of which the player is building a tower (F25)."""
    return {tower.colour for tower in player.towers}


def own_tower(player: Player, number: int | None, rule: str) -> Tower:
    """Return the player's tower of this number; raises RuleBroken, by that rule, without one."""
    tower = find_tower(player, number)
    if tower is not None:
        return tower

    wrong = "A tower must be named" if number is None else f"Tower {number} is not one of yours"
    raise RuleBroken("no_such_tower", rule, f"{wrong}; you have {towers_in_words(player)}.")


def towers_in_words(player: Player) -> str:
    """Return the towers as people say them: "tower 0 (white, height 3)"."""
    towers = [
        f"tower {tower.id} ({tower.colour.wire}, height {tower.height})" for tower in player.towers
    ]
    return ", ".join(towers) or "no towers"


def tear_down(draft: Draft[State], seat: int, tower: Tower) -> None:
    """Tear a tower down (F20).

    Half the bricks, rounded up, go to the pouch, the rest to the storehouse.
    """
    saved = tower.height // 2
    lost = tower.height - saved
    # Fields in their order: names cost a third more, and playouts tear down many towers.
    draft.emit(TowerTornDown(seat, tower.id, tower.colour, lost, saved))


def tear_down_idle(draft: Draft[State], seat: int) -> None:
    """Tear down the seat's towers that stood when the turn began and were not raised (F20)."""
    standing = draft.state.players[seat].towers[:]
    for tower in standing:
        if tower.idle:
            tear_down(draft, seat, tower)
