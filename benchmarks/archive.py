"""What an archived match takes, and how fast it is read.

`python -m benchmarks.archive` plays whole matches of bots on a bundled server, by the real clock;
lets them leave for an archive in a directory; and asks for states at versions drawn by chance, each
time as a process that has just started. The memory that stays in the server is that of heads,
sidecars, listings, feeds and markers.
"""

import statistics
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.matches import new_context, play_bots
from benchmarks.measure import Ratio
from domain.chance import FastChance
from domain.games import GAMES
from service.archive.archive import Archive, ArchiveTotals
from service.archive.journal import with_archive
from service.archive.packing import pack, unpack
from service.archive.places import open_place
from service.journal.port import Journal
from service.journal.redis import connect, open_journal
from service.journal.values import Whole
from service.keys.tokens import Caller
from service.ledger.commit import clock
from service.matches import lifecycle, views
from service.matches.context import Context
from service.matches.repository import at_version, load
from service.process.valkey import Server

MATCHES = 20
LOOKS = 100
MOST_BYTES = {"calimala": 18, "firenze": 30}  # a commit, packed
MOST_COLD_MS = 50
MILLISECONDS = 1000


@dataclass(frozen=True)
class Place:
    """Where a benchmark keeps its matches: an archive, and a desk over a server with it."""

    archive: Archive
    bare: Journal
    ctx: Context
    client: Any

    def used(self) -> int:
        """Return how many bytes of memory the server has in use."""
        return int(self.client.info("memory")["used_memory"])

    def cold(self) -> Context:
        """Return the desk of a process that has just started."""
        fresh = Archive(self.archive.place)
        return new_context(with_archive(self.bare, fresh))


class Memory(NamedTuple):
    """Bytes that matches take in the server: before they were archived, and after."""

    hot: int
    remaining: int


class Look(NamedTuple):
    """A version of a match that a desk is asked for."""

    ctx: Context
    match: str
    version: int


@dataclass(frozen=True)
class Times:
    """Milliseconds of many runs: by the clock, and of the processor alone; quickest first."""

    clock: list[float]
    processor: list[float]

    @property
    def p95(self) -> float:
        """What 95 of 100 runs take at most, by the clock."""
        return self.clock[len(self.clock) * 95 // 100]

    def __str__(self) -> str:
        """Return the medians and the p95s."""
        place = len(self.clock) * 95 // 100
        by_clock = f"{statistics.median(self.clock):.0f} ms, p95 {self.clock[place]:.0f} ms"
        median = statistics.median(self.processor)
        return f"{by_clock} (processor {median:.0f} ms, p95 {self.processor[place]:.0f} ms)"


def times_of(work: Callable[[Any], object], inputs: Iterable[Any]) -> Times:
    """Return how long some work takes with each of its inputs."""
    by_clock: list[float] = []
    of_processor: list[float] = []

    for one in inputs:
        start = time.perf_counter()
        start_of_processor = time.process_time()
        work(one)
        seconds = time.perf_counter() - start
        seconds_of_processor = time.process_time() - start_of_processor

        by_clock.append(seconds * MILLISECONDS)
        of_processor.append(seconds_of_processor * MILLISECONDS)

    return Times(sorted(by_clock), sorted(of_processor))


def measure_packing(game: str, ctx: Context, matches: Sequence[str]) -> None:
    """Print how long matches take to be packed and unpacked."""
    packed: list[bytes] = []

    def pack_match(match_id: str) -> None:
        commits = ctx.journal.events.read(match_id)
        packed.append(pack(match_id, Whole(commits, {})))

    packing = times_of(pack_match, matches)
    unpacking = times_of(unpack, packed)
    print(f"{game}: a match is packed (and tried) in {packing}")
    print(f"{game}: a match is unpacked in {unpacking}")


def cold_states(place: Place, matches: Sequence[str]) -> Times:
    """Return how long states at versions drawn by chance take."""
    chance = FastChance(1)
    looks = []
    for number in range(LOOKS):
        match = matches[number % len(matches)]
        head = place.ctx.journal.events.head(match)
        assert head is not None
        looks.append(Look(place.cold(), match, 1 + chance.below(head.version)))
    return times_of(state, looks)


def state(look: Look) -> object:
    """Return the public state of a match at a version, as a request does."""
    load(look.ctx, look.match)
    return views.view(at_version(look.ctx, look.match, look.version), Caller())


def archive_all(place: Place, matches: Sequence[str]) -> ArchiveTotals:
    """Let matches leave; return how many, and what they take."""
    left = ArchiveTotals()
    for match in matches:
        marker = lifecycle.archive(place.ctx, place.archive, match)
        if marker is not None:
            left.add(marker)
    return left


def measure(game: str, place: Place) -> list[Ratio]:
    """Print what archived matches of a game take; return the ratios."""
    play_bots(place.ctx, game)  # what only the first match makes does not count
    empty = place.used()
    matches = [play_bots(place.ctx, game) for _ in range(MATCHES)]
    hot = place.used() - empty
    measure_packing(game, place.ctx, matches[:5])

    before = cold_states(place, matches)
    left = archive_all(place, matches)
    assert left.matches == MATCHES
    memory = Memory(hot=hot, remaining=place.used() - empty)
    after = cold_states(place, matches)

    print_sizes(game, left, memory)
    print(f"{game}: a cold state takes {after}")
    print(f"{game}: before it was archived {before}")

    ratios = ratios_of(game, left, memory, after)
    print(*ratios, sep="\n")
    return ratios


def print_sizes(game: str, left: ArchiveTotals, memory: Memory) -> None:
    """Print what matches take in the server and in the archive."""
    commits = left.commits
    in_server = memory.hot / MATCHES
    packed = left.packed / MATCHES
    staying = memory.remaining / MATCHES

    print(f"{game}: {commits / MATCHES:.0f} commits a match")
    print(f"{game}: in the server {memory.hot / commits:.0f} bytes a commit")
    print(f"{game}: in the server {in_server:,.0f} bytes a match")
    print(f"{game}: archived {left.packed / commits:.1f} bytes a commit")
    print(f"{game}: archived {packed:,.0f} bytes a match")
    print(f"{game}: archived, {staying:,.0f} bytes a match stay in the server")


def ratios_of(game: str, left: ArchiveTotals, memory: Memory, cold: Times) -> list[Ratio]:
    """Return what goes into the history."""
    bytes_a_commit = Ratio(
        f"{game}: archived bytes a commit",
        left.packed / left.commits,
        MOST_BYTES[game],
        smaller_is_better=True,
    )
    cold_state = Ratio(
        f"{game}: cold state p95, ms",
        cold.p95,
        MOST_COLD_MS,
        smaller_is_better=True,
    )
    return [
        Ratio(f"{game}: JSON against archived", left.stored / left.packed),
        Ratio(f"{game}: memory against what stays", memory.hot / memory.remaining),
        bytes_a_commit,
        cold_state,
    ]


def main() -> list[Ratio]:
    """Measure each game; return the ratios."""
    ratios: list[Ratio] = []
    for game in GAMES:
        with tempfile.TemporaryDirectory() as name, Server(Path(name) / "journal") as running:
            archive = Archive(open_place(f"{name}/archive"))
            bare = open_journal(running.url)
            ctx = new_context(with_archive(bare, archive))
            with connect(running.url) as client:
                place = Place(archive, bare, replace(ctx, clock=clock), client)
                ratios += measure(game, place)
    return ratios


if __name__ == "__main__":
    main()
