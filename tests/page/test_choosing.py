"""Choosing a move on the page: every legal move can be chosen, by buttons and on the board.

The modules are run by Node with whole random matches; nothing is rendered here.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from domain import wire
from domain.game import HOUSE, Game, Setup
from domain.games import GAMES
from service.matches.history import changes
from tests.domain.laws import walk

CHECK = Path(__file__).with_name("choosing.mjs")
NODE = Path(sys.executable).with_name("node")


def positions(game: Game[Any], seats: int, seed: int) -> list[dict[str, Any]]:
    """Return each position of a random match as a seat that is to act sees it.

    Each tells what the seat may do, and with what changes its view becomes that of the next.
    """
    shown: list[dict[str, Any]] = []
    setup = Setup(seats, game.read_options({}))
    named = [{"seat": seat, "name": f"Seat {seat}", "kind": "human"} for seat in range(seats)]

    for step in walk(game, setup, seed):
        for seat in game.actors(step.after):
            if seat == HOUSE:
                continue
            shown.append(
                {
                    "game": game.key,
                    "version": step.version,
                    "seat": seat,
                    "seats": named,
                    "view": game.view(step.after, seat),
                    "seen": game.view(step.after, None),
                    "moves": [_listed(move) for move in game.legal_moves(step.after, seat)],
                    "beyond": game.unlisted(step.after, seat),
                }
            )

    for position, following in zip(shown, shown[1:] + shown[:1], strict=True):
        position["next"] = following["view"]
        position["changes"] = list(changes(position["view"], following["view"]))
    return shown


def _listed(move: Any) -> dict[str, Any]:
    """Return a move as the service lists it: without its seat and what it leaves out."""
    encoded = wire.encode(move)
    return {name: value for name, value in encoded.items() if name != "seat" and value is not None}


def faults_of(shown: list[dict[str, Any]]) -> list[str]:
    """Return what the check in JavaScript finds wrong."""
    ran = subprocess.run(
        [NODE, CHECK], input=json.dumps(shown), capture_output=True, text=True, check=True
    )
    faults: list[str] = json.loads(ran.stdout)
    return faults


@pytest.mark.parametrize(("key", "every"), [("calimala", 1), ("firenze", 3)])
def test_every_legal_move_can_be_chosen(key: str, every: int) -> None:
    """On the game's board and on the plain one: by its choices, by its places, and taken back.

    A move can be taken at once, too, as it is advised. Its words differ from those of all others,
    and need no card that the public does not see.
    A patch makes the next view of a view, whose own value stays as it is.

    every: of so many positions one is checked; Firenze's have hundreds of moves.
    """
    game = GAMES[key]
    shown = positions(game, min(game.seats), seed=1)[::every]
    assert sum(len(position["moves"]) for position in shown) > 1000
    assert faults_of(shown) == []


def test_the_check_finds_faults() -> None:
    """A patch that lacks a change, and two moves that no choice tells apart, are found."""
    shown = positions(GAMES["calimala"], 3, seed=1)[:1]
    unpatched = {**shown[0], "changes": shown[0]["changes"][:-1], "moves": []}
    move, *others = shown[0]["moves"]
    same = dict(reversed(move.items()))
    twice = {**shown[0], "moves": [move, same, *others]}

    assert len(faults_of([unpatched])) == 1
    assert len(faults_of([twice])) == 6
