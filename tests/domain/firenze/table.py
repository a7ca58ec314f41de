"""A table of Firenze as a test wants it: fixed balconies, seals and row, seat 0 to choose."""

from typing import Any

import pytest

from domain import wire
from domain.chance import Draws
from domain.errors import RuleBroken
from domain.firenze import GAME
from domain.firenze.agenda import Step, Task
from domain.firenze.components import Card, Colour, commission_index
from domain.firenze.events import CoveredCommission, Dealt, PlacedBalcony, TableLaid, TurnBegan
from domain.firenze.setup import initial
from domain.firenze.state import State, Tower
from domain.game import Draft, Setup, fold
from tests.domain import refusals
from tests.domain.firenze.pieces import conserved

WHITE, YELLOW, GREEN, RED, BLUE, PURPLE = Colour

BALCONIES = (
    PlacedBalcony(BLUE, height=3, points=6),
    PlacedBalcony(WHITE, height=6, points=8),
    PlacedBalcony(RED, height=7, points=14),
    PlacedBalcony(GREEN, height=7, points=15),
)
NEUTRAL_SEALS = (
    CoveredCommission(YELLOW, height=3),
    CoveredCommission(YELLOW, height=4),
    CoveredCommission(GREEN, height=3),
    CoveredCommission(BLUE, height=8),
    CoveredCommission(PURPLE, height=8),
)
ROW = (Card.ALCHEMIST, Card.MASON, Card.WORKSHOP, Card.ARCHITECT, Card.PRINCESS, Card.SMUGGLER)


# ---- tables ----------------------------------------------------------------------------------


def table(seats: int = 2, step: str = "choose", **options: Any) -> State:
    """Return a match in seat 0's first turn.

    Two white and two yellow bricks lie on each card, seat k holds k+2 white. The row has six cards,
    also in a later step, after a card was taken.
    """
    state = initial(Setup(seats, GAME.read_options(options)))
    row = tuple(Dealt(card, (WHITE, WHITE, YELLOW, YELLOW)) for card in ROW)
    fold(GAME, state, [TableLaid(BALCONIES, NEUTRAL_SEALS, row), TurnBegan(seat=0, turn=0)])
    set_step(state, step)
    return state


def building(**stored: int) -> State:
    """Return a match in which seat 0 has chosen its card and holds these bricks."""
    state = table(step="build")
    store(state, 0, **stored)
    return state


def holding(*cards: Card, step: str = "choose", seats: int = 2, **options: Any) -> State:
    """Return a match: seat 0 has these cards, a red and a blue brick, a red tower of 2 levels.

    Seat 1 has a green brick and a blue tower of 3 levels.
    """
    state = table(seats, step, **options)
    store(state, 0, red=1, blue=1)
    store(state, 1, green=1)
    raise_tower(state, 0, RED, 2)
    raise_tower(state, 1, BLUE, 3)
    deal(state, 0, *cards)
    return state


def event_taken(card: Card, *hand: Card, seats: int = 2, **options: Any) -> State:
    """Return a match in which seat 0 took an event with a green and a purple brick on it."""
    state = holding(*hand, seats=seats, **options)
    offer(state, 0, card, GREEN, PURPLE)
    do(state, "take_card", slot=0)
    return state


# ---- arranging a table -----------------------------------------------------------------------


def set_step(state: State, step: str, seat: int = 0) -> None:
    """Let the seat be asked for this step of its turn."""
    state.agenda = [Task(Step[step.upper()], seat)]


def store(state: State, seat: int, **bricks: int) -> None:
    """Let the storehouse hold exactly these bricks, out of the pouch."""
    storehouse = state.players[seat].storehouse
    for colour in Colour:
        count = bricks.get(colour.wire, 0)
        state.pouch[colour] += storehouse[colour] - count
        storehouse[colour] = count


