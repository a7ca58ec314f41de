"""Rebuilding a state: against the library `eventsourcing`, and any version against the head.

Run `python -m benchmarks.replay`. Ours: the first 100 commits of a match as they are stored (about
150 events, hash chain, secret parts) to the state; theirs: an aggregate of 100 events from its
in-memory store. Both in the same run.
"""

from collections.abc import Callable
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
from service.matches.loading import at_version, load

RUNS = 21
COMMITS = 100
REBUILD_GOAL = 10
MIDDLE_GOAL = 1.5
SEED = "replay"


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


def measure(game: str, rebuild_theirs: Callable[[], object]) -> list[Ratio]:
    """Print what a match of a game takes, in time and in bytes; return the ratios."""
    desk = new_desk(MemoryJournal())
    match_id = play_bots(desk, game, SEED)
    entries = desk.journal.read(match_id)
    head = len(entries)
    middle = head // 2

    work: dict[str, Callable[[], object]] = {
        "ours": partial(forward, None, entries[:COMMITS]),
        "theirs": rebuild_theirs,
        "head": partial(forward, None, entries),
        "middle": partial(forward, None, entries[:middle]),
        "look": partial(at_version, desk, match_id, middle),
    }
    contenders = {name: partial(timed, each) for name, each in work.items()}
    seconds = interleaved(RUNS, contenders)
    times = {name: 1000 * median for name, median in seconds.items()}

    print(f"{game}: {COMMITS} commits in {times['ours']:.2f} ms")
    print(f"{game}: {COMMITS} events of eventsourcing in {times['theirs']:.2f} ms")
    print(f"{game}: replayed to the head ({head}) in {times['head']:.2f} ms")
    print(f"{game}: replayed to version {middle} in {times['middle']:.2f} ms")
    print(f"{game}: version {middle} along checkpoints in {times['look']:.2f} ms")

    state = load(desk, match_id).match.state
    commit_bytes = sum(len(entry) for entry in entries)
    print(f"{game}: {commit_bytes:,} bytes in {head} commits")
    print(f"{game}: the state as JSON {size(state):,} bytes")

    slower = max(times["middle"], times["look"])
    ratios = [
        Ratio(
            f"{game}: rebuilding against eventsourcing",
            times["theirs"] / times["ours"],
            REBUILD_GOAL,
        ),
        Ratio(
            f"{game}: state at the middle against the head",
            slower / times["head"],
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
