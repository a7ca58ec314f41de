"""What changes when Personnel is played."""

from collections.abc import Callable
from typing import Any

from domain.firenze.events import (
    ArchitectHired,
    BrickRemoved,
    BricksTraded,
    BrickSwapped,
    PersonnelPlayed,
    SlotRestocked,
)
from domain.firenze.evolve.piles import move_bricks, tower_of
from domain.firenze.state import Architect, State


def _personnel_played(state: State, event: PersonnelPlayed) -> None:
    state.players[event.seat].cards[event.card] -= 1
    state.discards[event.card] += 1
    state.played.append(event.card)
    state.at_work = event.card


def _brick_swapped(state: State, event: BrickSwapped) -> None:
    storehouse = state.players[event.seat].storehouse
    move_bricks(storehouse, state.pouch, (event.give,))
    move_bricks(state.pouch, storehouse, (event.take,))


def _architect_hired(state: State, event: ArchitectHired) -> None:
    state.architect = Architect(event.tower, event.by)


def _slot_restocked(state: State, event: SlotRestocked) -> None:
    assert event.bricks is not None
    slot = state.row[event.slot]
    move_bricks(slot.bricks, state.pouch, event.gone)
    move_bricks(state.pouch, slot.bricks, event.bricks)


def _brick_removed(state: State, event: BrickRemoved) -> None:
    player = state.players[event.seat]
    tower = tower_of(player, event.tower)
    tower.height -= 1
    state.pouch[event.colour] += 1
    if not tower.height:
        player.towers.remove(tower)


def _bricks_traded(state: State, event: BricksTraded) -> None:
    own = state.players[event.seat].storehouse
    theirs = state.players[event.target].storehouse
    move_bricks(own, theirs, (event.give,))
    move_bricks(theirs, own, (event.take,))


CHANGES: dict[type, Callable[[State, Any], None]] = {
    PersonnelPlayed: _personnel_played,
    BrickSwapped: _brick_swapped,
    ArchitectHired: _architect_hired,
    SlotRestocked: _slot_restocked,
    BrickRemoved: _brick_removed,
    BricksTraded: _bricks_traded,
}
