"""The fast way from JSON to messages gives what the strict way gives."""

from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

from domain import wire
from domain.chance import Draws, FastChance
from domain.game import Draft, Game, Setup
from domain.games import GAMES
from domain.wire import HOUSE, Message
from domain.wire.codec import loaders
from tests.domain.wire.stones import KNOWN, MESSAGES


@pytest.mark.parametrize("message", MESSAGES.values(), ids=MESSAGES)
def test_every_shape_of_field_is_loaded(message: Message) -> None:
    """Enums, tuples, pairs, records, optional and secret fields: as strict decoding gives them."""
    data = wire.encode(message)
    loaded = loaders(KNOWN)[data["type"]](data)
    assert loaded == message
    assert wire.decode(KNOWN, data) == message


def test_loaded_messages_share_no_default_that_can_change() -> None:
    """A default that is made anew each time is made anew here too."""
    data = wire.encode(MESSAGES["other-shapes-bare"])
    del data["colours"]
    load = loaders(KNOWN)["carted"]
    first = load(data)
    first.colours.append("red")
    assert load(data).colours == []


class Odd(wire.Named):
    """An enum whose wire names look like code."""

    QUOTE = 0
    CALL = 1

    def __init__(self, index: int) -> None:
        super().__init__(index)
        self.wire = ("'\"\\", "__import__('os')")[index]


@dataclass(frozen=True, slots=True)
class Noted:
    """A message with a default that looks like code."""

    tag: ClassVar[str] = "noted"
    odd: Odd
    text: str = "'); raise SystemExit #"


@pytest.mark.parametrize("odd", Odd)
def test_no_value_becomes_code(odd: Odd) -> None:
    """Names of enums, defaults and what is read stay values, whatever they look like."""
    load = loaders(wire.table(Noted))["noted"]
    assert load({"type": "noted", "odd": odd.wire}) == Noted(odd)
    assert load({"odd": odd.wire, "text": "data['x']"}) == Noted(odd, "data['x']")


@pytest.mark.parametrize("key", GAMES)
def test_every_event_of_whole_matches_is_loaded(key: str) -> None:
    """Every event of random matches, one for each number of seats, is the same both ways."""
    game = GAMES[key]
    by_tag = loaders(game.events)
    for seats in game.seats:
        for event in _random_match(game, seats):
            data = wire.encode(event)
            loaded = by_tag[data["type"]](data)
            assert loaded == event
            assert wire.decode(game.events, data) == event


def _random_match(game: Game[Any], seats: int) -> list[Message]:
    """Return the events of a whole match of random moves."""
    state = game.initial(Setup(seats, game.read_options({})))
    chance = FastChance(seats)
    draft = Draft(state, game.evolve, Draws(bytes(32)))
    while actors := game.actors(state):
        actor = actors[0]
        if actor == HOUSE:
            move = game.legal_moves(state, HOUSE)[0]
        else:
            move = game.random_move(state, actor, chance)
        game.play(draft, move)
    return draft.events
