"""Rebuilding: commits from bytes against the library `eventsourcing`, and any version against the head.

Run `python -m benchmarks.replay`. Ours: a match's first 100 commits as stored (about 150 events, hash chain, secret
parts) to the state; theirs: an aggregate of 100 events from its in-memory store. Both in the same run.
"""

from collections.abc import Callable
from itertools import count
from typing import Any
from uuid import UUID

from eventsourcing.application import Application
from eventsourcing.domain import Aggregate, event

from benchmarks.measure import interleaved, report, timed
from domain import wire
from domain.games import GAMES
from domain.match.state import status, work
from service.journal.memory import MemoryJournal
from service.ledger.canonical import canonical
from service.ledger.replay import forward
from service.matches import house
from service.matches.desk import Desk
from service.matches.loading import at_version, load
from service.matches.opening import Wish, open_new
from workers.bots import choose

RUNS = 21
COMMITS = 100


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


def played(game: str) -> tuple[Desk, str]:
    """Return a desk with a whole match of bots."""
    ticks = count(1_800_000_000_000, 1000)
    desk = Desk(MemoryJournal(), bytes(32), lambda: next(ticks), lambda *_: None, allow_seed=True)
    match = open_new(
        desk, Wish(game, [{"kind": "bot", "level": "random"}] * 3, seed="replay")
    ).loaded.id
    while (who := work((loaded := load(desk, match)).match)) or status(loaded.match) == "running":
        if who == "house":
            house.act(desk, match)
        else:
            house.play_bots(desk, match, choose)
    return desk, match


def theirs() -> Callable[[], float]:
    """Return what times the rebuilding of their aggregate of 100 events."""
    application = Application[UUID]()
    ledger = Ledger(3)
    for number in range(COMMITS - 1):
        ledger.move(number % 3, number)
    application.save(ledger)
    return lambda: timed(lambda: application.repository.get(ledger.id))


def rebuilding(entries: list[bytes]) -> Callable[[], float]:
    """Return what times the rebuilding of a state from its commits."""
    return lambda: timed(lambda: forward(None, entries))


def looking(desk: Desk, match: str, version: int) -> Callable[[], float]:
    """Return what times a look at a version by a process that has looked at the match before."""
    return lambda: timed(lambda: at_version(desk, match, version))


def main() -> None:
    """Print the times and ratios, and what a match takes in memory."""
    baseline = theirs()
    for game in GAMES:
        desk, match = played(game)
        entries = desk.journal.read(match)
        whole, middle = len(entries), len(entries) // 2
        contenders = {"ours": rebuilding(entries[:COMMITS]), "theirs": baseline, "head": rebuilding(entries),
                      "middle": rebuilding(entries[:middle]), "look": looking(desk, match, middle)}  # fmt: skip
        times = {name: seconds * 1e3 for name, seconds in interleaved(RUNS, contenders).items()}
        print(
            f"{game}: {COMMITS} commits in {times['ours']:.2f} ms, eventsourcing {times['theirs']:.2f} ms"
        )
        report(f"{game}: eventsourcing / ours", times["theirs"] / times["ours"], 10)
        print(f"{game}: replayed to the head ({whole}) in {times['head']:.2f} ms, to version {middle} in"
              f" {times['middle']:.2f} ms, along checkpoints in {times['look']:.2f} ms")  # fmt: skip
        report(
            f"{game}: head / any version",
            times["head"] / max(times["middle"], times["look"]),
            1 / 1.5,
        )
        state = load(desk, match).match.state
        print(
            f"{game}: {sum(map(len, entries)):,} bytes in {whole} commits; the state as JSON {size(state):,} bytes"
        )


def size(state: Any) -> int:
    """Return the bytes of a state as a snapshot holds it."""
    return len(canonical(wire.dump(state)))


if __name__ == "__main__":
    main()
