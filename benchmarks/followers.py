"""From a commit to its followers: the bytes on 200 sockets, at most 30 ms later at the p99.

`python -m benchmarks.followers` runs a web process and posts moves over HTTP at a modest pace. The
200 streams are spread over 20 matches ("spread"), or all on one ("hot"); "one" is a single stream.
One process reads them all; it does little more than note the time of what comes.

A delay begins when the journal executes the append, by the time in the entry of the feed (a whole
millisecond, so a delay may be told up to one too long), and includes the write to the disk. Beside
the streams another process follows the same matches with a bare XREAD BLOCK of redis-py: what the
server itself needs on this machine at that moment.

Then a follower that is 2,000 commits behind catches up, against reading the same commits page by
page; and four times a second, while others follow.
"""

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from benchmarks.following.far_behind import follow, long_match, read_pages
from benchmarks.following.readers import EventTime
from benchmarks.matches import SEED, SeatMove, common_moves
from benchmarks.measure import Ratio, interleaved, p99
from benchmarks.web import Client, open_match, server, web
from service.config import Config
from service.journal.redis import open_journal

STREAMS = 200
SPREAD_OVER = 20  # matches
COMMITS = 160  # of each measurement
PACE_SECONDS = 0.05  # from one move to the next
SETTLED_SECONDS = 1.0  # until all readers are told the last commit
BEHIND = 2000  # commits
RUNS = 5
GOAL_MS = 30
GAME = "firenze"  # the house does not act in it before so many moves
PARTITIONS = Config.load({}).partitions


@dataclass(frozen=True)
class Delays:
    """Milliseconds from the append of each commit to each of its readers, in order."""

    streams: list[float]
    bare: list[float]


class Playing:
    """Matches of one seed, in which the same moves are legal."""

    def __init__(self, port: int, number: int) -> None:
        self._port = port
        client = Client(port)
        self._matches = [open_match(client, GAME, SEED) for _ in range(number)]
        self.ids = [match["id"] for match in self._matches]

    def play(self, moves: Sequence[SeatMove]) -> None:
        """Make moves at the pace, in one match after the other."""
        client = Client(self._port)
        begun = time.monotonic()
        for number in range(COMMITS):
            round_number, index = divmod(number, len(self._matches))
            post(client, self._matches[index], moves[round_number])
            pause = begun + (number + 1) * PACE_SECONDS - time.monotonic()
            time.sleep(max(0.0, pause))
        time.sleep(SETTLED_SECONDS)


def post(client: Client, match: dict[str, Any], move: SeatMove) -> None:
    """Make a move."""
    path = f"/v1/matches/{match['id']}/moves"
    token = match["tokens"][f"seat:{move.seat}"]
    status, answer = client.ask("POST", path, move.move, token)
    assert status == 201, answer


@contextmanager
def reading(module: str, *arguments: str) -> Iterator[list[EventTime]]:
    """Let a process read; when the block is done, the list holds what it was told, and when."""
    command = [sys.executable, "-m", f"benchmarks.following.{module}", *arguments]
    told: list[EventTime] = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.PIPE) as reader:
        assert reader.stdout is not None
        assert reader.stdout.readline() == b"reading\n"
        yield told
        rest, _ = reader.communicate(b"stop\n")
    told += [EventTime(*each) for each in json.loads(rest)]


def appended(url: str, matches: Sequence[str]) -> dict[tuple[str, int], float]:
    """Return when the server executed the append of each match's versions, in seconds."""
    wanted = set(matches)
    journal = open_journal(url, PARTITIONS)
    times = {}
    for partition in range(PARTITIONS):
        for entry_id, match, version in journal.events.feed(partition, "", 100_000):
            if match in wanted:
                milliseconds = int(entry_id.split("-")[0])
                times[match, version] = milliseconds / 1000
    journal.close()
    return times


def delays(url: str, port: int, matches: int, streams: int) -> Delays:
    """Play in so many matches with so many streams on them; return the delays."""
    moves = common_moves(GAME)
    playing = Playing(port, matches)
    ids = ",".join(playing.ids)

    with (
        reading("readers", "streams", str(port), ids, str(streams)) as by_streams,
        reading("readers", "bare", url, ids) as by_bare,
    ):
        playing.play(moves)

    times = appended(url, playing.ids)
    told = [each for each in by_streams if each.version > 1]
    assert len(told) == COMMITS * streams // matches, "a stream has missed a commit"
    return Delays(
        streams=sorted(1000 * (each.time - times[each.match, each.version]) for each in told),
        bare=sorted(1000 * (each.time - times[each.match, each.version]) for each in by_bare),
    )


def told_as_line(name: str, milliseconds: list[float]) -> str:
    """Return a line with median, p99 and the longest of some delays."""
    p50 = statistics.median(milliseconds)
    return (
        f"{name:15} p50 {p50:6.2f} ms   p99 {p99(milliseconds):6.2f} ms"
        f"   max {milliseconds[-1]:6.2f} ms"
    )


def catching_up() -> list[Ratio]:
    """Print how fast a follower catches up, and the delays of others meanwhile; return ratios."""
    with server() as url, web(url) as port:
        match_id = long_match(url, GAME, BEHIND)
        seconds = interleaved(
            RUNS,
            {
                "stream": partial(follow, port, match_id, BEHIND),
                "pages": partial(read_pages, port, match_id, BEHIND),
            },
        )
        with reading("far_behind", str(port), match_id, str(BEHIND)):
            meanwhile = delays(url, port, SPREAD_OVER, STREAMS)

    print(f"{BEHIND} commits by a stream in {1000 * seconds['stream']:.0f} ms")
    print(f"{BEHIND} commits by pages in {1000 * seconds['pages']:.0f} ms")
    print(told_as_line("meanwhile", meanwhile.streams))
    print(told_as_line("meanwhile, bare", meanwhile.bare))
    return [
        Ratio(
            f"catching up {BEHIND} commits against reading them by pages",
            seconds["stream"] / seconds["pages"],
            smaller_is_better=True,
        ),
        Ratio(
            f"p99 from a commit to {STREAMS} streams while one catches up (ms)",
            p99(meanwhile.streams),
            GOAL_MS,
            smaller_is_better=True,
        ),
    ]


def main() -> list[Ratio]:
    """Print the delays; return the ratios."""
    ratios = []
    for name, matches, streams in (
        ("one", 1, 1),
        ("spread", SPREAD_OVER, STREAMS),
        ("hot", 1, STREAMS),
    ):
        with server() as url, web(url) as port:
            found = delays(url, port, matches, streams)

        print(told_as_line(name, found.streams))
        print(told_as_line(f"{name}, bare", found.bare))
        if streams == 1:
            continue

        slowest = p99(found.streams)
        ratios += [
            Ratio(
                f"p99 from a commit to {streams} streams, {name} (ms)",
                slowest,
                GOAL_MS,
                smaller_is_better=True,
            ),
            Ratio(
                f"p99 from a commit to {streams} streams, {name}, against a bare XREAD",
                slowest / p99(found.bare),
                smaller_is_better=True,
            ),
        ]

    ratios += catching_up()
    print(*ratios, sep="\n")
    return ratios


if __name__ == "__main__":
    main()
