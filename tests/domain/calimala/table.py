"""Tables of Calimala for tests, and commands at them.

Tests begin with the layout of the first game, nothing in anybody's hand, seat 0 to place.
"""

from collections.abc import Sequence
from operator import add
from random import Random
from typing import Any

import pytest

from domain import wire
from domain.calimala import GAME
from domain.calimala.agenda import Activation, Turn
from domain.calimala.components import (
    ACTIONS,
    CAPACITY,
    DRAFTED,
    FIRST_GAME,
    TILES,
    Action,
    Category,
    Street,
)
from domain.calimala.events import BoardLaidOut, DraftEnded, ScoringCardKept, ScoringCardsDealt
from domain.calimala.setup import initial
from domain.calimala.state import State, one_more
from domain.chance import Draws
from domain.errors import RuleBroken
from domain.game import Draft, Message, Setup, fold
from tests.domain import refusals

# The grid is brick artwork ship / wood contribute build / marble weave transport.
BRICK_ARTWORK = Street.S01
ARTWORK_SHIP = Street.S12
SHIP_BUILD = Street.S25
WOOD_CONTRIBUTE = Street.S34
BRICK_WOOD = Street.S03
MARBLE_WEAVE = Street.S67
WEAVE_TRANSPORT = Street.S78
BUILD_TRANSPORT = Street.S58
WHITE = -1


# ---- states --------------------------------------------------------------------------------------


def fresh(seats: int, layout: str = "random") -> State:
    """Return a match before the house has set it up."""
    return initial(Setup(seats, {"edition": "english", "layout": layout}))


def table(seats: int = 3, edition: str = "english") -> State:
    """Return a match after its draft: seat 0 is to place.

    Seat i kept the scoring card of city i. The open card is Palazzo Vecchio, or none at five seats.
    """
    options = {"edition": edition, "layout": "first_game"}
    state = initial(Setup(seats, options))
    face_up = Category.PALAZZO_VECCHIO if seats < 5 else None
    cards = [Category(seat) for seat in range(seats)]

    events: list[Message] = [
        BoardLaidOut(FIRST_GAME, TILES, face_up),
        *[ScoringCardsDealt(seat, (card,)) for seat, card in enumerate(cards)],
        *[ScoringCardKept(seat, card) for seat, card in enumerate(cards)],
        DraftEnded(DRAFTED),
    ]
    fold(GAME, state, events)
    state.agenda = [Turn(0)]
    return state


def activate(
    state: State, seat: int, street: Street, *, times: int = 1, duty: bool = False
) -> None:
    """Put an activation of the street by the seat on top of the agenda."""
    activation = Activation(seat, street, [times, times], duty)
    state.agenda.append(activation)


def give(state: State, seat: int, **goods: int) -> None:
    """Move cubes from the seat's reserve to its warehouses, and to its workshops as `cloth`."""
    player = state.players[seat]
    for name, count in goods.items():
        player.reserve -= count
        if name != "cloth":
            player.stock[Action[name.upper()]] += count
            continue
        for number in range(count):
            workshop = number % len(player.cloth)
            player.cloth = one_more(player.cloth, workshop)


def deal(state: State, seat: int, *cards: Action) -> None:
    """Move cards from the deck to the seat's hand."""
    for card in cards:
        state.deck[card] -= 1
        state.players[seat].hand[card] += 1


def table_with_hands() -> State:
    """Return a table of four with two, one and three cards in the first three hands."""
    state = table(4)
    deal(state, 0, Action.WOOD, Action.WOOD)
    deal(state, 1, Action.SHIP)
    deal(state, 2, Action.WEAVE, Action.BUILD, Action.BUILD)
    return state


def stack_deck(state: State, *cards: Action) -> None:
    """Leave only these cards in the deck, all of one kind for the draw to be certain.

    The rest goes out of play.
    """
    state.deck = [cards.count(action) for action in ACTIONS]


def deliver(state: State, city: int, *counts: int) -> None:
    """Put cloth of each seat into a city."""
    before = state.cloth[city]
    more = [*counts, *[0] * (len(before) - len(counts))]
    state.cloth[city] = tuple(map(add, before, more))
    for seat, count in enumerate(counts):
        state.city_room[city] -= count
        state.players[seat].reserve -= count


RESERVES = (0, 0, 1, 1, 2, 3, 30)
STOCKS = (0, 0, 1, 2, CAPACITY, CAPACITY)
WORKSHOPS = (0, 0, 1, CAPACITY)
SHIPS = (0, 0, 1, 3)
CARD_WEIGHTS = (4, 4, 1, 5, 1, 2, 1, 1, 1)  # by Action


