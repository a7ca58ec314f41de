"""What more clients mean, each of whom posts moves as fast as it is answered."""

import os

from benchmarks.growth.curves import Curve
from benchmarks.load.__main__ import service
from benchmarks.load.crowd import Crowd
from benchmarks.matches import common_moves
from domain.games import GAMES

NUMBERS = (1, 2, 4, 8, 16, 32, 64, 128)
SECONDS = 6
WARM_UP_SECONDS = 2


def measure() -> list[Curve]:
    """Let more and more clients play; return moves a second, and how long a move takes."""
    os.environ.setdefault("PYTHONPATH", ".")
    moves = {game: common_moves(game) for game in GAMES}

    with service() as url:
        crowd = Crowd(url, moves)
        crowd.play(clients=1, seconds=WARM_UP_SECONDS)
        outcomes = [crowd.play(number, SECONDS) for number in NUMBERS]

    return [
        Curve("clients", "moves", "moves/s", {each.clients: each.rate for each in outcomes}),
        Curve(
            "clients", "a move, median", "ms", {each.clients: each.median_ms for each in outcomes}
        ),
        Curve("clients", "a move, p99", "ms", {each.clients: each.p99_ms for each in outcomes}),
    ]