def deal(state: State, seat: int, *cards: Card) -> None:
    """Move cards from the deck to the seat."""
    for card in cards:
        _draw(state, card)
        state.players[seat].cards[card] += 1


def _draw(state: State, card: Card) -> None:
    pile = state.deck if state.deck[card] else state.start
    assert pile[card]
    pile[card] -= 1


def offer(state: State, slot: int, card: Card, *bricks: Colour) -> None:
    """Put this card, with these bricks, into a slot of the row."""
    place = state.row[slot]
    state.deck[place.card] += 1
    _draw(state, card)
    place.card = card

    for colour in Colour:
        count = bricks.count(colour)
        state.pouch[colour] += place.bricks[colour] - count
        place.bricks[colour] = count


def raise_tower(state: State, seat: int, colour: Colour, height: int, *, idle: bool = False) -> int:
    """Build a tower out of the pouch and return its number. idle: True if not raised this turn."""
    player = state.players[seat]
    number = player.next_tower
    state.pouch[colour] -= height
    player.towers.append(Tower(number, colour, height, idle))
    player.next_tower += 1
    return number


def open_church(state: State, card: Card) -> None:
    """Put a church card onto its space."""
    _draw(state, card)
    state.church.append(card)


def seal(state: State, seat: int, *places: tuple[Colour, int]) -> None:
    """Let the seat have fulfilled the commissions of these colours and heights."""
    for colour, height in places:
        state.seals[commission_index(colour, height)] = seat
        state.players[seat].seals -= 1


# ---- playing ---------------------------------------------------------------------------------


def command(kind: str, seat: int | None = None, **fields: Any) -> Any:
    """Return the command with this tag and these fields."""
    stamped = {} if seat is None else {"seat": seat}
    return wire.decode(GAME.commands, {"type": kind, **stamped, **fields})


def do(state: State, kind: str, seat: int | None = 0, seed: int = 0, **fields: Any) -> list[Any]:
    """Play the command in place and return its events. Every piece must still be there."""
    before = conserved(state)
    draft = Draft(state, GAME.evolve, Draws(bytes([seed])))
    GAME.play(draft, command(kind, seat, **fields))

    if kind != "set_up":
        assert conserved(state) == before
    return draft.events


def play(state: State, card: Card, **fields: Any) -> list[Any]:
    """Play a Personnel card of seat 0 and return the events."""
    return do(state, "play_personnel", card=card.wire, **fields)


def refused(state: State, kind: str, seat: int | None = 0, **fields: Any) -> str:
    """Return rule and code of the refusal."""
    draft = Draft(state.copy(), GAME.evolve, Draws(b""))
    with pytest.raises(RuleBroken) as refusal:
        GAME.play(draft, command(kind, seat, **fields))

    refusals.check(refusal.value, GAME.key)
    return f"{refusal.value.rule} {refusal.value.code}"


# ---- what there is now -----------------------------------------------------------------------


def tags(events: list[Any]) -> list[str]:
    """Return the names of the events."""
    return [type(event).tag for event in events]


def only(events: list[Any], kind: Any) -> Any:
    """Return the one event of this kind."""
    (event,) = (event for event in events if isinstance(event, kind))
    return event


def stock(state: State, seat: int) -> dict[str, int]:
    """Return the seat's bricks by colour, those it has."""
    counts = zip(Colour, state.players[seat].storehouse, strict=True)
    return {colour.wire: count for colour, count in counts if count}


def towers(state: State, seat: int) -> list[tuple[Colour, int]]:
    """Return colour and height of the seat's towers."""
    return [(tower.colour, tower.height) for tower in state.players[seat].towers]


def bricks(text: str) -> list[str]:
    """Return a list of colours as the wire spells it: "white red", "" for none."""
    return text.split()


def move_kinds(state: State, seat: int) -> list[str]:
    """Return the names of the seat's legal moves."""
    return [type(move).tag for move in GAME.legal_moves(state, seat)]
