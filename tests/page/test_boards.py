"""The boards of the pages: choosing and composing moves, and showing a whole view.

The modules are run by Node. Nothing is rendered here. The domain judges their moves.
"""

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

from domain import wire
from domain.errors import RuleBroken
from domain.firenze import GAME as FIRENZE
from domain.firenze.components import COLOURS
from domain.firenze.events import TowerTornDown
from domain.game import HOUSE, Setup, decide
from domain.games import GAMES
from service.base.json_patch import changes
from tests.domain.laws import draws, walk
from tests.whole import whole_but, whole_unless

HERE = Path(__file__).parent
NODE = Path(sys.executable).with_name("node")
OPTIONS = {"firenze": {"discards": "chosen"}}

Position = dict[str, Any]

# The place of the bricks in each command's event.
BRICKS = {
    "take_card": ("card_taken", "payment"),
    "exchange": ("bricks_exchanged", "give"),
    "resolve_event": ("bricks_discarded", "bricks"),
    "discard": ("due_paid", "bricks"),
    "end_turn": ("bricks_discarded", "bricks"),
    "build": ("built", "payment"),
}


def positions_of(key: str, seats: int, seed: int) -> Iterator[tuple[Any, Position]]:
    """Yield each state of a random match, as the public (None) and as each seat to act is shown it.

    Each position has the legal moves of the seat. wanted: builds at random, legal or not.
    """
    game = GAMES[key]
    setup = Setup(seats, game.read_options(OPTIONS.get(key, {})))
    seat_list = [{"seat": seat, "name": f"Seat {seat}", "kind": "human"} for seat in range(seats)]
    luck = Random(seats)

    for step in walk(game, setup, seed):
        state = step.after.copy()
        for seat in (None, *game.actors(state)):
            if seat == HOUSE:
                continue
            moves = [] if seat is None else game.legal_moves(state, seat)
            beyond = {} if seat is None else game.unlisted(state, seat)
            buildable = beyond.get("build")
            yield (
                state,
                {
                    "game": key,
                    "version": step.version,
                    "seat": seat,
                    "seats": seat_list,
                    "view": game.view(state, seat),
                    "seen": game.view(state, None),
                    "moves": [listed(move) for move in moves],
                    "beyond": beyond,
                    "wanted": [any_build(buildable, luck) for _ in range(4)] if buildable else [],
                },
            )


def listed(move: Any) -> dict[str, Any]:
    """Return a move as the service lists it: without its seat and omitted fields."""
    encoded = wire.encode(move)
    return {name: value for name, value in encoded.items() if name != "seat" and value is not None}


def any_build(buildable: Any, luck: Random) -> dict[str, Any]:
    """Return a build onto some of the towers and for some new ones. It may cost too much."""
    towers = [tower for tower in buildable["towers"] if luck.random() < 0.6]
    lay = [{"colour": tower["colour"], "bricks": 1, "tower": tower["tower"]} for tower in towers]
    while luck.random() < 0.6:
        lay.append({"colour": luck.choice(COLOURS).wire, "bricks": luck.randint(1, 2)})
    return {"type": "build", "lay": lay}


