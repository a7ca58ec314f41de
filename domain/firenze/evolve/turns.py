"""What changes when the table is laid, a turn begins, and the match ends."""

from collections.abc import Callable
from typing import Any

from domain.firenze.agenda import Step, Task
from domain.firenze.components import NEUTRAL, SEAT_NUMBERS, commission_index
from domain.firenze.events import FinalScored, PlayEnded, TableLaid, TurnBegan
from domain.firenze.evolve.piles import deal_slot
from domain.firenze.state import State
from domain.seats import HOUSE

# The first task of each seat's turn, made once.
_CHOOSE = [Task(Step.CHOOSE, seat) for seat in SEAT_NUMBERS]


def _table_laid(state: State, event: TableLaid) -> None:
    assert event.balconies is not None
    assert event.neutral is not None
    assert event.row is not None

    for balcony in event.balconies:
        commission = commission_index(balcony.colour, balcony.height)
        state.balconies.append(commission)
        state.worth[commission] = balcony.points

    for covered in event.neutral:
        commission = commission_index(covered.colour, covered.height)
        state.seals[commission] = NEUTRAL

    for dealt in event.row:
        deal_slot(state, dealt.card, dealt.bricks)


def _turn_began(state: State, event: TurnBegan) -> None:
    state.turn = event.turn
    state.active = event.seat
    state.exchanged = False
    state.played.clear()
    state.at_work = None
    state.architect = None

    player = state.players[event.seat]
    for tower in player.towers:
        tower.idle = True

    state.agenda[:] = (_CHOOSE[event.seat],)


def _play_ended(state: State, _event: PlayEnded) -> None:
    state.agenda[:] = (Task(Step.SCORE, HOUSE),)


def _final_scored(state: State, event: FinalScored) -> None:
    for player, points in zip(state.players, event.points, strict=True):
        player.points = points
    state.ranks = event.ranks
    state.agenda.clear()


CHANGES: dict[type, Callable[[State, Any], None]] = {
    TableLaid: _table_laid,
    TurnBegan: _turn_began,
    PlayEnded: _play_ended,
    FinalScored: _final_scored,
}
