"""The board of Firenze: how its moves are chosen and composed, and that it shows a whole view.

The modules are run by Node; nothing is rendered here. What they compose is judged by the domain.
"""

import json
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

from domain import wire
from domain.errors import RuleBroken
from domain.firenze import GAME
from domain.firenze.components import COLOURS
from domain.firenze.events import TowerTornDown
from domain.game import HOUSE, Setup, decide
from tests.domain.laws import draws, walk

CHECK = Path(__file__).with_name("firenze_board.mjs")
NODE = Path(sys.executable).with_name("node")

# Where each command's event tells the bricks.
BRICKS = {
    "take_card": ("card_taken", "payment"),
    "exchange": ("bricks_exchanged", "give"),
    "resolve_event": ("bricks_discarded", "bricks"),
    "discard": ("due_paid", "bricks"),
    "end_turn": ("bricks_discarded", "bricks"),
    "build": ("built", "payment"),
}


@cache
def answer(seats: int) -> tuple[list[Any], list[dict[str, Any]], dict[str, Any]]:
    """Return the states of a random match, the positions, and what the check says of them."""
    setup = Setup(seats, GAME.read_options({"discards": "chosen"}))
    luck = Random(seats)
    states = []
    positions = []

    for step in walk(GAME, setup, seed=seats):
        state = step.after.copy()
        for seat in (None, *GAME.actors(state)):
            if seat != HOUSE:
                states.append(state)
                positions.append(position(state, seat, luck))
    return states, positions, checked(positions)


def position(state: Any, seat: int | None, luck: Random) -> dict[str, Any]:
    """Return a state as a seat (None: the public) is shown it, with what the seat may do.

    wanted: builds at random, legal or not.
    """
    moves = [] if seat is None else GAME.legal_moves(state, seat)
    beyond = {} if seat is None else GAME.unlisted(state, seat)
    wanted = [any_build(beyond["build"], luck) for _ in range(4)] if "build" in beyond else []
    return {
        "seat": seat,
        "view": GAME.view(state, seat),
        "moves": [listed(move) for move in moves],
        "beyond": beyond,
        "wanted": wanted,
    }


def listed(move: Any) -> dict[str, Any]:
    """Return a move as the service lists it: without its seat and what it leaves out."""
    encoded = wire.encode(move)
    return {name: value for name, value in encoded.items() if name != "seat" and value is not None}


def any_build(buildable: Any, luck: Random) -> dict[str, Any]:
    """Return a build onto some of the towers and for some new ones; it may cost too much."""
    towers = [tower for tower in buildable["towers"] if luck.random() < 0.6]
    lay = [{"colour": tower["colour"], "bricks": 1, "tower": tower["tower"]} for tower in towers]
    while luck.random() < 0.6:
        lay.append({"colour": luck.choice(COLOURS).wire, "bricks": luck.randint(1, 2)})
    return {"type": "build", "lay": lay}


def checked(positions: list[dict[str, Any]]) -> dict[str, Any]:
    """Return what the check in JavaScript says: faults, and the moves that it has made."""
    ran = subprocess.run(
        [NODE, CHECK], input=json.dumps(positions), capture_output=True, text=True, check=True
    )
    said: dict[str, Any] = json.loads(ran.stdout)
    return said


def events_of(seats: int, at: int, move: dict[str, Any]) -> list[Any]:
    """Return what a move causes at a position; raises RuleBroken."""
    states, positions, _ = answer(seats)
    command = wire.decode(GAME.commands, move, seat=positions[at]["seat"])
    return decide(GAME, states[at], command, draws(at))


def bricks_of(events: list[Any], move: dict[str, Any]) -> list[str]:
    """Return the bricks that a move has its seat pay, give or discard."""
    tag, field = BRICKS[move["type"]]
    event = next(event for event in events if event.tag == tag)
    return [colour.wire for colour in getattr(event, field)]


def made(seats: int, *how: str) -> list[dict[str, Any]]:
    """Return the moves that were made in these ways."""
    return [each for each in answer(seats)[2]["made"] if each["how"] in how]


every_number_of_seats = pytest.mark.parametrize("seats", GAME.seats)


@every_number_of_seats
def test_choices_places_and_looks(seats: int) -> None:
    """In a whole match every move has its own path of few choices, at places that are drawn.

    Positions that differ look different.
    """
    _, positions, said = answer(seats)
    assert len(positions) > 250
    assert said["faults"] == []


@every_number_of_seats
def test_bricks_that_are_chosen(seats: int) -> None:
    """The bricks shown as following the rule are those that the domain takes; so are the chosen."""
    payments = made(seats, "rule", "chosen")
    commands = Counter(each["move"]["type"] for each in payments)
    assert {"take_card", "exchange", "end_turn", "discard"} <= set(commands)

    for each in payments:
        move = each["move"]
        taken = bricks_of(events_of(seats, each["at"], move), move)
        # The order counts for a card alone (F14).
        if move["type"] == "take_card":
            assert taken == each["bricks"], each
        else:
            assert sorted(taken) == sorted(each["bricks"]), each


@every_number_of_seats
def test_buildings_brick_by_brick(seats: int) -> None:
    """Every draft of a building is legal, costs what it shows, and loses the towers it names."""
    drafts = made(seats, "build")
    assert max(laid(each["move"]) for each in drafts) >= 5

    for each in drafts:
        events = events_of(seats, each["at"], each["move"])
        assert sorted(bricks_of(events, each["move"])) == sorted(each["bricks"]), each
        torn = [event.tower for event in events if isinstance(event, TowerTornDown)]
        assert torn == each["falling"], each


@every_number_of_seats
def test_every_legal_building_can_be_laid(seats: int) -> None:
    """A building can be laid brick by brick if and only if the domain accepts it."""
    wanted = made(seats, "wanted")
    judged: Counter[bool] = Counter()

    for each in wanted:
        try:
            events_of(seats, each["at"], each["move"])
            legal = True
        except RuleBroken:
            legal = False
        assert each["reached"] == legal, each
        judged[legal] += 1
    assert min(judged[True], judged[False]) > 20


def laid(move: dict[str, Any]) -> int:
    """Return how many bricks a build lays."""
    return sum(piece["bricks"] for piece in move["lay"])


@every_number_of_seats
def test_attempts_are_moves(seats: int) -> None:
    """What a click on any place seems to want is a move that the service can read."""
    attempts = made(seats, "attempt")
    assert len({each["move"]["type"] for each in attempts}) >= 6

    for each in attempts:
        command = wire.decode(GAME.commands, each["move"], seat=0)
        assert command.tag == each["move"]["type"]


def test_the_check_finds_faults() -> None:
    """A move that is listed twice, and a view that hides a fact, are found."""
    _, positions, _ = answer(3)
    turn = next(each for each in positions if each["moves"])
    twice = {**turn, "moves": [turn["moves"][0]] * 2}
    hidden = {**turn, "view": {**turn["view"], "unheard_of": 1}, "moves": []}
    faults = checked([twice, hidden])["faults"]
    assert any("two moves are chosen" in fault for fault in faults)
    assert any("looks like another position" in fault for fault in faults)
