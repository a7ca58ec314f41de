"""Rebuilding a state: against the library `eventsourcing`, and any version against the head.

Run `python -m benchmarks.replay`. Ours: the first 100 commits of a match as they are stored (about
150 events, hash chain, secret parts) to the state; theirs: an aggregate of 100 events from its
in-memory store. Both in the same run.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import UUID

from eventsourcing.application import Application
from eventsourcing.domain import Aggregate, event

from benchmarks.matches import new_desk, play_bots
from benchmarks.measure import Ratio, interleaved, timed
from domain import wire
from domain.games import GAMES
from service.journal.memory import MemoryJournal
from service.ledger.canonical import canonical
from service.ledger.replay import forward
from service.matches.desk import Desk
from service.matches.loading import at_version, load

RUNS = 21
COMMITS = 100
REBUILD_GOAL = 10
MIDDLE_GOAL = 1.5
SEED = "replay"


@dataclass(frozen=True)
class Times:
    """Milliseconds, each the median of some runs.

    ours, theirs: a match's first commits to the state, and their aggregate from its events.
    head, middle: a whole match, and the first half of it, from its commits.
    look: the middle for a process that has looked at the match before.
    """

    ours: float
    theirs: float
    head: float
    middle: float
    look: float


class Ledger(Aggregate):
    """Their aggregate: a move adds a number, about as little as an event can do."""

    @event("Opened")
    def __init__(self, seats: int) -> None:
        self.seats = seats
        self.moves: list[int] = []

    @event("Moved")
    def move(self, seat: int, points: int) -> None:
        """Make a move."""
        self.moves.append(seat * points)


def rebuild_aggregate() -> Callable[[], object]:
    """Return what rebuilds their aggregate from its events."""
    application = Application[UUID]()
    ledger = Ledger(3)
    for number in range(COMMITS - 1):
        ledger.move(number % 3, number)

    application.save(ledger)
    return partial(application.repository.get, ledger.id)


def size(state: Any) -> int:
    """Return the bytes of a state as a snapshot holds it."""
    return len(canonical(wire.dump(state)))


def measure_times(desk: Desk, match_id: str, rebuild_theirs: Callable[[], object]) -> Times:
    """Return how many milliseconds each way to a state takes, in turn with theirs."""
    entries = desk.journal.read(match_id)
    middle = len(entries) // 2
    work: dict[str, Callable[[], object]] = {
        "ours": partial(forward, None, entries[:COMMITS]),
        "theirs": rebuild_theirs,
        "head": partial(forward, None, entries),
        "middle": partial(forward, None, entries[:middle]),
        "look": partial(at_version, desk, match_id, middle),
    }
    contenders = {name: partial(timed, each) for name, each in work.items()}
    seconds = interleaved(RUNS, contenders)
    return Times(**{name: 1000 * median for name, median in seconds.items()})


def print_times(game: str, times: Times) -> None:
    """Print how long each way took."""
    print(f"{game}: {COMMITS} commits in {times.ours:.2f} ms")
    print(f"{game}: {COMMITS} events of eventsourcing in {times.theirs:.2f} ms")
    print(f"{game}: replayed to the head in {times.head:.2f} ms")
    print(f"{game}: replayed to the middle in {times.middle:.2f} ms")
    print(f"{game}: the middle along checkpoints in {times.look:.2f} ms")


def print_sizes(game: str, desk: Desk, match_id: str) -> None:
    """Print how many bytes a match takes, and its state."""
    entries = desk.journal.read(match_id)
    commit_bytes = sum(len(entry) for entry in entries)
    print(f"{game}: {commit_bytes:,} bytes in {len(entries)} commits")

    state = load(desk, match_id).match.state
    print(f"{game}: the state as JSON {size(state):,} bytes")


def measure(game: str, rebuild_theirs: Callable[[], object]) -> list[Ratio]:
    """Print what a match of a game takes, in time and in bytes; return the ratios."""
    desk = new_desk(MemoryJournal())
    match_id = play_bots(desk, game, SEED)
    times = measure_times(desk, match_id, rebuild_theirs)
    print_times(game, times)
    print_sizes(game, desk, match_id)

    slower = max(times.middle, times.look)
    ratios = [
        Ratio(
            f"{game}: rebuilding against eventsourcing",
            times.theirs / times.ours,
            REBUILD_GOAL,
        ),
        Ratio(
            f"{game}: state at the middle against the head",
            slower / times.head,
            MIDDLE_GOAL,
            smaller_is_better=True,
        ),
    ]
    print(*ratios, sep="\n")
    return ratios


def main() -> list[Ratio]:
    """Measure each game; return the ratios."""
    rebuild_theirs = rebuild_aggregate()
    ratios: list[Ratio] = []
    for game in GAMES:
        ratios += measure(game, rebuild_theirs)
    return ratios


if __name__ == "__main__":
    main()
