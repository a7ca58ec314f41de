"""What raw connections to Redis bring: processor time of a POSTed move, with and without them.

Run `python -m benchmarks.raw_connections`. The same moves are posted to the web application in this
process, over a bundled server; rounds with raw connections and rounds with redis-py's client
alternate, and the medians count. Sockets and the web server's threads are not part of it.
"""

import statistics
import tempfile
import time
from collections.abc import Sequence
from typing import Any

from werkzeug.test import Client

from benchmarks.matches import HUMANS, SEED, SeatMove, common_moves
from benchmarks.web import server, settings
from domain.games import GAMES
from service.api.app import create_app
from service.api.http.context import services_of
from service.config import Config

ROUNDS = 15


def microseconds(client: Client, game: str, moves: Sequence[SeatMove]) -> float:
    """Return the processor time of a move, the mean of a new match."""
    asked = {"game": game, "seats": HUMANS, "seed": SEED}
    match: Any = client.post("/v1/matches", json=asked).json
    tokens = [match["tokens"][f"seat:{seat}"] for seat in range(len(HUMANS))]

    start = time.process_time()
    for version, seat_move in enumerate(moves, 1):
        headers = {
            "Authorization": f"Bearer {tokens[seat_move.seat]}",
            "If-Match": f'"{version}"',
        }
        path = f"/v1/matches/{match['id']}/moves"
        answer = client.post(path, json=seat_move.move, headers=headers)
        assert answer.status_code == 201
    return (time.process_time() - start) / len(moves) * 1e6


def compare(client: Client, store: Any, game: str) -> None:
    """Print the processor time of a game's moves both ways."""
    moves = common_moves(game)
    raw = store.raw
    figures: dict[str, list[float]] = {"raw connections": [], "redis-py": []}
    for _ in range(ROUNDS):
        for name, times in figures.items():
            store.raw = raw if name == "raw connections" else None
            times.append(microseconds(client, game, moves))

    store.raw = raw
    for name, times in figures.items():
        print(f"{game}: {statistics.median(times):.0f} us of processor time a move, by {name}")


def main() -> None:
    """Compare the moves of each game."""
    with server() as url, tempfile.TemporaryDirectory() as directory:
        app = create_app(Config.load(settings(url, directory)))
        events: Any = services_of(app).ctx.journal.events
        for game in GAMES:
            compare(Client(app), events._store, game)


if __name__ == "__main__":
    main()
