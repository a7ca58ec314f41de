"""The listing of builds (F19): bounded, and yet all that matters is in it."""

import json
from typing import Any

from domain import wire
from domain.chance import Draws
from domain.firenze import GAME
from domain.firenze.commands import Build
from domain.firenze.components import PERSONNEL
from domain.firenze.state import State
from domain.game import decide
from tests.domain.firenze.table import (
    BLUE,
    PURPLE,
    RED,
    WHITE,
    building,
    command,
    deal,
    raise_tower,
    store,
)


def rich() -> State:
    """Seat 0 may do as much as ever: bricks of all colours, four towers, every Personnel card."""
    state = building(white=5, yellow=5, green=5, red=5, blue=5, purple=4)
    store(state, 1, white=1, yellow=1, green=1, red=1, blue=1, purple=1)
    for colour in (WHITE, RED, BLUE, PURPLE):
        raise_tower(state, 0, colour, 1, idle=True)
    deal(state, 0, *PERSONNEL)
    return state


def listed_builds(state: State) -> list[Build]:
    """Return the builds among the legal moves of seat 0."""
    return [move for move in GAME.legal_moves(state, 0) if isinstance(move, Build)]


def test_the_listing_holds_what_matters() -> None:
    """F19: building nothing and raising every tower are listed, however many builds there are."""
    builds = [build.lay for build in listed_builds(rich())]
    raised = [{lay.tower for lay in entries} for entries in builds]
    assert () in builds
    assert {0, 1, 2, 3} in raised


def test_the_listing_is_bounded() -> None:
    """F19: less than 100 kB on the wire in the fullest of positions."""
    moves = GAME.legal_moves(rich(), 0)
    assert len(json.dumps([wire.encode(move) for move in moves])) < 100_000


def test_builds_outside_the_listing_are_accepted() -> None:
    """F19: two new towers of one colour, for example."""
    state = rich()
    begun = {"colour": "green", "bricks": 1}
    twins = command("build", 0, lay=[begun, begun])
    assert twins not in GAME.legal_moves(state, 0)
    assert decide(GAME, state, twins, Draws(b""))


def test_with_few_bricks_the_listing_is_complete() -> None:
    """F19: a red tower and two red bricks.

    None, one or two go onto it, each with what is left for a new tower.
    """
    state = building(red=2)
    raise_tower(state, 0, RED, 1, idle=True)

    lays = []
    for build in listed_builds(state):
        entries = tuple((lay.tower, lay.bricks) for lay in build.lay)
        lays.append(entries)

    expected: list[Any] = [
        (),
        ((None, 1),),
        ((None, 2),),
        ((0, 1),),
        ((0, 2),),
        ((0, 1), (None, 1)),
    ]
    assert sorted(lays, key=repr) == sorted(expected, key=repr)


def test_every_way_to_share_bricks_among_new_towers_is_listed() -> None:
    """F19: a red and a blue brick begin no tower, either, or both."""
    state = building(red=1, blue=1)
    lays = [[lay.colour for lay in build.lay] for build in listed_builds(state)]
    assert sorted(lays) == [[], [RED], [RED, BLUE], [BLUE]]
