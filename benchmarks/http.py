"""A move over HTTP, against the least that a web service with a log can do.

`python -m benchmarks.http` posts the same moves to Giornale and to a bare Flask route that does one
XADD, in turn, both under Granian on the same Redis server, over one connection; prints moves a
second and the ratio.
"""

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from benchmarks.matches import SEED, SeatMove, common_moves
from benchmarks.measure import Ratio, interleaved, rate
from benchmarks.web import HOST, Client, await_port, open_match, running, server, web
from domain.games import GAMES
from service.process.address import free_port

RUNS = 7
GOAL = 0.7

# As long as a seat's token, so that both services read as much.
SOME_TOKEN = "gio_" + "a" * 70


@contextmanager
def bare_service(url: str, processes: int = 1) -> Iterator[int]:
    """Run the bare route on a server, in so many web processes; yield the port."""
    port = free_port(HOST, 0)
    environ = {"BARE_REDIS": url, "BARE_PORT": str(port), "BARE_WORKERS": str(processes)}
    with running("benchmarks.http_bare", **environ):
        await_port(port)
        yield port


def post_all(client: Client, path: str, moves: Sequence[SeatMove], tokens: Sequence[str]) -> float:
    """Post moves, the first at version 1, with the tokens of the seats; return moves a second."""

    def post() -> None:
        for version, seat_move in enumerate(moves, 1):
            token = tokens[seat_move.seat]
            headers = {"If-Match": f'"{version}"'}
            status, _ = client.ask("POST", path, seat_move.move, token, **headers)
            assert status == 201

    return rate(len(moves), post)


def post_to_giornale(client: Client, game: str, moves: Sequence[SeatMove]) -> float:
    """Return how many moves a second are made in a new match."""
    match = open_match(client, game, seed=SEED)
    tokens = [match["tokens"][f"seat:{seat}"] for seat in range(len(match["seats"]))]
    return post_all(client, f"/v1/matches/{match['id']}/moves", moves, tokens)


def post_to_bare(client: Client, moves: Sequence[SeatMove]) -> float:
    """Return how many entries a second are added to a new stream."""
    tokens = [SOME_TOKEN] * 3
    return post_all(client, f"/bench-{time.time_ns()}/moves", moves, tokens)


def compare(game: str, giornale: Client, bare: Client) -> Ratio:
    """Print moves a second of both services; return the ratio."""
    moves = common_moves(game)
    contenders = {
        "bare": lambda: post_to_bare(bare, moves),
        "giornale": lambda: post_to_giornale(giornale, game, moves),
    }
    rates = interleaved(RUNS, contenders)
    print(f"{game}: {rates['giornale']:.0f} moves/s, bare {rates['bare']:.0f} entries/s")

    ratio = Ratio(f"{game}: POST move against a bare XADD", rates["giornale"] / rates["bare"], GOAL)
    print(ratio)
    return ratio


def main() -> list[Ratio]:
    """Measure each game; return the ratios."""
    os.environ.setdefault("PYTHONPATH", ".")
    with server() as url, web(url) as port, bare_service(url) as bare_port:
        giornale = Client(port)
        bare = Client(bare_port)
        return [compare(game, giornale, bare) for game in GAMES]


if __name__ == "__main__":
    main()
