"""How much a match takes, and how many moves a core makes: the figures that sizes are chosen by.

`python -m benchmarks.capacity` plays whole matches of bots on a bundled server and reads how much its memory and its
file grew; then it posts moves over HTTP and reads how much processor time the web process took. Memory is compared
with the JSON of the same commits.
"""

import os
import resource
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.http import Line, giornale, line
from benchmarks.web import Client, server, web
from domain.games import GAMES
from domain.match.state import work
from service.journal.redis import connect, open_journal
from service.matches import house
from service.matches.desk import Desk
from service.matches.loading import load, pieces
from service.matches.opening import Wish, open_new
from service.process.valkey import Server
from workers.bots import choose

MATCHES = 20
SEATS = 3
ROUNDS = 4


def play(desk: Desk, game: str) -> str:
    """Play a match of bots to its revelation; return its id."""
    match = open_new(desk, Wish(game, [{"kind": "bot", "level": "random"}] * SEATS)).loaded.id
    while True:
        waiting = work(load(desk, match).match)
        if waiting == "house":
            house.act(desk, match)
        elif waiting == "bots":
            house.play_bots(desk, match, choose)
        else:
            return match


def size(desk: Desk, match: str) -> tuple[int, int]:
    """Return how many commits a match has, and how many bytes of JSON."""
    head = desk.journal.head(match)
    assert head is not None
    commits = [data for piece in pieces(desk, match, 0, head.version) for data in piece]
    return len(commits), sum(map(len, commits))


def stored(client: Any, directory: Path) -> tuple[int, int]:
    """Return how many bytes the server has in memory, and in its append-only file."""
    files = [path for path in (directory / "appendonlydir").iterdir() if ".aof" in path.name]
    return int(client.info("memory")["used_memory"]), sum(path.stat().st_size for path in files)


def measure_matches(game: str) -> None:
    """Print what matches of a game take in memory and on the disk."""
    with tempfile.TemporaryDirectory() as name, Server(Path(name)) as running:
        clock = iter(range(1_800_000_000_000, 2_000_000_000_000, 1000))
        desk = Desk(open_journal(running.url), bytes(32), lambda: next(clock), lambda *_: None)
        play(desk, game)  # what the first match makes once does not count

        with connect(running.url) as client:
            memory, file = stored(client, Path(name))
            sizes = [size(desk, play(desk, game)) for _ in range(MATCHES)]
            memory_after, file_after = stored(client, Path(name))

    commits = sum(count for count, _ in sizes)
    json = sum(count for _, count in sizes)
    memory, file = memory_after - memory, file_after - file
    print(
        f"{game}: {MATCHES} matches of bots, {commits / MATCHES:.0f} commits each; "
        f"memory {memory / commits:.0f} bytes a commit, {memory / MATCHES / 1000:.0f} kB a match; "
        f"file {file / commits:.0f} bytes a commit"
    )
    print(
        f"{game}: memory against the JSON of the commits: {memory / json:.2f}; file: {file / json:.2f}"
    )


@contextmanager
def processor_time() -> Iterator[list[float]]:
    """Yield a list that holds, at the end, the processor seconds of all children that ended within."""
    spent: list[float] = []
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    yield spent
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def seconds_for(url: str, game: str, moves: Line, matches: int) -> float:
    """Return the processor seconds of a web process that takes the moves of some matches, its start included."""
    with processor_time() as spent, web(url) as port:
        client = Client(port)
        for _ in range(matches):
            giornale(client, game, moves)
        client.connection.close()
    return spent[0]


def measure_moves(game: str) -> None:
    """Print how many moves a second one core of a web process makes; what it takes to start is left out."""
    moves = line(game)
    with server() as url:
        few = seconds_for(url, game, moves, ROUNDS)
        many = seconds_for(url, game, moves, 3 * ROUNDS)
    each = (many - few) / (2 * ROUNDS * len(moves))
    print(
        f"{game}: {each * 1e6:.0f} microseconds of processor time a move, {1 / each:.0f} moves a second a core"
    )


def main() -> None:
    """Measure each game and print."""
    for game in GAMES:
        measure_matches(game)
        measure_moves(game)


if __name__ == "__main__":
    os.environ.setdefault("PYTHONPATH", ".")
    main()
