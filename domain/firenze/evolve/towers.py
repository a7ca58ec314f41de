"""What changes when towers are built and delivered, and when the limits take something."""

from collections.abc import Callable
from typing import Any

from domain.firenze.agenda import Step, Task
from domain.firenze.cards import CAMPANILE
from domain.firenze.components import FIRST_LEVEL, SEAT_NUMBERS, WHITE, commission_index
from domain.firenze.events import (
    BellTowerDelivered,
    BricksDiscarded,
    Built,
    CardDiscarded,
    ChurchClosed,
    CommissionFulfilled,
    EndTileTaken,
    TowerTornDown,
)
from domain.firenze.evolve.piles import move_bricks, remove_tower
from domain.firenze.state import State, Tower, find_tower

# The last task of each seat's turn, made once.
_FULFIL = [Task(Step.FULFIL, seat) for seat in SEAT_NUMBERS]


def _built(state: State, event: Built) -> None:
    player = state.players[event.seat]

    for laid in event.laid:
        player.storehouse[laid.colour] -= laid.bricks
        tower = find_tower(player, laid.tower)
        if tower is None:
            begun = Tower(laid.tower, laid.colour, laid.bricks, False)
            player.towers.append(begun)
            player.next_tower = begun.id + 1
        else:
            tower.height += laid.bricks
            tower.idle = False

    move_bricks(player.storehouse, state.pouch, event.payment)
    state.agenda[-1] = _FULFIL[event.seat]


def _tower_torn_down(state: State, event: TowerTornDown) -> None:
    player = state.players[event.seat]
    remove_tower(player, event.tower)
    state.pouch[event.colour] += event.lost
    player.storehouse[event.colour] += event.saved


def _commission_fulfilled(state: State, event: CommissionFulfilled) -> None:
    player = state.players[event.seat]
    remove_tower(player, event.tower)
    state.pouch[event.colour] += event.bricks

    commission = commission_index(event.colour, event.height)
    state.seals[commission] = event.seat
    player.seals -= 1
    player.points += event.points + event.level + event.privilege

    if commission in state.balconies:
        state.next_balcony += 1
    _take_level_tile(state, event.seat, event.height)
    if event.architect:
        state.architect = None


def _take_level_tile(state: State, seat: int, height: int) -> None:
    """The first to fulfil a commission of this height has its tile from then on (F23)."""
    if height < FIRST_LEVEL:
        return
    level = height - FIRST_LEVEL
    if state.levels[level] < 0:
        state.levels[level] = seat


def _bell_tower_delivered(state: State, event: BellTowerDelivered) -> None:
    player = state.players[event.seat]
    tower = remove_tower(player, event.tower)
    state.pouch[WHITE] += tower.height
    player.bell_tower = True


def _church_closed(state: State, event: ChurchClosed) -> None:
    state.church.remove(event.card)
    state.discards[event.card] += 1
    if event.card is CAMPANILE:
        for player in state.players:
            player.bell_tower = False


def _end_tile_taken(state: State, event: EndTileTaken) -> None:
    state.end_seat = event.seat
    state.players[event.seat].points += event.points


def _bricks_discarded(state: State, event: BricksDiscarded) -> None:
    move_bricks(state.players[event.seat].storehouse, state.pouch, event.bricks)


def _card_discarded(state: State, event: CardDiscarded) -> None:
    state.players[event.seat].cards[event.card] -= 1
    state.discards[event.card] += 1
    state.at_work = None


CHANGES: dict[type, Callable[[State, Any], None]] = {
    Built: _built,
    TowerTornDown: _tower_torn_down,
    CommissionFulfilled: _commission_fulfilled,
    BellTowerDelivered: _bell_tower_delivered,
    ChurchClosed: _church_closed,
    EndTileTaken: _end_tile_taken,
    BricksDiscarded: _bricks_discarded,
    CardDiscarded: _card_discarded,
}
