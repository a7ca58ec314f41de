"""Whether anything becomes slower when there are many matches.

One server for each number of matches is asked the same questions in turn. A question should take
as long on the largest as on the smallest, within a tenth. Then the servers are stopped, and it is
read how long each takes to start again, as it is and after its file was rewritten.

What fills a journal is what it knows of matches: heads, streams, command ids, feeds and indexes.
Nothing waits for the house or for bots. What stands in the commits is no match of a game.
"""

import itertools
import statistics
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from redis.exceptions import ResponseError

from benchmarks.append import PARTITIONS, hash_of
from benchmarks.matches import HUMANS, SEED, common_moves, new_context
from benchmarks.measure import Curve, Figures, limit, show, timed
from domain.games import GAMES
from service.journal.encoding import append_arguments
from service.journal.redis import connect, open_journal
from service.journal.redis.servers import open_servers
from service.journal.redis.store import Store
from service.journal.values import Entry, Head
from service.matches import automation, lifecycle, listing, moves as match_moves
from service.matches.command_handler import Submission
from service.matches.context import MatchCache
from service.matches.opening import OpenRequest, open_new
from service.matches.repository import load
from service.process.valkey import Server
from tests.running import until

NUMBERS = (100, 10_000, 100_000)
COMMITS = 20  # of each match that fills a journal
ROUNDS = 25
PAGE = 50
GAME = next(iter(GAMES))
FLAT = 1.1
PATIENCE = lifecycle.Patience(open=0, running=0)
START = 1_600_000_000_000  # milliseconds since the epoch
COMMIT_BYTES = 450  # as long as the commits of real matches are on average

# Of so many matches one is open and one runs; the others are finished.
OPEN_EVERY = 50
RUNNING_EVERY = 20

_AT_ONCE = 500  # commits in one round trip
_SEATS = {"seats": '[{"kind":"human"},{"kind":"human"},{"kind":"bot","level":"greedy"}]'}

Question = Callable[[], object]


# ---- Filling -------------------------------------------------------------------------------------


def fill(url: str, matches: int, commits: int) -> None:
    """Write matches of so many commits each into the journal on a server."""
    servers = open_servers(url)
    store = Store(servers, PARTITIONS)
    versions = itertools.product(range(matches), range(1, commits + 1))
    entries = (_entry(number, version, commits) for number, version in versions)

    while batch := list(itertools.islice(entries, _AT_ONCE)):
        with store.pipeline() as pipeline:
            for entry in batch:
                store.scripts.append(
                    keys=store.keys.of_append(entry.match),
                    args=append_arguments(entry, store.keys.channel(entry.match)),
                    client=pipeline,
                )
            pipeline.execute()

    servers.close()


def _entry(number: int, version: int, last: int) -> Entry:
    """Return one commit; the later a match was begun the higher is its number."""
    match = f"filler-{number:08}"
    status = _last_status(number) if version == last else "running"
    created = START + number * 1000
    head = Head(
        version=version,
        hash=hash_of(match, version),
        status=status,
        awaiting="",
        waiting=() if status == "finished" else (version % 3,),
        game="calimala" if number % 2 else "firenze",
        visibility="public",
        created=created,
        updated=created + version,
    )
    content = head.hash * (COMMIT_BYTES // len(head.hash) + 1)  # bytes that do not repeat much
    return Entry(
        match=match,
        expected=version - 1,
        prev=hash_of(match, version - 1) if version > 1 else "",
        commit_bytes=content.encode()[:COMMIT_BYTES],
        head=head,
        command_id=head.hash[:36],
        fingerprint=head.hash[:32],
        metadata=_SEATS if version == 1 else {},
    )


def _last_status(number: int) -> str:
    if number % OPEN_EVERY == 0:
        return "open"
    return "running" if number % RUNNING_EVERY == 0 else "finished"


@dataclass(frozen=True)
class Filled:
    """A server with a number of matches."""

    matches: int
    directory: Path
    server: Server


@contextmanager
def filled_servers() -> Iterator[list[Filled]]:
    """Run a server for each number of matches, and fill it."""
    with ExitStack() as stack:
        servers = []
        for number in NUMBERS:
            directory = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            server = Server(directory)
            stack.callback(server.stop)
            fill(server.url, number, COMMITS)
            servers.append(Filled(number, directory, server))
        yield servers


# ---- Asking --------------------------------------------------------------------------------------


def questions(filled: Filled) -> dict[str, Question]:
    """Return every question to a server by its name; each call asks something new."""
    ctx = new_context(open_journal(filled.server.url))
    opened = open_new(ctx, OpenRequest(GAME, HUMANS, seed=SEED))
    match_id = opened.loaded.id
    moves = iter(common_moves(GAME))
    middle = (START + filled.matches // 2 * 1000, "")

    def move() -> None:
        seat_move = next(moves)
        token = opened.tokens[f"seat:{seat_move.seat}"]
        match_moves.move(ctx, Submission(match_id, token), seat_move.move)

    def scheduler() -> None:
        automation.sweep(ctx, 0)
        lifecycle.expire(ctx, PATIENCE)

    return {
        "open a match": lambda: open_new(ctx, OpenRequest(GAME, HUMANS)),
        "make a move": move,
        "load a match": lambda: load(replace(ctx, cache=MatchCache(matches=1)), match_id),
        "first page of 50": lambda: listing.public(ctx, "", None, None, PAGE),
        "page of 50 from the middle": lambda: listing.public(ctx, "", None, middle, PAGE),
        "scheduler's round, nothing due": scheduler,
    }


def ask_all(servers: Sequence[Filled]) -> Mapping[str, Mapping[int, float]]:
    """Ask every server every question in turn; return medians in milliseconds."""
    asked = {filled.matches: questions(filled) for filled in servers}
    seconds: dict[str, dict[int, list[float]]] = {
        name: {number: [] for number in asked} for name in asked[servers[0].matches]
    }
    for _ in range(ROUNDS):
        for name, by_number in seconds.items():
            for number, taken in by_number.items():
                taken.append(timed(asked[number][name]))

    return {
        name: {number: 1000 * statistics.median(taken) for number, taken in by_number.items()}
        for name, by_number in seconds.items()
    }


# ---- Starting again ------------------------------------------------------------------------------


def restart(filled: Filled) -> None:
    """Print how long a server takes to start, before and after its file is rewritten."""
    filled.server.stop()
    took = {}
    for state in ("as it was", "rewritten"):
        started: list[Server] = []
        took[state] = timed(lambda: started.append(Server(filled.directory)))  # noqa: B023
        try:
            _rewrite(started[0].url)
        finally:
            started[0].stop()
    show(f"start with {filled.matches} matches", took, "s")


def _rewrite(url: str) -> None:
    """Have a server write its file anew, and wait for that; it may have begun by itself."""
    with connect(url) as client:
        with suppress(ResponseError):
            client.bgrewriteaof()

        def is_done() -> bool:
            about = client.info("persistence")
            return not (about["aof_rewrite_in_progress"] or about["aof_rewrite_scheduled"])

        until(is_done, "the file is rewritten", 600)


def main() -> Figures:
    """Fill the servers, ask, start them again; return how times grow, and their curves."""
    figures: Figures = []
    with filled_servers() as servers:
        for name, by_number in ask_all(servers).items():
            growth = by_number[max(by_number)] / by_number[min(by_number)]
            figures.append(limit(f"{name}, many matches against few", growth, FLAT))
            figures.append(Curve("matches", name, "ms", dict(by_number)))
        for filled in servers:
            restart(filled)
    return figures
