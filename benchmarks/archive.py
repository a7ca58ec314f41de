"""The bytes of a match in the server and in an archive, and the time to read an archived one.

Bots play whole matches on a bundled server, by the real clock. The growth of its memory and of its
file is compared with the JSON of the same commits. Then the matches leave for an archive in a
directory, and the feeds are trimmed of all logged lines. Heads, metadata, lists and markers stay.
States at versions drawn by chance are read, each time as a process that has just started.
"""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.log import seal, sequencer_of, trim
from benchmarks.matches import new_context, play_bots
from benchmarks.measure import Figures, Ratio, limit, milliseconds, p95, show, show_spread
from domain.chance import FastChance
from domain.games import GAMES
from service.matches import lifecycle, views
from service.matches.context import Context
from service.matches.repository import load, load_version
from service.ops.process.valkey import Server
from service.record.commit import clock
from service.store.archive.archive import Archive, ArchiveTotals
from service.store.archive.journal import with_archive
from service.store.archive.packing import pack, unpack
from service.store.archive.places import open_place
from service.store.journal.keys import ORDER
from service.store.journal.ports import Journal
from service.store.journal.redis import connect, open_journal
from service.store.journal.values import Whole
from service.store.keys.tokens import Caller
from service.store.tlog.log import open_log

MATCHES = 20
PARTITIONS = 4  # few, so that their own bytes do not count
LOOKS = 100
MOST_BYTES = {"calimala": 18, "firenze": 30}  # a commit, packed


@dataclass(frozen=True)
class Place:
    """A server in a directory, an archive beside it, and the journal of both."""

    directory: Path
    client: Any
    archive: Archive
    bare: Journal

    def used(self) -> tuple[int, int]:
        """Return the bytes of memory that the server uses, and the bytes of its file.

        The last, partial bundle of the log does not count.
        """
        files = (self.directory / "appendonlydir").glob("*.aof*")
        memory = self.client.info("memory")["used_memory"]
        partial_bundle = self.client.memory_usage(ORDER[0], samples=0) or 0
        return int(memory - partial_bundle), sum(path.stat().st_size for path in files)

    def seal(self) -> None:
        """Seal all commits in the log, and trim the feeds to their last lines."""
        log = open_log(self.bare.order, f"{self.directory.parent}/archive", self.directory)
        seal(sequencer_of(self.new_process().journal, log, self.directory))
        trim(self.bare)

    def new_process(self) -> Context:
        """Return the context of a process that has just started."""
        return new_context(with_archive(self.bare, Archive(self.archive.place)))


def measure_packing(game: str, ctx: Context, matches: Sequence[str]) -> None:
    """Print the times of packing and unpacking matches."""
    wholes = {match: Whole(ctx.journal.events.read(match), {}) for match in matches}
    packed = [pack(*each) for each in wholes.items()]
    took = [milliseconds(partial(pack, *each)) for each in wholes.items()]
    show_spread(f"{game}: a match is packed (and tried)", took, "ms")
    took = [milliseconds(partial(unpack, each)) for each in packed]
    show_spread(f"{game}: a match is unpacked", took, "ms")


def look(ctx: Context, match: str, version: int) -> None:
    """Read the public state at a version, as a request does."""
    load(ctx, match)
    views.view(load_version(ctx, match, version), Caller())


def cold_states(what: str, place: Place, matches: Sequence[str]) -> list[float]:
    """Print and return the times of a new process for states at versions drawn by chance."""
    chance = FastChance(1)
    took = []
    for number in range(LOOKS):
        match = matches[number % len(matches)]
        head = place.bare.events.head(match)
        assert head is not None
        version = 1 + chance.below(head.version)
        took.append(milliseconds(partial(look, place.new_process(), match, version)))
    show_spread(what, took, "ms")
    return took


def measure(game: str, place: Place) -> Figures:
    """Print the bytes and times of a game's archived matches. Return the ratios."""
    ctx = replace(place.new_process(), clock=clock)
    # Things that only the first match creates do not count.
    lifecycle.archive(ctx, place.archive, play_bots(ctx, game))
    place.seal()
    memory_before, file_before = place.used()
    matches = [play_bots(ctx, game) for _ in range(MATCHES)]
    memory, file = place.used()
    hot, file = memory - memory_before, file - file_before

    measure_packing(game, ctx, matches[:5])
    cold_states(f"{game}: a cold state before it is archived", place, matches)
    totals = ArchiveTotals()
    for match in matches:
        marker = lifecycle.archive(ctx, place.archive, match)
        assert marker is not None
        totals.add(marker)
    place.seal()
    remaining = place.used()[0] - memory_before
    cold = cold_states(f"{game}: a cold state", place, matches)

    commits = totals.commits
    print(f"{game}: {commits / MATCHES:.0f} commits a match")
    show(f"{game}: a commit", {"in the server": hot / commits, "file": file / commits}, "bytes")
    a_match = {"archived": totals.packed, "in the server": hot, "staying there": remaining}
    show(f"{game}: a match", {name: size / MATCHES for name, size in a_match.items()}, "bytes")
    return [
        limit(f"{game}: memory against JSON", hot / totals.stored),
        limit(f"{game}: file against JSON", file / totals.stored),
        Ratio(f"{game}: JSON against archived", totals.stored / totals.packed),
        Ratio(f"{game}: memory against what stays", hot / remaining),
        limit(f"{game}: archived bytes a commit", totals.packed / commits, MOST_BYTES[game]),
        limit(f"{game}: cold state p95, ms", p95(cold), 50),
    ]


def main() -> Figures:
    """Measure each game. Return the ratios."""
    ratios: Figures = []
    for game in GAMES:
        with tempfile.TemporaryDirectory() as name, Server(Path(name, "journal")) as running:
            archive = Archive(open_place(f"{name}/archive"))
            with connect(running.url) as client:
                place = Place(
                    Path(name, "journal"), client, archive, open_journal(running.url, PARTITIONS)
                )
                ratios += measure(game, place)
    return ratios