def checked(module: str, positions: list[Position]) -> Any:
    """Return the result of a check in JavaScript of positions."""
    ran = subprocess.run(
        [NODE, HERE / module],
        input=json.dumps(positions),
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(ran.stdout)


@cache
def answer(key: str, seats: int) -> tuple[list[Any], list[Position], Any]:
    """Return the states of a random match, the positions, and the check's result on them."""
    states, positions = zip(*positions_of(key, seats, seed=seats), strict=True)
    return list(states), list(positions), checked("boards.mjs", list(positions))


def events_of(seats: int, at: int, move: dict[str, Any]) -> list[Any]:
    """Return the events of a move at a position. Raises RuleBroken."""
    states, positions, _ = answer("firenze", seats)
    command = wire.decode(FIRENZE.commands, move, seat=positions[at]["seat"])
    return decide(FIRENZE, states[at], command, draws(at))


def bricks_of(events: list[Any], move: dict[str, Any]) -> list[str]:
    """Return the bricks that a move has its seat pay, give or discard."""
    tag, field = BRICKS[move["type"]]
    event = next(event for event in events if event.tag == tag)
    return [colour.wire for colour in getattr(event, field)]


def made(seats: int, *how: str) -> list[dict[str, Any]]:
    """Return the moves that were made in these ways."""
    return [each for each in answer("firenze", seats)[2]["made"] if each["how"] in how]


every_number_of_seats = pytest.mark.parametrize("seats", whole_but([2], FIRENZE.seats))


@pytest.mark.parametrize(
    ("key", "seats"),
    [
        pytest.param(key, seats, marks=whole_unless(seats == GAMES[key].seats[0]))
        for key in ("calimala", "firenze")
        for seats in GAMES[key].seats
    ],
)
def test_choices_places_and_looks(key: str, seats: int) -> None:
    """In a whole match every move has a path of few choices, at places that are drawn.

    Positions that differ look different.
    """
    _, positions, report = answer(key, seats)
    assert len(positions) > 250
    assert report["faults"] == []

    # The check does find a move that is listed twice, and a view that hides a fact.
    turn = next(each for each in positions if each["moves"])
    twice = {**turn, "moves": [turn["moves"][0]] * 2}
    hidden = {**turn, "view": {**turn["view"], "unheard_of": 1}, "moves": []}
    faults = checked("boards.mjs", [twice, hidden])["faults"]
    assert any("two moves are chosen" in fault for fault in faults)
    assert any("looks like another position" in fault for fault in faults)


@every_number_of_seats
def test_bricks_that_are_chosen(seats: int) -> None:
    """The domain takes the bricks shown as following the rule, and the chosen ones."""
    payments = made(seats, "rule", "chosen")
    commands = Counter(each["move"]["type"] for each in payments)
    assert {"take_card", "exchange", "end_turn", "discard"} <= set(commands)

    for each in payments:
        move = each["move"]
        bricks = bricks_of(events_of(seats, each["at"], move), move)
        # The order counts for a card alone (F14).
        if move["type"] == "take_card":
            assert bricks == each["bricks"], each
        else:
            assert sorted(bricks) == sorted(each["bricks"]), each


@every_number_of_seats
def test_buildings_brick_by_brick(seats: int) -> None:
    """Every draft of a building is legal, has the shown cost, and loses the towers it names."""
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
    payments = made(seats, "wanted")
    judged: Counter[bool] = Counter()

    for each in payments:
        try:
            events_of(seats, each["at"], each["move"])
            legal = True
        except RuleBroken:
            legal = False
        assert each["reached"] == legal, each
        judged[legal] += 1
    assert min(judged[True], judged[False]) > 20


def laid(move: dict[str, Any]) -> int:
    """Return the number of bricks that a build lays."""
    return sum(piece["bricks"] for piece in move["lay"])


@every_number_of_seats
def test_attempts_are_moves(seats: int) -> None:
    """Each move attempted by a click is one the service can read."""
    attempts = made(seats, "attempt")
    assert len({each["move"]["type"] for each in attempts}) >= 6

    for each in attempts:
        command = wire.decode(FIRENZE.commands, each["move"], seat=0)
        assert command.tag == each["move"]["type"]


# ---- one word for one action ---------------------------------------------------------------------

# By command: the word of the story for it, and that of its buttons.
WORDS = {
    "keep_scoring_card": ("keeps", "Keep"),
    "take_action_card": ("takes", "Take"),
    "place_disc": ("places", "Place"),
    "play_card": ("plays", "Play"),
    "compensate": ("card instead", "card instead"),
    "skip": ("up for nothing", "up .*for nothing"),
    "end_activation": ("is done with", "Be done with"),
    "give_up_disc": ("gives up", "Give up"),
    "take_card": ("takes", "Take"),
    "exchange": ("exchanges", "Exchange"),
    "build": ("builds nothing|raises|begins", "Build"),
    "fulfil": ("fulfils", "Fulfil"),
    "campanile": ("delivers a bell tower", "Deliver the bell tower"),
    "play_personnel": ("plays", "Play"),
    "discard": ("hands over", "Hand over"),
    "answer_event": ("Patrician", "Patrician"),
}


@pytest.mark.parametrize(
    ("key", "seats"), [("calimala", 3), pytest.param("firenze", 3, marks=pytest.mark.whole)]
)
def test_buttons_and_story_have_one_word_for_one_action(key: str, seats: int) -> None:
    """The name of a move on its buttons is the word of the story afterwards."""
    game = GAMES[key]
    states, positions, report = answer(key, seats)
    names = [f"N{seat}" for seat in range(seats)]
    words = [each for each in report["made"] if each["how"] == "words"]
    checked_sorts = set()

    for each in words:
        move = each["move"]
        sort = "campanile" if move.get("campanile") else move["type"]
        if sort not in WORDS:
            continue
        in_story, on_button = WORDS[sort]
        state = states[each["at"]]
        command = wire.decode(game.commands, move, seat=positions[each["at"]]["seat"])
        [event, *_] = decide(game, state, command, draws(each["at"]))
        assert re.search(in_story, game.story(state, event, names).text), each
        assert re.search(on_button, ", ".join(each["words"])), each
        checked_sorts.add(sort)
    assert len(checked_sorts) >= 6


# ---- choosing on any board -----------------------------------------------------------------------


@pytest.mark.whole
@pytest.mark.parametrize(("key", "every"), [("calimala", 1), ("firenze", 3)])
def test_every_legal_move_can_be_chosen(key: str, every: int) -> None:
    """A move is chosen on both boards, by its choices and by its places, and taken back.

    A move can be taken at once, too, as it is advised. Its words differ from those of all others,
    and need no card that the public does not see.
    A patch makes the next view of a view, whose own value stays as it is.

    every: of so many positions one is checked. Firenze's have hundreds of moves.
    """
    seats = min(GAMES[key].seats)
    positions = [one for _, one in positions_of(key, seats, seed=1) if one["seat"] is not None]
    for position, following in zip(positions, positions[1:] + positions[:1], strict=True):
        position["next"] = following["view"]
        position["changes"] = list(changes(position["view"], following["view"]))

    assert sum(len(position["moves"]) for position in positions[::every]) > 1000
    assert checked("choosing.mjs", positions[::every]) == []

    # The check does find a patch that lacks a change, and two moves that no choice tells apart.
    first = next(one for one in positions if one["moves"])
    move, *others = first["moves"]
    unpatched = {**first, "changes": first["changes"][:-1], "moves": []}
    twice = {**first, "moves": [move, dict(reversed(move.items())), *others]}
    assert len(checked("choosing.mjs", [unpatched])) == 1
    assert len(checked("choosing.mjs", [twice])) > 1
