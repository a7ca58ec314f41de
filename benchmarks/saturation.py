"""Moves from many connections, against the least that a web service with a log can do.

`python -m benchmarks.saturation` lets 16 connections post the same moves to Giornale and to a bare
Flask route that does one XADD, in turn. Both have two web processes under Granian and write to the
same Redis server. First each connection posts as fast as it is answered: that is the rate of
saturation. Then the moves come at half of Giornale's rate, on a timetable, to both: an answer takes
from the time when its request was due, so that whoever is slow pays for what had to wait.

Clients, web processes and server share the cores of the machine. So the clients cost as little as
they can: one process with raw sockets, and requests that are bytes before the clock starts.
"""

import json
import os
import statistics
from collections.abc import Callable, Sequence
from typing import NamedTuple

from benchmarks.http import SOME_TOKEN, bare_service
from benchmarks.matches import SEATS, SEED, SeatMove, common_moves
from benchmarks.measure import Ratio, p99
from benchmarks.sockets import request_bytes
from benchmarks.timetable import Played, play
from benchmarks.web import Client, open_match, server, web
from domain.games import GAMES

CONNECTIONS = 16
WEB_PROCESSES = 2
MOVES = 100  # of each connection in each run
RUNS = 3
GOAL = 0.6
MOST_P99 = 2

# Returns the requests of each connection.
Prepare = Callable[[], list[list[bytes]]]


class Contender(NamedTuple):
    """A service, and what is posted to it."""

    port: int
    prepare: Prepare

    def play(self, rate: float = 0) -> Played:
        """Post moves: so many a second, or as fast as they are answered."""
        return play(self.port, self.prepare(), rate)


def giornale(port: int, game: str, moves: Sequence[SeatMove]) -> Contender:
    """Return Giornale; each connection plays a new match."""

    def prepare() -> list[list[bytes]]:
        client = Client(port)
        many = []
        for _ in range(CONNECTIONS):
            match = open_match(client, game, seed=SEED)
            tokens = [match["tokens"][f"seat:{seat}"] for seat in range(SEATS)]
            many.append(_requests(f"/v1/matches/{match['id']}/moves", moves, tokens))
        client.connection.close()
        return many

    return Contender(port, prepare)


def bare(port: int, moves: Sequence[SeatMove]) -> Contender:
    """Return the bare route; each connection adds to a new stream."""

    def prepare() -> list[list[bytes]]:
        tokens = [SOME_TOKEN] * SEATS
        streams = [os.urandom(8).hex() for _ in range(CONNECTIONS)]
        return [_requests(f"/{stream}/moves", moves, tokens) for stream in streams]

    return Contender(port, prepare)


def _requests(path: str, moves: Sequence[SeatMove], tokens: Sequence[str]) -> list[bytes]:
    """Return the requests that post moves, the first at version 1."""
    requests = []
    for version, one in enumerate(moves, 1):
        headers = {
            "Content-Type": "application/json",
            "Authorization": f"Bearer {tokens[one.seat]}",
            "If-Match": f'"{version}"',
        }
        requests.append(request_bytes("POST", path, headers, json.dumps(one.move).encode()))
    return requests


def saturate(game: str, contenders: dict[str, Contender]) -> tuple[Ratio, float]:
    """Print moves a second of both; return the ratio, and Giornale's rate."""
    rates: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(RUNS):
        for name, contender in contenders.items():
            rates[name].append(contender.play().rate)

    ours = statistics.median(rates["giornale"])
    theirs = statistics.median(rates["bare"])
    print(f"{game}: {CONNECTIONS} connections, {ours:.0f} moves/s, bare {theirs:.0f} entries/s")
    name = f"{game}: POST move against a bare XADD, {CONNECTIONS} connections"
    return Ratio(name, ours / theirs, GOAL), ours


def pace(game: str, contenders: dict[str, Contender], rate: float) -> Ratio:
    """Print the slowest percentile of both at one rate; return Giornale's against the bare one."""
    slowest: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(RUNS):
        for name, contender in contenders.items():
            seconds = contender.play(rate).seconds
            slowest[name].append(1000 * p99(seconds))

    ours = statistics.median(slowest["giornale"])
    theirs = statistics.median(slowest["bare"])
    print(f"{game}: p99 at {rate:.0f} moves/s {ours:.1f} ms, bare {theirs:.1f} ms")
    name = f"{game}: p99 of a POSTed move at half of saturation against a bare XADD"
    return Ratio(name, ours / theirs, MOST_P99, smaller_is_better=True)


def compare(game: str, web_port: int, bare_port: int) -> list[Ratio]:
    """Print and return the ratios of a game."""
    moves = common_moves(game)[:MOVES]
    contenders = {
        "bare": bare(bare_port, moves),
        "giornale": giornale(web_port, game, moves),
    }
    for contender in contenders.values():
        contender.play()  # what only the first requests pay does not count

    saturated, rate = saturate(game, contenders)
    paced = pace(game, contenders, rate / 2)
    print(saturated, paced, sep="\n")
    return [saturated, paced]


def main() -> list[Ratio]:
    """Measure each game; return the ratios."""
    os.environ.setdefault("PYTHONPATH", ".")
    with (
        server() as url,
        web(url, WEB_WORKERS=str(WEB_PROCESSES)) as web_port,
        bare_service(url, WEB_PROCESSES) as bare_port,
    ):
        return [ratio for game in GAMES for ratio in compare(game, web_port, bare_port)]


if __name__ == "__main__":
    main()