def cramped(random: Random) -> State:
    """Return a table with much full, empty or used up, and up to five cards in seat 0's hand."""
    state = table()
    player = state.players[0]
    player.reserve = random.choice(RESERVES)
    player.stock = random.choices(STOCKS, k=3)
    player.cloth = some_workshops(random)
    player.ships = random.choice(SHIPS)
    player.houses = random.choices((0, 1), k=3)

    state.city_room = random.choices((0, 0, 1), k=6)
    state.row_room = random.choices((0, 0, 0, 1), k=9)
    state.artwork_room = [0, 0, 0, random.randint(0, 1)]

    hand_size = random.randint(1, 5)
    cards = random.choices(ACTIONS, weights=CARD_WEIGHTS, k=hand_size)
    deal(state, 0, *cards)
    return state


def some_workshops(random: Random) -> tuple[int, ...]:
    """Return one to three workshops. In half of the cases all are full."""
    full = random.random() < 0.5
    workshops = random.randint(1, 3)
    if full:
        return (CAPACITY,) * workshops
    return tuple(random.choices(WORKSHOPS, k=workshops))


# ---- commands ------------------------------------------------------------------------------------


def command(kind: str, seat: int | None = None, **fields: Any) -> Any:
    """Return the command with this tag and these fields."""
    stamped = {} if seat is None else {"seat": seat}
    return wire.decode(GAME.commands, {"type": kind, **stamped, **fields})


def do(state: State, kind: str, seat: int | None = None, seed: int = 0, **fields: Any) -> list[Any]:
    """Play the command in place and return its events."""
    chance = Draws(seed.to_bytes(32, "big"))
    draft = Draft(state, GAME.evolve, chance)
    GAME.play(draft, command(kind, seat, **fields))
    return draft.events


def place(state: State, seat: int, street: Street, disc: str = "coloured") -> list[Any]:
    """Let the seat place a disc and return the events."""
    return do(state, "place_disc", seat, street=street.wire, disc=disc)


def perform(state: State, seat: int, action: str, **parameters: Any) -> list[Any]:
    """Let the seat carry an activated action out and return the events."""
    return do(state, "perform", seat, action=action, **parameters)


def play_card(state: State, seat: int, action: str, **parameters: Any) -> list[Any]:
    """Let the seat play a card and return the events."""
    return do(state, "play_card", seat, action=action, **parameters)


def compensate(state: State, seat: int, action: str, seed: int = 0) -> list[Any]:
    """Let the seat draw a card for an activated action and return the events."""
    return do(state, "compensate", seat, seed, action=action)


def skip(state: State, seat: int, action: str) -> list[Any]:
    """Let the seat give an activated action up and return the events."""
    return do(state, "skip", seat, action=action)


def place_above(state: State, *stack: int, disc: str = "coloured") -> list[Any]:
    """Let seat 0 place on brick-wood above the stack and everybody carry their actions out.

    Returns the events of the last of these moves.
    """
    state.streets[BRICK_WOOD] = stack
    events = place(state, 0, BRICK_WOOD, disc)
    while isinstance(state.agenda[-1], Activation):
        seat = state.agenda[-1].seat
        action = actions_of(legal(state, seat, "perform"))[0]
        events = perform(state, seat, action)
    return events


def refused(state: State, kind: str, seat: int | None = None, **fields: Any) -> str:
    """Return the rule and code of the command's refusal. Nothing may have happened."""
    before = state.copy()
    with pytest.raises(RuleBroken) as caught:
        do(state, kind, seat, **fields)

    refusal = caught.value
    assert state == before
    refusals.check(refusal, GAME.key)
    return f"{refusal.rule} {refusal.code}"


def placing_refused(state: State, seat: int, street: Street, disc: str = "coloured") -> str:
    """Return the rule and code of the refusal to let the seat place a disc."""
    return refused(state, "place_disc", seat, street=street.wire, disc=disc)


# ---- what can be read ----------------------------------------------------------------------------


def legal(state: State, seat: int, kind: str) -> list[dict[str, Any]]:
    """Return the seat's legal commands of a kind as the wire spells them, without type and seat."""
    spelled = [wire.encode(move) for move in GAME.legal_moves(state, seat)]
    return [_parameters(move) for move in spelled if move["type"] == kind]


def _parameters(move: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in move.items() if name not in ("type", "seat")}


def actions_of(moves: list[dict[str, Any]]) -> list[str]:
    """Return the action that each of these moves names."""
    return [move["action"] for move in moves]


def tags(messages: Sequence[Message]) -> list[str]:
    """Return the names of events or commands."""
    return [message.tag for message in messages]
