"""A move over HTTP, against the least that a web service with a log can do.

`python -m benchmarks.http` posts the same moves to Giornale and to a bare Flask route that does one XADD, in turn, both
under Granian on the same Redis server, over one connection; prints moves a second and the ratio.
"""

import os
import time
from typing import Any

from benchmarks.measure import interleaved, report
from benchmarks.web import HOST, Client, await_port, running, server, web
from domain.chance import Light, pick
from domain.games import GAMES
from domain.match.state import actors
from domain.wire import HOUSE
from service.journal.memory import MemoryJournal
from service.matches import playing
from service.matches.desk import Desk
from service.matches.loading import load
from service.matches.opening import Wish, open_new
from service.process.address import free_port

RUNS = 7
MOVES = 250
GOAL = 0.6
SEED = "benchmark"
Line = list[tuple[int, dict[str, Any]]]


def line(game: str) -> Line:
    """Return moves that are legal in every match of the same seed, until the house must act: seat and move."""
    desk = Desk(MemoryJournal(), bytes(32), lambda: 0, lambda *_: None, allow_seed=True)
    opened = open_new(desk, Wish(game, [{"kind": "human"}] * 3, seed=SEED))
    chance, moves = Light(1), Line()
    while len(moves) < MOVES:
        loaded = load(desk, opened.loaded.id)
        waiting = actors(loaded.match)
        if waiting in ((), (HOUSE,)):
            break
        legal = playing.legal_moves(loaded, waiting[0])
        moves.append((waiting[0], legal[pick(chance, [1] * len(legal))]))
        playing.move(desk, opened.loaded.id, opened.tokens[f"seat:{waiting[0]}"], moves[-1][1])
    return moves


def giornale(client: Client, game: str, moves: Line) -> float:
    """Return how many moves a second are made in a new match."""
    _, match = client.ask(
        "POST", "/v1/matches", {"game": game, "seats": [{"kind": "human"}] * 3, "seed": SEED}
    )
    path, tokens = (
        f"/v1/matches/{match['id']}/moves",
        [match["tokens"][f"seat:{seat}"] for seat in range(3)],
    )
    start = time.perf_counter()
    for number, (seat, move) in enumerate(moves, 1):
        status, _ = client.ask("POST", path, move, tokens[seat], **{"If-Match": f'"{number}"'})
        assert status == 201
    return len(moves) / (time.perf_counter() - start)


def bare(client: Client, moves: Line) -> float:
    """Return how many entries a second are added to a new stream."""
    path, token = f"/bench-{time.time_ns()}/moves", "gio_" + "a" * 70
    start = time.perf_counter()
    for number, (_, move) in enumerate(moves, 1):
        status, _ = client.ask("POST", path, move, token, **{"If-Match": f'"{number}"'})
        assert status == 201
    return len(moves) / (time.perf_counter() - start)


def main() -> None:
    """Measure each game and print."""
    port = free_port(HOST, 0)
    with (
        server() as url,
        web(url) as ours,
        running("benchmarks.http_bare", BARE_REDIS=url, BARE_PORT=str(port)),
    ):
        await_port(port)
        for game in GAMES:
            moves, first, second = line(game), Client(ours), Client(port)
            rates = interleaved(
                RUNS,
                {
                    "bare": lambda: bare(second, moves),  # noqa: B023
                    "giornale": lambda: giornale(first, game, moves),  # noqa: B023
                },
            )
            print(f"{game}: {rates['giornale']:.0f} moves/s, bare {rates['bare']:.0f} entries/s")
            report(
                f"{game}: POST move against a bare XADD", rates["giornale"] / rates["bare"], GOAL
            )


if __name__ == "__main__":
    os.environ.setdefault("PYTHONPATH", ".")
    main()
