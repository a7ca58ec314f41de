"""What a match costs while it grows: moves, states and the whole record, over HTTP."""

import http.client
import os
import statistics
import time
from collections import defaultdict
from typing import Any
from urllib.parse import urlsplit

from benchmarks.growth.curves import Curve
from benchmarks.load.__main__ import service
from benchmarks.measure import timed
from benchmarks.web import HOST, REQUEST_SECONDS, Client, open_match
from domain.chance import FastChance, pick
from domain.games import GAMES

NUMBERS = (25, 50, 100, 200, 300)  # commits; most matches of Firenze end before the last
AROUND = 10  # moves up to each number, whose median counts
ASKED = 15  # times
MATCHES = 3
_HOUSE_SECONDS = 30
_PAUSE_SECONDS = 0.005

MOVE = "a move"
QUESTIONS = {
    "the state": "state",
    "the state at the middle": "state?version={middle}",
    "the record": "record",
}


class Table:
    """A match of humans, all of whom move at random."""

    def __init__(self, port: int, game: str, seed: int) -> None:
        self._client = Client(port)
        self._reader = http.client.HTTPConnection(HOST, port, timeout=REQUEST_SECONDS)
        self._match = open_match(self._client, game, seed=f"growth {seed}")
        self._path = f"/v1/matches/{self._match['id']}"
        self._chance = FastChance(seed)
        self.version = 1

    def awaited_seat(self) -> int | None:
        """Return whose move it is, once the house has done its part; None after the end."""
        deadline = time.monotonic() + _HOUSE_SECONDS
        while time.monotonic() < deadline:
            _, document = self._client.ask("GET", self._path)
            self.version = document["version"]
            if document["status"] == "finished":
                return None
            seats: list[int] = document["waiting_for"]["seats"]
            if seats:
                return seats[0]
            time.sleep(_PAUSE_SECONDS)
        raise TimeoutError(f"the house did not act within {_HOUSE_SECONDS} s")

    def move(self, seat: int) -> float:
        """Make a move of a seat; return the seconds from its request to its answer."""
        token = self._match["tokens"][f"seat:{seat}"]
        path = f"{self._path}/moves"
        _, answer = self._client.ask("GET", path, token=token)
        moves = answer["moves"]
        move = moves[pick(self._chance, [1] * len(moves))]
        return timed(lambda: self._post(path, move, token))

    def ask(self, what: str) -> float:
        """Return how many seconds a look at something of the match takes."""
        return timed(lambda: self._get(f"{self._path}/{what}"))

    def _post(self, path: str, move: Any, token: str) -> None:
        status, answer = self._client.ask("POST", path, move, token)
        assert status == 201, answer
        self.version = answer["version"]

    def _get(self, path: str) -> None:
        self._reader.request("GET", path)
        answer = self._reader.getresponse()
        answer.read()
        assert answer.status == 200, path


class Measured:
    """Seconds by what was done, and by the number of commits that the match had."""

    def __init__(self) -> None:
        self._seconds: dict[str, dict[int, list[float]]] = {
            name: defaultdict(list) for name in (MOVE, *QUESTIONS)
        }

    def play(self, table: Table) -> None:
        """Play a match to its end or to the last number, and measure it on the way."""
        while table.version < NUMBERS[-1]:
            seat = table.awaited_seat()
            if seat is None:
                return

            taken = table.move(seat)
            self._note_move(table.version, taken)
            if table.version in NUMBERS:
                self._ask(table)

    def curves(self, game: str) -> list[Curve]:
        """Return the medians as curves of a game."""
        return [
            Curve("commits", f"{game}: {name}", "ms", _milliseconds(by_number))
            for name, by_number in self._seconds.items()
        ]

    def _note_move(self, version: int, taken: float) -> None:
        for number in NUMBERS:
            if number - AROUND < version <= number:
                self._seconds[MOVE][number].append(taken)

    def _ask(self, table: Table) -> None:
        version = table.version
        for name, question in QUESTIONS.items():
            what = question.format(middle=version // 2)
            self._seconds[name][version] += [table.ask(what) for _ in range(ASKED)]


def _milliseconds(seconds: dict[int, list[float]]) -> dict[int, float]:
    """Return the medians by number, the smallest number first."""
    return {number: 1000 * statistics.median(seconds[number]) for number in sorted(seconds)}


def measure() -> list[Curve]:
    """Play a few matches of each game; return the milliseconds by the commits that a match has."""
    os.environ.setdefault("PYTHONPATH", ".")
    curves: list[Curve] = []
    with service() as url:
        port = urlsplit(url).port
        assert port is not None
        for game in GAMES:
            measured = Measured()
            for seed in range(MATCHES):
                measured.play(Table(port, game, seed))
            curves += measured.curves(game)
    return curves
