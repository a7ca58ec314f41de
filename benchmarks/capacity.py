"""How much a match takes, and how many moves a core makes: the figures that sizes are chosen by.

`python -m benchmarks.capacity` plays whole matches of bots on a bundled server and reads how much
its memory and its file grew; then it posts moves over HTTP and reads how much processor time the
web process took. Memory is compared with the JSON of the same commits.
"""

import os
import resource
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.http import post_to_giornale
from benchmarks.matches import SeatMove, common_moves, new_context, play_bots
from benchmarks.measure import Ratio
from benchmarks.web import Client, server, web
from domain.games import GAMES
from service.journal.redis import connect, open_journal
from service.matches.context import Context
from service.matches.repository import pieces
from service.process.valkey import Server

MATCHES = 20
FEW_ROUNDS = 4
MANY_ROUNDS = 3 * FEW_ROUNDS


@dataclass(frozen=True)
class Size:
    """Bytes that a server has in memory and in its append-only file."""

    memory: int
    file: int

    def __sub__(self, other: "Size") -> "Size":
        return Size(self.memory - other.memory, self.file - other.file)


def size_on(client: Any, directory: Path) -> Size:
    """Return how much a server holds now, whose files lie in a directory."""
    memory = int(client.info("memory")["used_memory"])
    files = [path for path in (directory / "appendonlydir").iterdir() if ".aof" in path.name]
    return Size(memory, sum(path.stat().st_size for path in files))


def commit_sizes(ctx: Context, match_id: str) -> list[int]:
    """Return the bytes of JSON of each commit of a match."""
    head = ctx.journal.events.head(match_id)
    assert head is not None

    return [
        len(commit_bytes)
        for piece in pieces(ctx, match_id, 0, head.version)
        for commit_bytes in piece
    ]


def measure_matches(game: str) -> list[Ratio]:
    """Print what matches of a game take, in memory and on the disk; return both against JSON."""
    with tempfile.TemporaryDirectory() as name, Server(Path(name)) as running:
        directory = Path(name)
        ctx = new_context(open_journal(running.url))
        play_bots(ctx, game)  # what only the first match makes does not count

        with connect(running.url) as client:
            before = size_on(client, directory)
            sizes: list[int] = []
            for _ in range(MATCHES):
                sizes += commit_sizes(ctx, play_bots(ctx, game))
            grown = size_on(client, directory) - before

    commits = len(sizes)
    json_bytes = sum(sizes)
    print(f"{game}: {MATCHES} matches of bots, {commits / MATCHES:.0f} commits each")
    print(f"{game}: memory {grown.memory / commits:.0f} bytes a commit")
    print(f"{game}: memory {grown.memory / MATCHES / 1000:.0f} kB a match")
    print(f"{game}: file {grown.file / commits:.0f} bytes a commit")

    memory_share = grown.memory / json_bytes
    file_share = grown.file / json_bytes
    ratios = [
        Ratio(f"{game}: memory against JSON", memory_share, smaller_is_better=True),
        Ratio(f"{game}: file against JSON", file_share, smaller_is_better=True),
    ]
    print(*ratios, sep="\n")
    return ratios


@contextmanager
def processor_time() -> Iterator[list[float]]:
    """Yield a list; at the end it holds the processor seconds of all children that ended within."""
    spent: list[float] = []
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    yield spent

    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    user = after.ru_utime - before.ru_utime
    system = after.ru_stime - before.ru_stime
    spent.append(user + system)


def seconds_for(url: str, game: str, moves: list[SeatMove], matches: int) -> float:
    """Return the processor seconds of a web process that takes the moves of some matches.

    Its start is included.
    """
    with processor_time() as spent, web(url) as port:
        client = Client(port)
        for _ in range(matches):
            post_to_giornale(client, game, moves)
        client.connection.close()
    return spent[0]


def measure_moves(game: str) -> None:
    """Print how many moves a second one core of a web process makes; its start is left out."""
    moves = common_moves(game)
    with server() as url:
        few = seconds_for(url, game, moves, FEW_ROUNDS)
        many = seconds_for(url, game, moves, MANY_ROUNDS)

    seconds = (many - few) / ((MANY_ROUNDS - FEW_ROUNDS) * len(moves))
    print(f"{game}: {seconds * 1e6:.0f} microseconds of processor time a move")
    print(f"{game}: {1 / seconds:.0f} moves a second a core")


def main() -> list[Ratio]:
    """Measure each game; return the ratios."""
    os.environ.setdefault("PYTHONPATH", ".")
    ratios: list[Ratio] = []
    for game in GAMES:
        ratios += measure_matches(game)
        measure_moves(game)
    return ratios


if __name__ == "__main__":
    main()
