"""What could I do: the legal moves, payments left out.

The listing of builds is bounded (build_moves.py). Any other build within F19 is accepted all the
same.
"""

from collections.abc import Callable
from itertools import combinations, islice

from domain.firenze.agenda import Step
from domain.firenze.build_moves import builds
from domain.firenze.cards import Card
from domain.firenze.choose import card_price
from domain.firenze.commands import (
    AnswerEvent,
    Build,
    Discard,
    EndTurn,
    Exchange,
    Fulfil,
    PlayPersonnel,
    ResolveEvent,
    Score,
    SetUp,
    TakeCard,
)
from domain.firenze.commissions import is_open, owes_bell_tower
from domain.firenze.components import BELL_TOWER_HEIGHT, COLOURS, ROW_LENGTH, SEAT_NUMBERS, WHITE
from domain.firenze.exchange import exchange_price
from domain.firenze.fulfil import heights_of
from domain.firenze.limits import card_surplus, discardable
from domain.firenze.personnel_moves import personnel
from domain.firenze.state import State
from domain.seats import HOUSE

Move = (
    SetUp
    | TakeCard
    | AnswerEvent
    | ResolveEvent
    | Discard
    | Exchange
    | Build
    | Fulfil
    | PlayPersonnel
    | EndTurn
    | Score
)

# Commands are immutable, and there are few of these: each is made once, by seat and slot.
TAKES = [[TakeCard(seat, slot) for slot in range(ROW_LENGTH)] for seat in SEAT_NUMBERS]
PLAIN_ENDINGS = [EndTurn(seat) for seat in SEAT_NUMBERS]

MOST_DISCARDS = 120


def actors(state: State) -> tuple[int, ...]:
    """Return the seat whose task is next, the house, or nobody once the match is over (F43)."""
    return (state.agenda[-1].seat,) if state.agenda else ()


def legal_moves(state: State, seat: int) -> list[Move]:
    """Return the moves of a seat (or the house), none when it may not act."""
    if not state.agenda or state.agenda[-1].seat != seat:
        return []

    step = state.agenda[-1].step
    if seat == HOUSE:
        return [SetUp() if step is Step.SET_UP else Score()]
    return _MOVES[step](state, seat)


# ---- the steps of a turn ---------------------------------------------------------------------


def _choosing(state: State, seat: int) -> list[Move]:
    return [*takes(state, seat), *personnel(state, seat)]


def takes(state: State, seat: int) -> list[TakeCard]:
    """Return a move for each card that can be paid for (F14)."""
    bricks = sum(state.players[seat].storehouse)
    slots = range(len(state.row))
    return [TAKES[seat][slot] for slot in slots if card_price(state, slot) <= bricks]


def _building(state: State, seat: int) -> list[Move]:
    return [
        *exchanges(state, seat),
        *builds(state, seat),
        *endings(state, seat),
        *personnel(state, seat),
    ]


def exchanges(state: State, seat: int) -> list[Exchange]:
    """Return a move for each brick colour on each card of the row (F18)."""
    player = state.players[seat]
    if state.exchanged or sum(player.storehouse) < exchange_price(player):
        return []
    return [
        Exchange(seat, number, colour)
        for number, slot in enumerate(state.row)
        for colour in COLOURS
        if slot.bricks[colour]
    ]


def _fulfilling(state: State, seat: int) -> list[Move]:
    return [*fulfilments(state, seat), *endings(state, seat), *personnel(state, seat)]


def fulfilments(state: State, seat: int) -> list[Fulfil]:
    """Return a move for each commission that the seat's towers fit (F21, F28, F38)."""
    player = state.players[seat]
    if owes_bell_tower(state, seat):
        return [
            Fulfil(seat, tower.id, campanile=True)
            for tower in player.towers
            if tower.colour is WHITE and tower.height == BELL_TOWER_HEIGHT
        ]

    if not player.seals:
        return []
    return [
        Fulfil(seat, tower.id, tower.colour, height)
        for tower in player.towers
        for height in heights_of(state, tower)
        if is_open(state, tower.colour, height)
    ]


def endings(state: State, seat: int) -> list[EndTurn]:
    """Return the ways to end the turn: one, or one for each choice of cards to discard (F24)."""
    player = state.players[seat]
    due = card_surplus(player)
    if not due:
        return [PLAIN_ENDINGS[seat]]

    choices = islice(combinations(discardable(player), due), MOST_DISCARDS)
    return [EndTurn(seat, cards=cards) for cards in dict.fromkeys(choices)]


# ---- while an event is settled ---------------------------------------------------------------


def _answering(_state: State, seat: int) -> list[Move]:
    return [AnswerEvent(seat, False), AnswerEvent(seat, True)]


def _resolving(state: State, seat: int) -> list[Move]:
    if state.taken is Card.STOREHOUSE_FIRE:
        return [ResolveEvent(seat)]
    return [ResolveEvent(seat, tower=tower.id) for tower in state.players[seat].towers]


def _discarding(_state: State, seat: int) -> list[Move]:
    return [Discard(seat)]


_MOVES: dict[Step, Callable[[State, int], list[Move]]] = {
    Step.CHOOSE: _choosing,
    Step.BUILD: _building,
    Step.FULFIL: _fulfilling,
    Step.ANSWER: _answering,
    Step.RESOLVE: _resolving,
    Step.DISCARD: _discarding,
}
