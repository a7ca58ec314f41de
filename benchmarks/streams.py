"""200 open streams on one web process: their delays, and their effect on other requests.

Lateness: moves are posted at a modest pace, and the streams are spread over 20 matches ("spread"),
or all on one ("hot"). A delay begins when the journal executes the append, by the time in the entry
of the feed (a whole millisecond, so it may be shown up to one too long), and includes the write to
the disk. Another process follows the same matches with a bare XREAD BLOCK of redis-py: the time of
the server itself at that moment. At last another follower, 2,000 commits behind, catches up again
and again meanwhile, at most four times a second.

Other requests: matches are played with no streams open, with more and more of them on a match
without moves ("idle"), and with as many on the match that is played ("hot"). Some are never read.
"""

import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from typing import Any

from benchmarks.matches import HUMANS, SEED, SeatMove, common_moves, new_context
from benchmarks.measure import Curve, Figures, limit, milliseconds, p99, show, show_spread
from benchmarks.readers import Arrival, reading
from benchmarks.web import Client, legal_move, open_match, post_move, server, web
from domain.match.messages import ReplaceToken
from service.base.config import Config
from service.matches.command_handler import Act, commit
from service.matches.opening import OpenRequest, open_new
from service.matches.repository import load
from service.store.journal.redis import open_journal

STREAMS = 200
SPREAD_OVER = 20  # matches
COMMITS = 160  # of each measurement
PACE_SECONDS = 0.05  # between two moves
SETTLED_SECONDS = 1.0  # until all readers have the last commit
BEHIND = 2000  # commits
GAME = "firenze"  # the house does not act in it before so many moves
PARTITIONS = Config.load({}).partitions

NUMBERS = (1, 50, 100, 200)  # streams beside other requests
PLAYED = "calimala"
MOVES = 150
RUNS = 3


# ---- How late streams are ------------------------------------------------------------------------


def play(port: int, matches: Sequence[dict[str, Any]], moves: Sequence[SeatMove]) -> None:
    """Make moves at the pace, in one match after the other."""
    client = Client(port)
    start = time.monotonic()
    for number in range(COMMITS):
        move = moves[number // len(matches)]
        match = matches[number % len(matches)]
        post_move(client, match, match["tokens"][f"seat:{move.seat}"], move.move)
        pause = start + (number + 1) * PACE_SECONDS - time.monotonic()
        time.sleep(max(0.0, pause))
    time.sleep(SETTLED_SECONDS)


def appended(url: str, matches: Sequence[str]) -> dict[tuple[str, int], float]:
    """Return the time of each append to some matches, by version, in seconds."""
    journal = open_journal(url, PARTITIONS)
    times = {}
    for partition in range(PARTITIONS):
        for entry_id, match, version in journal.events.feed(partition, "", 100_000):
            if match in matches:
                times[match, version] = int(entry_id.split("-")[0]) / 1000
    journal.close()
    return times


def delays(arrivals: Sequence[Arrival], times: Mapping[tuple[str, int], float]) -> list[float]:
    """Return the milliseconds from the append of each commit to its reader, without first ones."""
    later = [each for each in arrivals if each.version > 1]
    return [1000 * (each.time - times[each.match, each.version]) for each in later]


def slowest_of(what: str, url: str, port: int, matches: int) -> tuple[float, float]:
    """Play in so many matches with all streams on them. Print the delays of each commit.

    Returns the p99 in milliseconds, to the streams and to a bare XREAD.
    """
    moves = common_moves(GAME)
    client = Client(port)
    played = [open_match(client, GAME, SEED) for _ in range(matches)]
    ids = [match["match"] for match in played]
    listed = ",".join(ids)

    with (
        reading("streams", port, listed, STREAMS, 0) as by_streams,
        reading("bare", url, listed) as by_bare,
    ):
        play(port, played, moves)

    times = appended(url, ids)
    late, bare = delays(by_streams, times), delays(by_bare, times)
    assert len(late) == COMMITS * STREAMS // matches, "a stream has missed a commit"
    show_spread(f"{what}: from a commit to its streams", late, "ms")
    show_spread(f"{what}: from a commit to a bare XREAD", bare, "ms")
    return p99(late), p99(bare)


def long_match(url: str) -> str:
    """Open a match and replace a token until it has BEHIND commits. Return its ID."""
    journal = open_journal(url, PARTITIONS)
    ctx = new_context(journal)
    match_id = open_new(ctx, OpenRequest(GAME, HUMANS)).loaded.id
    while (loaded := load(ctx, match_id)).version < BEHIND:
        commit(ctx, loaded, Act(actor="owner", command=ReplaceToken("owner")))
    journal.close()
    return match_id


def lateness() -> Figures:
    """Print the delays. Return the ratios."""
    ratios: Figures = []
    for name, matches in (("spread", SPREAD_OVER), ("hot", 1)):
        with server() as url, web(url) as port:
            slowest, bare = slowest_of(name, url, port, matches)
        what = f"p99 from a commit to {STREAMS} streams, {name}"
        ratios.append(limit(f"{what} (ms)", slowest, 30))
        ratios.append(limit(f"{what}, against a bare XREAD", slowest / bare))

    with server() as url, web(url) as port, reading("behind", port, long_match(url), BEHIND):
        slowest, _bare = slowest_of("while one catches up", url, port, SPREAD_OVER)
    what = f"p99 from a commit to {STREAMS} streams while one catches up (ms)"
    return [*ratios, limit(what, slowest, 30)]


# ---- Other requests beside streams ---------------------------------------------------------------


def p99_beside(port: int, streams: int, *, are_hot: bool) -> float:
    """Return the p99 of moves and looks at the state, in some matches, in milliseconds.

    are_hot: True for streams of the match that is played, not of another one.
    """
    times: list[float] = []
    for _ in range(RUNS):
        match = open_match(Client(port), PLAYED)
        watched = match if are_hot else open_match(Client(port), PLAYED)
        never_read = min(10, streams // 2)  # some are never read
        readers = reading("streams", port, watched["match"], streams, never_read)
        with readers if streams else nullcontext():
            client = Client(port)
            state = f"/v1/matches/{match['match']}/state"
            for number in range(MOVES):
                choice = legal_move(client, match, number)
                if choice is not None:
                    token, move = choice
                    post = partial(post_move, client, match, token, move)
                    look = partial(client.fetch, "GET", state, None, token)
                    times += [milliseconds(post), milliseconds(look)]
        if streams:
            time.sleep(6)  # until the server has noticed that readers have gone
    return p99(times)


def beside() -> Figures:
    """Print the p99 with and without streams. Return the ratios at the most streams, and curves."""
    with server() as url, web(url) as port:
        p99_beside(port, 0, are_hot=False)  # the first match costs more, and does not count
        alone = p99_beside(port, 0, are_hot=False)
        idle = {number: p99_beside(port, number, are_hot=False) for number in NUMBERS}
        hot = {number: p99_beside(port, number, are_hot=True) for number in NUMBERS}

    most = NUMBERS[-1]
    show(f"p99 with {most} streams", {"none": alone, "idle": idle[most], "hot": hot[most]}, "ms")
    return [
        limit(f"p99 with {most} idle streams against none", idle[most] / alone, 2),
        limit(f"p99 with {most} hot streams against none", hot[most] / alone, 2),
        Curve("streams", "of other matches, p99", "ms", idle),
        Curve("streams", "of the match itself, p99", "ms", hot),
    ]


def main() -> Figures:
    """Measure the delays of streams, and other requests beside streams."""
    return lateness() + beside()
