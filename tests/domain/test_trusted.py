"""The fast way from JSON to events gives what the strict way gives, for every event of every game."""

from typing import Any

import pytest

from domain import wire
from domain.chance import Draws, Light
from domain.game import Draft, Setup
from domain.games import GAMES
from domain.wire import HOUSE
from domain.wire.trusted import loaders
from tests.domain.test_wire import FULL, KNOWN, Gone, Laid, Stone


@pytest.mark.parametrize(
    "message", [FULL, Laid(0, Stone.ROUGH), Gone()], ids=["full", "defaults", "empty"]
)
def test_every_kind_of_field_is_revived(message: Any) -> None:
    """Enums, tuples, pairs, optional and secret fields come back as strict decoding gives them."""
    data = wire.encode(message)
    assert loaders(KNOWN)[data["type"]](data) == wire.decode(KNOWN, data) == message


@pytest.mark.parametrize("key", GAMES)
def test_whole_matches_are_revived(key: str) -> None:
    """Every event of random matches, one a seat count, is the same both ways."""
    game = GAMES[key]
    revive = loaders(game.events)
    for seats in game.seats:
        state, chance = game.initial(Setup(seats, game.read_options({}))), Light(seats)
        draft = Draft(state, game.evolve, Draws(bytes(32)))
        while waiting := game.actors(state):
            seat = waiting[0]
            moves = (
                game.legal_moves(state, HOUSE)
                if seat == HOUSE
                else [game.random_move(state, seat, chance)]
            )
            game.play(draft, moves[0])
        for event in draft.events:
            data = wire.encode(event)
            assert revive[data["type"]](data) == wire.decode(game.events, data) == event
