"""What changes in the row, and where a taken card goes."""

from collections.abc import Callable
from typing import Any

from domain.firenze.agenda import Step, Task
from domain.firenze.cards import CARDS
from domain.firenze.components import NO_BRICKS, SEAT_NUMBERS
from domain.firenze.events import (
    BricksExchanged,
    CardKept,
    CardSpent,
    CardTaken,
    ChurchOpened,
    DeckShuffled,
    RowRefilled,
    RowShortened,
)
from domain.firenze.evolve.piles import deal_slot, move_bricks
from domain.firenze.state import State

# The second task of each seat's turn, made once.
_BUILD = [Task(Step.BUILD, seat) for seat in SEAT_NUMBERS]


def _card_taken(state: State, event: CardTaken) -> None:
    storehouse = state.players[event.seat].storehouse
    for slot, colour in enumerate(event.payment):
        storehouse[colour] -= 1
        state.row[slot].bricks[colour] += 1

    taken = state.row.pop(event.slot)
    state.taken = taken.card
    state.taken_bricks = taken.bricks
    state.at_work = taken.card
    for colour in event.bricks:
        storehouse[colour] += 1


def _card_kept(state: State, event: CardKept) -> None:
    state.players[event.seat].cards[event.card] += 1
    state.taken = None


def _church_opened(state: State, event: ChurchOpened) -> None:
    state.church.append(event.card)
    state.taken = None


def _card_spent(state: State, event: CardSpent) -> None:
    state.discards[event.card] += 1
    state.taken = None
    state.dues = ()
    # What the event asked is settled; the task of choosing stays until the row is refilled.
    del state.agenda[1:]


def _deck_shuffled(state: State, _event: DeckShuffled) -> None:
    for card in CARDS:
        state.deck[card] += state.start[card] + state.discards[card]
        state.start[card] = 0
        state.discards[card] = 0


def _row_refilled(state: State, event: RowRefilled) -> None:
    assert event.card is not None
    assert event.bricks is not None
    deal_slot(state, event.card, event.bricks)
    _go_on_to_build(state)


def _row_shortened(state: State, _event: RowShortened) -> None:
    _go_on_to_build(state)


def _go_on_to_build(state: State) -> None:
    state.taken_bricks = [*NO_BRICKS]
    state.at_work = None
    state.agenda[-1] = _BUILD[state.active]


def _bricks_exchanged(state: State, event: BricksExchanged) -> None:
    storehouse = state.players[event.seat].storehouse
    offered = state.row[event.slot].bricks
    move_bricks(offered, storehouse, (event.take,))
    move_bricks(storehouse, offered, event.give)
    state.exchanged = True


CHANGES: dict[type, Callable[[State, Any], None]] = {
    CardTaken: _card_taken,
    CardKept: _card_kept,
    ChurchOpened: _church_opened,
    CardSpent: _card_spent,
    DeckShuffled: _deck_shuffled,
    RowRefilled: _row_refilled,
    RowShortened: _row_shortened,
    BricksExchanged: _bricks_exchanged,
}
