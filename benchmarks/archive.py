"""What a match takes in the server and in an archive, and how fast an archived one is read.

Whole matches of bots are played on a bundled server, by the real clock. It is read how much its
memory and its file grew, against the JSON of the same commits. Then they leave for an archive in a
directory. States at versions drawn by chance are asked for, each time as a process that has just
started. The memory that stays in the server is that of heads, metadata, listings, feeds and
markers.
"""

import statistics
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.matches import new_context, play_bots
from benchmarks.measure import Figures, Ratio, limit, p95, show, timed
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
PACKED = 5  # of them, to see how long that takes
LOOKS = 100
MOST_BYTES = {"calimala": 18, "firenze": 30}  # a commit, packed
MOST_COLD_MS = 50


@dataclass(frozen=True)
class Place:
    """Where a benchmark keeps its matches: an archive, and a context over a server with it."""

    archive: Archive
    bare: Journal
    ctx: Context
    client: Any
    directory: Path

    def used(self) -> int:
        """Return how many bytes of memory the server has in use."""
        return int(self.client.info("memory")["used_memory"])

    def file(self) -> int:
        """Return how many bytes the server's append-only file has."""
        files = (self.directory / "appendonlydir").glob("*.aof*")
        return sum(path.stat().st_size for path in files)

    def cold(self) -> Context:
        """Return the context of a process that has just started."""
        return new_context(with_archive(self.bare, Archive(self.archive.place)))


def times_of(what: str, work: Callable[..., object], inputs: Iterable[Any]) -> list[float]:
    """Print how many milliseconds some work takes with each of its inputs, and return them."""
    taken = [1000 * timed(partial(work, each)) for each in inputs]
    show(what, {"median": statistics.median(taken), "p95": p95(taken)}, "ms")
    return taken


def measure_packing(game: str, ctx: Context, matches: Sequence[str]) -> None:
    """Print how long matches take to be packed and unpacked."""
    packed: list[bytes] = []

    def pack_match(match_id: str) -> None:
        packed.append(pack(match_id, Whole(ctx.journal.events.read(match_id), {})))

    times_of(f"{game}: a match is packed (and tried)", pack_match, matches)
    times_of(f"{game}: a match is unpacked", unpack, packed)


def cold_states(what: str, place: Place, matches: Sequence[str]) -> list[float]:
    """Print how long public states at versions drawn by chance take, as requests ask for them."""
    chance = FastChance(1)
    looks: list[tuple[Context, str, int]] = []
    for number in range(LOOKS):
        match = matches[number % len(matches)]
        head = place.ctx.journal.events.head(match)
        assert head is not None
        looks.append((place.cold(), match, 1 + chance.below(head.version)))

    def state(look: tuple[Context, str, int]) -> None:
        ctx, match, version = look
        load(ctx, match)
        views.view(at_version(ctx, match, version), Caller())

    return times_of(what, state, looks)


def archive_all(place: Place, matches: Sequence[str]) -> ArchiveTotals:
    """Let matches leave; return how many, and what they take."""
    left = ArchiveTotals()
    for match in matches:
        marker = lifecycle.archive(place.ctx, place.archive, match)
        if marker is not None:
            left.add(marker)
    assert left.matches == MATCHES
    return left


def measure(game: str, place: Place) -> Figures:
    """Print what archived matches of a game take; return the ratios."""
    play_bots(place.ctx, game)  # what only the first match makes does not count
    empty, before = place.used(), place.file()
    matches = [play_bots(place.ctx, game) for _ in range(MATCHES)]
    hot, file = place.used() - empty, place.file() - before
    measure_packing(game, place.ctx, matches[:PACKED])

    cold_states(f"{game}: a cold state before it is archived", place, matches)
    left = archive_all(place, matches)
    remaining = place.used() - empty
    cold = cold_states(f"{game}: a cold state", place, matches)

    commits = left.commits
    packed = left.packed / commits
    show(f"{game}: a commit", {"in the server": hot / commits, "file": file / commits}, "bytes")
    a_match = {"archived": left.packed, "in the server": hot, "staying there": remaining}
    print(f"{game}: {commits / MATCHES:.0f} commits a match")
    show(f"{game}: a match", {name: size / MATCHES for name, size in a_match.items()}, "bytes")
    return [
        limit(f"{game}: memory against JSON", hot / left.stored),
        limit(f"{game}: file against JSON", file / left.stored),
        Ratio(f"{game}: JSON against archived", left.stored / left.packed),
        Ratio(f"{game}: memory against what stays", hot / remaining),
        limit(f"{game}: archived bytes a commit", packed, MOST_BYTES[game]),
        limit(f"{game}: cold state p95, ms", p95(cold), MOST_COLD_MS),
    ]


def main() -> Figures:
    """Measure each game; return the ratios."""
    ratios: Figures = []
    for game in GAMES:
        with tempfile.TemporaryDirectory() as name, Server(Path(name) / "journal") as running:
            directory = Path(name) / "journal"
            archive = Archive(open_place(f"{name}/archive"))
            bare = open_journal(running.url)
            ctx = new_context(with_archive(bare, archive))
            with connect(running.url) as client:
                place = Place(archive, bare, replace(ctx, clock=clock), client, directory)
                ratios += measure(game, place)
    return ratios
