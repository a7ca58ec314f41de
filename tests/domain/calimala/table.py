"""A table of Calimala as a test wants it: the first game's layout, nothing in anybody's hand, seat 0 to place."""

from typing import Any

import pytest

from domain import wire
from domain.calimala import GAME
from domain.calimala import events as e
from domain.calimala.agenda import Activation, Turn
from domain.calimala.components import ACTIONS, FIRST_GAME, TILES, Action, Category, Street
from domain.calimala.state import State, initial
from domain.chance import Draws
from domain.errors import RuleBroken
from domain.game import Draft, Setup, fold
from tests.domain import refusals

# brick artwork ship / wood contribute build / marble weave transport: the streets that tests place on
BRICK_ARTWORK, ARTWORK_SHIP, SHIP_BUILD = Street.S01, Street.S12, Street.S25
WOOD_CONTRIBUTE, CONTRIBUTE_BUILD, BRICK_WOOD = Street.S34, Street.S45, Street.S03
MARBLE_WEAVE, WEAVE_TRANSPORT, BUILD_TRANSPORT = Street.S67, Street.S78, Street.S58
WHITE = -1


def table(seats: int = 3, edition: str = "english") -> State:
    """Return a match after its draft: seat 0 is to place; seat i kept city i; the open card is Palazzo Vecchio."""
    state = initial(Setup(seats, {"edition": edition, "layout": "first_game"}))
    face_up = Category.PALAZZO_VECCHIO if seats < 5 else None
    kept = [Category(seat) for seat in range(seats)]
    fold(GAME, state, [e.BoardLaidOut(FIRST_GAME, TILES, face_up)])
    fold(GAME, state, [e.ScoringCardsDealt(seat, (card,)) for seat, card in enumerate(kept)])
    fold(GAME, state, [e.ScoringCardKept(seat, card) for seat, card in enumerate(kept)])
    fold(
        GAME, state, [e.DraftEnded(tuple(action for action in ACTIONS if state.open_cards[action]))]
    )
    state.agenda = [Turn(0)]
    return state


def activate(
    state: State, seat: int, street: Street, *, times: int = 1, duty: bool = False
) -> None:
    """Put an activation of the street by the seat on top of the agenda."""
    state.agenda.append(Activation(seat, street, [times, times], duty))


def give(state: State, seat: int, **goods: int) -> None:
    """Move cubes from the seat's reserve to its warehouses, and to its workshops in turn as `cloth`."""
    player = state.players[seat]
    for name, count in goods.items():
        player.reserve -= count
        if name == "cloth":
            for index in range(count):
                player.cloth[index % len(player.cloth)] += 1
        else:
            player.stock[Action[name.upper()]] += count


def deal(state: State, seat: int, *cards: Action) -> None:
    """Move cards from the deck to the seat's hand."""
    for card in cards:
        state.deck[card] -= 1
        state.players[seat].hand[card] += 1


def stack_deck(state: State, *cards: Action) -> None:
    """Leave only these cards in the deck, all of one kind for the draw to be certain; the rest goes out of play."""
    state.deck = [cards.count(action) for action in ACTIONS]


def deliver(state: State, city: int, *counts: int) -> None:
    """Put cloth of each seat into a city."""
    for seat, count in enumerate(counts):
        state.cloth[city][seat] += count
        state.city_room[city] -= count
        state.players[seat].reserve -= count


def command(kind: str, seat: int | None = None, **fields: Any) -> Any:
    """Return the command that the wire spells so."""
    stamped = {} if seat is None else {"seat": seat}
    return wire.decode(GAME.commands, {"type": kind, **stamped, **fields})


def do(state: State, kind: str, seat: int | None = None, seed: int = 0, **fields: Any) -> list[Any]:
    """Play the command in place and return its events."""
    draft = Draft(state, GAME.evolve, Draws(seed.to_bytes(32, "big")))
    GAME.play(draft, command(kind, seat, **fields))
    return draft.events


def refused(state: State, kind: str, seat: int | None = None, **fields: Any) -> str:
    """Return the rule and code with which the command is refused; nothing may have happened by then."""
    before = state.copy()
    with pytest.raises(RuleBroken) as caught:
        do(state, kind, seat, **fields)
    assert state == before
    refusals.check(caught.value, GAME.key)
    return f"{caught.value.rule} {caught.value.code}"


def legal(state: State, seat: int, kind: str) -> list[dict[str, Any]]:
    """Return the seat's legal commands of a kind as the wire spells them, without type and seat."""
    spelled = [wire.encode(move) for move in GAME.legal_moves(state, seat)]
    return [
        {k: v for k, v in move.items() if k not in ("type", "seat")}
        for move in spelled
        if move["type"] == kind
    ]


def tags(events: list[Any]) -> list[str]:
    """Return the events' names."""
    return [event.tag for event in events]
