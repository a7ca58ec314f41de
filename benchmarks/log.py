"""The log: sealing of an older journal, the wait of a commit for its position, and proofs.

Also the folding of the ratings that follow from it.

A bundled server is filled with made-up, unsealed matches, first with a tenth of them and then with
the others: the times of a round and of a proof must hardly grow with the log. Commits are awaited
while the scheduler's thread works. `append` shows its cost for appends, with a service beside it or
without, and `reading` shows the times of pages of the feed.

MATCHES=100000 seals a million.
"""

import tempfile
import time
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from statistics import median

import orjson

from benchmarks.append import PARTITIONS, entry
from benchmarks.matches import new_context
from benchmarks.measure import Figures, Ratio, limit, milliseconds, p99, show_spread, worked
from benchmarks.scale import fill, is_rewritten
from domain.chance import FastChance
from service.base.rounds import Rounds
from service.capabilities.log import use_cases as feed
from service.capabilities.log.rounds import Sequencing
from service.matches.context import Context
from service.ops.process.valkey import Server
from service.record.commit import clock, timestamp
from service.record.ratings import MatchResult, OrderKey as RatedPlace, Seated
from service.store.journal.ports import Journal
from service.store.journal.redis import connect, open_journal
from service.store.journal.values import Entry
from service.store.keys.signer import Signer
from service.store.tlog.log import Log, open_log
from service.store.tlog.ratings import Ratings
from service.store.tlog.sequencer import Sequencer
from tests.running import until

MATCHES = 10_000  # even a tenth of them lie in all partitions
COMMITS = 10
LOOKS = 200
RATED = 10_000  # matches


def with_json(one: Entry) -> Entry:
    """Return a commit with bytes that name it."""
    content = {"match": one.match, "version": one.head.version, "time": timestamp(one.head.updated)}
    stored = {"commit": content, "hash": one.head.hash, "filler": one.commit_bytes[:300].decode()}
    return replace(one, commit_bytes=orjson.dumps(stored))


def sequencer_of(journal: Journal, log: Log, directory: Path) -> Sequencer:
    """Return a sequencer with its key in a directory."""
    return Sequencer(journal, log, Signer(directory / "log-keys.json", clock), clock)


def seal(sequencer: Sequencer) -> None:
    """Sequence all commits, and publish."""
    while sequencer.round().decided:
        pass
    sequencer.publish()


def trim(journal: Journal) -> None:
    """Trim the feeds to their last sealed lines, however young the lines are."""
    for partition, cursor in journal.order.state().cursors.items():
        journal.order.trim(partition, cursor, 0, 1_000_000)


class Place:
    """A journal, its log and a sequencer."""

    def __init__(self, url: str, directory: Path) -> None:
        self.url = url
        self.directory = directory
        self.ctx: Context = new_context(open_journal(url, PARTITIONS))
        self.log: Log = open_log(self.ctx.journal.order, f"{directory}/archive", directory)
        self.ctx = replace(self.ctx, log=self.log)
        self.sequencer = sequencer_of(self.ctx.journal, self.log, directory)
        self._others = count(MATCHES)  # matches that come later

    def index(self) -> None:
        """Let the index of this machine catch up."""
        while self.log.catch_up():
            pass

    def append(self) -> None:
        """Append a commit."""
        self.ctx.journal.events.append(with_json(entry(next(self._others), 1)))

    def rounds(self) -> list[float]:
        """Return the milliseconds of rounds with one commit to seal and little to trim."""
        trim(self.ctx.journal)
        with connect(self.url) as client:
            until(partial(is_rewritten, client), "no file is rewritten", 600)
        sequencer = sequencer_of(self.ctx.journal, self.log, self.directory)

        def one_round() -> float:
            self.append()
            return milliseconds(sequencer.round)

        return [one_round() for _ in range(LOOKS)]

    def wait(self) -> None:
        """Append a commit, and wait until it has its position."""
        size = self.log.size()
        self.append()
        while self.log.size() == size:
            time.sleep(0.002)


def measure_proofs(place: Place) -> Figures:
    """Read proofs of commits drawn by chance. Return their length and time."""
    chance = FastChance(1)
    drawn = [(chance.below(MATCHES), 1 + chance.below(COMMITS)) for _ in range(LOOKS)]
    hashes = [entry(*one).head.hash for one in drawn]
    took = [milliseconds(partial(feed.proof, place.ctx, one)) for one in hashes]
    show_spread("a proof", took, "ms")
    longest = max(len(feed.proof(place.ctx, one).hashes) for one in hashes)
    return [
        limit("log: a proof, p99 ms", p99(took), 5),
        limit("log: hashes of the longest proof", longest, 20),
    ]


def measure_ratings(file: Path) -> float:
    """Return the seconds to fold the ratings of RATED matches into a file."""
    chance = FastChance(1)
    players = RATED // 20
    results = []
    for number in range(RATED):
        best = chance.below(players)
        seated = [f"{(best + 7 * seat) % players:064x}" for seat in range(2 + number % 3)]
        seats = tuple(Seated(one, is_named=True, rank=rank) for rank, one in enumerate(seated, 1))
        results.append(MatchResult(RatedPlace(number, f"{number:026d}"), "toy", seats))

    ratings = Ratings(file)
    ratings.take(ratings.size("benchmark"), 1, results, is_all=True)
    return worked(ratings.fold) / 1000


def main() -> Figures:
    """Print the results. Return the ratios."""
    with tempfile.TemporaryDirectory() as name, Server(Path(name, "journal")) as running:
        place = Place(running.url, Path(name))
        first = MATCHES // 10
        fill(running.url, range(first), COMMITS, with_json)
        seal(place.sequencer)
        small = place.rounds()

        fill(running.url, range(first, MATCHES), COMMITS, with_json)
        commits = (MATCHES - first) * COMMITS
        lines_a_ms = commits / worked(partial(seal, place.sequencer))
        indexed_a_ms = commits / worked(place.index)
        # Meanwhile the feeds are trimmed of all newly sealed lines.
        attempt = Sequencing(place.ctx, place.sequencer).attempt
        sequencing = Rounds("log", attempt, stop_seconds=60)
        sequencing.start()
        waited = [milliseconds(place.wait) for _ in range(LOOKS)]
        sequencing.stop()
        proofs = measure_proofs(place)
        large = place.rounds()
        fold_seconds = measure_ratings(Path(name, "ratings.index"))

    growth = median(large) / median(small)
    show_spread("a round while the log is small", small, "ms")
    show_spread("a round while the log is large", large, "ms")
    show_spread("a commit waits for its position", waited, "ms")
    return [
        Ratio("log: thousand lines sealed in a second of a core", lines_a_ms, 50),
        Ratio("log: thousand lines indexed in a second of a core", indexed_a_ms),
        limit("log: a round of a large log against a small one", growth, 1.5),
        limit("log: a commit has its position, p99 ms", p99(waited), 500),
        *proofs,
        limit(f"log: {RATED} rated matches folded, s", fold_seconds, 10),
    ]
