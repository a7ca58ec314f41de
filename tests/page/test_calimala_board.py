"""The board of Calimala: how its moves are chosen, and that it shows all that a view holds.

The modules are run by Node; nothing is drawn here.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from domain import wire
from domain.calimala import GAME
from domain.game import HOUSE, Setup
from tests.domain.laws import walk

CHECK = Path(__file__).with_name("calimala_board.mjs")
NODE = Path(sys.executable).with_name("node")


def positions(seats: int, seed: int) -> list[dict[str, Any]]:
    """Return every position of a random match as the public and as the seats to act see it.

    Each holds version, seat (None: the public), view and the legal moves as they are listed.
    """
    shown = []
    setup = Setup(seats, GAME.read_options({}))
    for step in walk(GAME, setup, seed):
        for seat in (None, *GAME.actors(step.after)):
            if seat == HOUSE:
                continue
            moves = [] if seat is None else GAME.legal_moves(step.after, seat)
            shown.append(
                {
                    "version": step.version,
                    "seat": seat,
                    "view": GAME.view(step.after, seat),
                    "moves": [_listed(move) for move in moves],
                }
            )
    return shown


def _listed(move: Any) -> dict[str, Any]:
    """Return a move as the service lists it: without its seat and without what it leaves out."""
    encoded = wire.encode(move)
    return {name: value for name, value in encoded.items() if name != "seat" and value is not None}


def faults_of(shown: list[dict[str, Any]]) -> list[str]:
    """Return what the check in JavaScript finds wrong."""
    ran = subprocess.run(
        [NODE, CHECK], input=json.dumps(shown), capture_output=True, text=True, check=True
    )
    faults: list[str] = json.loads(ran.stdout)
    return faults


@pytest.mark.parametrize("seats", GAME.seats)
def test_choices_and_looks(seats: int) -> None:
    """In a whole match every move has its own path of few choices; what differs looks different."""
    shown = positions(seats, seed=seats)
    assert len(shown) > 300
    assert faults_of(shown) == []


def test_the_check_finds_faults() -> None:
    """A move that is listed twice and a view that hides a fact are found."""
    turn = next(position for position in positions(3, 1) if position["moves"])
    twice = {**turn, "moves": [turn["moves"][0], turn["moves"][0]]}
    hidden = {**turn, "view": {**turn["view"], "unheard_of": 1}, "moves": []}

    faults = faults_of([twice, hidden])
    assert len(faults) == 2
