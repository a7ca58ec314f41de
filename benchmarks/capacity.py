"""How much a match takes, and how many moves a core makes: the figures that sizes are chosen by.

Whole matches of bots are played on a bundled server; it is read how much its memory and its file
grew, against the JSON of the same commits. Then moves are posted over HTTP, and it is read how much
processor time the web process took.
"""

import resource
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.matches import SeatMove, common_moves, new_context, play_bots
from benchmarks.measure import Figures, limit, show
from benchmarks.moves import post_to_giornale
from benchmarks.web import Client, server, web
from domain.games import GAMES
from service.journal.redis import connect, open_journal
from service.process.valkey import Server

MATCHES = 20
FEW_ROUNDS = 4
MANY_ROUNDS = 3 * FEW_ROUNDS


class Size(NamedTuple):
    """Bytes that a server has in memory and in its append-only file."""

    memory: int
    file: int


def size_of(client: Any, directory: Path) -> Size:
    """Return how much a server holds now, whose files lie in a directory."""
    memory = int(client.info("memory")["used_memory"])
    files = [path for path in (directory / "appendonlydir").iterdir() if ".aof" in path.name]
    return Size(memory, sum(path.stat().st_size for path in files))


def measure_matches(game: str) -> Figures:
    """Print what matches of a game take, in memory and on the disk; return both against JSON."""
    with tempfile.TemporaryDirectory() as name, Server(Path(name)) as running:
        directory = Path(name)
        ctx = new_context(open_journal(running.url))
        play_bots(ctx, game)  # what only the first match makes does not count

        with connect(running.url) as client:
            before = size_of(client, directory)
            matches = [play_bots(ctx, game) for _ in range(MATCHES)]
            after = size_of(client, directory)

        sizes = [len(one) for match in matches for one in ctx.journal.events.read(match)]

    memory = after.memory - before.memory
    file = after.file - before.file
    commits = len(sizes)
    print(f"{game}: {commits / MATCHES:.0f} commits a match")
    show(f"{game}: a commit", {"memory": memory / commits, "file": file / commits}, "bytes")
    show(f"{game}: a match", {"memory": memory / MATCHES / 1000}, "kB")
    return [
        limit(f"{game}: memory against JSON", memory / sum(sizes)),
        limit(f"{game}: file against JSON", file / sum(sizes)),
    ]


def seconds_for(url: str, game: str, moves: list[SeatMove], matches: int) -> float:
    """Return the processor seconds of a web process that takes the moves of some matches.

    Its start is included.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with web(url) as port:
        client = Client(port)
        for _ in range(matches):
            post_to_giornale(client, game, moves)
        client.connection.close()

    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def measure_moves(game: str) -> None:
    """Print how many moves a second one core of a web process makes; its start is left out."""
    moves = common_moves(game)
    with server() as url:
        few = seconds_for(url, game, moves, FEW_ROUNDS)
        many = seconds_for(url, game, moves, MANY_ROUNDS)

    seconds = (many - few) / ((MANY_ROUNDS - FEW_ROUNDS) * len(moves))
    show(f"{game}: one core of a web process", {"makes": 1 / seconds}, "moves/s")


def main() -> Figures:
    """Measure each game; return the ratios."""
    ratios: Figures = []
    for game in GAMES:
        ratios += measure_matches(game)
        measure_moves(game)
    return ratios
