"""Whether anything becomes slower when there are many matches.

`python -m benchmarks.scale [NUMBER ...]` runs one server for each number of matches (100, 10,000
and 100,000) and asks all of them the same questions in turn. A question should take as long on the
largest as on the smallest, within a tenth. Then it stops the servers and reads how long each takes
to start again, as it is and after its file was rewritten.
"""

import itertools
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from redis.exceptions import ResponseError

from benchmarks.filling import START, fill
from benchmarks.matches import HUMANS, SEED, SeatMove, common_moves, new_context
from benchmarks.measure import Ratio, timed
from domain.games import GAMES
from service.journal.redis import connect, open_journal
from service.matches import automation, lifecycle, listing, moves as match_moves
from service.matches.command_handler import Submission
from service.matches.context import Context, MatchCache
from service.matches.opening import OpenRequest, open_new
from service.matches.repository import load
from service.process.valkey import Server

NUMBERS = (100, 10_000, 100_000)
COMMITS = 20  # of each match that fills a journal
ROUNDS = 25
PAGE = 50
GAME = next(iter(GAMES))
FLAT = 1.1
PATIENCE = lifecycle.Patience(open=0, running=0)

Question = Callable[[], object]


@dataclass(frozen=True)
class Filled:
    """A server with a number of matches."""

    matches: int
    directory: Path
    server: Server

    def ctx(self) -> Context:
        """Return a desk that remembers nothing of them."""
        return new_context(open_journal(self.server.url))


class Questions:
    """What is asked of one server. Each call of a question asks something new."""

    def __init__(self, filled: Filled, moves: Sequence[SeatMove]) -> None:
        self._ctx = filled.ctx()
        self._moves = iter(moves)

        opened = open_new(self._ctx, OpenRequest(GAME, HUMANS, seed=SEED))
        self._match_id = opened.loaded.id
        self._tokens = opened.tokens
        self._middle = (START + filled.matches // 2 * 1000, "")

    def all(self) -> dict[str, Question]:
        """Return every question by its name."""
        return {
            "open a match": self.open,
            "make a move": self.move,
            "load a match": self.load,
            "first page of 50": self.first_page,
            "page of 50 from the middle": self.middle_page,
            "scheduler's round, nothing due": self.scheduler,
        }

    def open(self) -> None:
        """Open a match."""
        open_new(self._ctx, OpenRequest(GAME, HUMANS))

    def move(self) -> None:
        """Make the next move of a match."""
        seat_move = next(self._moves)
        token = self._tokens[f"seat:{seat_move.seat}"]
        match_moves.move(self._ctx, Submission(self._match_id, token), seat_move.move)

    def load(self) -> None:
        """Read a match from its first commit to its head."""
        load(replace(self._ctx, cache=MatchCache(matches=1)), self._match_id)

    def first_page(self) -> None:
        """List the newest matches."""
        page = listing.public(self._ctx, "", None, None, PAGE)
        assert page.matches

    def middle_page(self) -> None:
        """List matches from the middle of the list."""
        listing.public(self._ctx, "", None, self._middle, PAGE)

    def scheduler(self) -> None:
        """Look for matches that wait or were left alone."""
        automation.sweep(self._ctx, 0)
        lifecycle.expire(self._ctx, PATIENCE)


def ask_all(servers: Sequence[Filled]) -> dict[str, dict[int, float]]:
    """Ask every server every question in turn.

    Returns the milliseconds, medians, of each question by the number of matches.
    """
    moves = common_moves(GAME)
    asked = {filled.matches: Questions(filled, moves).all() for filled in servers}
    names = list(asked[servers[0].matches])
    seconds: dict[tuple[str, int], list[float]] = {
        (name, filled.matches): [] for name, filled in itertools.product(names, servers)
    }

    for _ in range(ROUNDS):
        for name, filled in itertools.product(names, servers):
            question = asked[filled.matches][name]
            seconds[name, filled.matches].append(timed(question))

    return {
        name: {
            filled.matches: 1000 * statistics.median(seconds[name, filled.matches])
            for filled in servers
        }
        for name in names
    }


def ratios_of(milliseconds: Mapping[str, Mapping[int, float]]) -> list[Ratio]:
    """Print the milliseconds of each question; return how they grow from few to many matches."""
    ratios = []
    for name, by_number in milliseconds.items():
        figures = ", ".join(f"{taken:.2f} ms at {number}" for number, taken in by_number.items())
        print(f"{name}: {figures}")

        growth = by_number[max(by_number)] / by_number[min(by_number)]
        ratios.append(Ratio(f"{name}, many matches against few", growth, FLAT, True))
    return ratios


def measure_restarts(servers: Sequence[Filled]) -> None:
    """Print how long each server takes to start, before and after its file is rewritten."""
    for filled in servers:
        filled.server.stop()
        before = _seconds_to_start(filled, rewrite=True)
        after = _seconds_to_start(filled, rewrite=False)
        print(f"restart with {filled.matches}: {before:.2f} s, {after:.2f} s once rewritten")


def _seconds_to_start(filled: Filled, *, rewrite: bool) -> float:
    """Return how long a server takes to start and to load; then stop it.

    rewrite: have its file rewritten before it stops.
    """
    started: list[Server] = []
    seconds = timed(lambda: started.append(Server(filled.directory)))
    [server] = started

    try:
        if rewrite:
            _rewrite(server.url)
    finally:
        server.stop()
    return seconds


def _rewrite(url: str) -> None:
    """Have a server write its file anew, and wait for that; it may have begun by itself."""
    with connect(url) as client:
        with suppress(ResponseError):
            client.bgrewriteaof()
        for _ in _looks():
            about = client.info("persistence")
            if not about["aof_rewrite_in_progress"] and not about["aof_rewrite_scheduled"]:
                return


def _looks() -> Iterator[None]:
    """Yield again and again, with a pause between."""
    while True:
        yield
        time.sleep(0.05)


@contextmanager
def filled_servers(numbers: Sequence[int]) -> Iterator[list[Filled]]:
    """Run a server for each number of matches, and fill it."""
    with ExitStack() as stack:
        servers = []
        for number in numbers:
            directory = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            server = Server(directory)
            stack.callback(server.stop)
            fill(server.url, number, COMMITS)
            servers.append(Filled(number, directory, server))
        yield servers


def main(numbers: Sequence[int] = NUMBERS) -> list[Ratio]:
    """Fill the servers, ask, restart; return the ratios."""
    with filled_servers(numbers) as servers:
        ratios = ratios_of(ask_all(servers))
        print(*ratios, sep="\n")
        measure_restarts(servers)
    return ratios


if __name__ == "__main__":
    main([int(argument) for argument in sys.argv[1:]] or NUMBERS)
