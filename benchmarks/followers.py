"""From a commit to its followers: the bytes on 200 sockets, at most 30 ms later at the p99.

Moves are posted over HTTP at a modest pace. The 200 streams are spread over 20 matches ("spread"),
or all on one ("hot"); "one" is a single stream. One process reads them all; it does little more
than note the time of what comes.

A delay begins when the journal executes the append, by the time in the entry of the feed (a whole
millisecond, so a delay may be shown up to one too long), and includes the write to the disk. Beside
the streams another process follows the same matches with a bare XREAD BLOCK of redis-py: what the
server itself needs on this machine at that moment. At last the delays while another follower, 2,000
commits behind, catches up four times a second.
"""

import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.matches import HUMANS, SEED, SeatMove, common_moves, new_context
from benchmarks.measure import Figures, limit, p99, show
from benchmarks.readers import Seen, reading
from benchmarks.web import Client, open_match, server, web
from domain.match.messages import ReplaceToken
from service.config import Config
from service.journal.redis import open_journal
from service.matches.command_handler import Act, commit
from service.matches.opening import OpenRequest, open_new
from service.matches.repository import load

STREAMS = 200
SPREAD_OVER = 20  # matches
COMMITS = 160  # of each measurement
PACE_SECONDS = 0.05  # from one move to the next
SETTLED_SECONDS = 1.0  # until all readers have the last commit
BEHIND = 2000  # commits
GOAL_MS = 30
GAME = "firenze"  # the house does not act in it before so many moves
PARTITIONS = Config.load({}).partitions


@dataclass(frozen=True)
class Delays:
    """Milliseconds from the append of each commit to each of its readers."""

    streams: list[float]
    bare: list[float]

    def show(self, what: str) -> None:
        """Print them."""
        for name, taken in ((what, self.streams), (f"{what}, bare", self.bare)):
            show(
                name, {"p50": statistics.median(taken), "p99": p99(taken), "max": max(taken)}, "ms"
            )


def play(port: int, matches: Sequence[dict[str, Any]], moves: Sequence[SeatMove]) -> None:
    """Make moves at the pace, in one match after the other."""
    client = Client(port)
    begun = time.monotonic()
    for number in range(COMMITS):
        round_number, index = divmod(number, len(matches))
        match = matches[index]
        move = moves[round_number]
        path = f"/v1/matches/{match['id']}/moves"
        status, answer = client.ask("POST", path, move.move, match["tokens"][f"seat:{move.seat}"])
        assert status == 201, answer

        pause = begun + (number + 1) * PACE_SECONDS - time.monotonic()
        time.sleep(max(0.0, pause))
    time.sleep(SETTLED_SECONDS)


def appended(url: str, matches: Sequence[str]) -> dict[tuple[str, int], float]:
    """Return when the server executed the append of each match's versions, in seconds."""
    journal = open_journal(url, PARTITIONS)
    times = {}
    for partition in range(PARTITIONS):
        for entry_id, match, version in journal.events.feed(partition, "", 100_000):
            if match in matches:
                times[match, version] = int(entry_id.split("-")[0]) / 1000
    journal.close()
    return times


def delays(url: str, port: int, matches: int, streams: int) -> Delays:
    """Play in so many matches with so many streams on them; return the delays."""
    moves = common_moves(GAME)
    client = Client(port)
    played = [open_match(client, GAME, SEED) for _ in range(matches)]
    ids = [match["id"] for match in played]
    listed = ",".join(ids)

    with (
        reading("streams", port, listed, streams, 0) as by_streams,
        reading("bare", url, listed) as by_bare,
    ):
        play(port, played, moves)

    times = appended(url, ids)

    def late(seen: Sequence[Seen]) -> list[float]:
        later = [each for each in seen if each.version > 1]
        return [1000 * (each.time - times[each.match, each.version]) for each in later]

    found = Delays(late(by_streams), late(by_bare))
    assert len(found.streams) == COMMITS * streams // matches, "a stream has missed a commit"
    return found


def long_match(url: str) -> str:
    """Open a match and replace a token until it has so many commits; return its id."""
    journal = open_journal(url, PARTITIONS)
    ctx = new_context(journal)
    match_id = open_new(ctx, OpenRequest(GAME, HUMANS)).loaded.id
    while (loaded := load(ctx, match_id)).version < BEHIND:
        commit(ctx, loaded, Act(actor="owner", command=ReplaceToken("owner")))
    journal.close()
    return match_id


def main() -> Figures:
    """Print the delays; return the ratios."""
    ratios: Figures = []
    for name, matches, streams in (
        ("one", 1, 1),
        ("spread", SPREAD_OVER, STREAMS),
        ("hot", 1, STREAMS),
    ):
        with server() as url, web(url) as port:
            found = delays(url, port, matches, streams)

        found.show(name)
        slowest = p99(found.streams)
        what = f"p99 from a commit to {streams} streams, {name}"
        if streams > 1:
            ratios.append(limit(f"{what} (ms)", slowest, GOAL_MS))
            ratios.append(limit(f"{what}, against a bare XREAD", slowest / p99(found.bare)))

    with server() as url, web(url) as port, reading("behind", port, long_match(url), BEHIND):
        meanwhile = delays(url, port, SPREAD_OVER, STREAMS)

    meanwhile.show("meanwhile")
    what = f"p99 from a commit to {STREAMS} streams while one catches up (ms)"
    return [*ratios, limit(what, p99(meanwhile.streams), GOAL_MS)]
