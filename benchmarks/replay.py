"""Rebuilding: commits from bytes against the library `eventsourcing`, and any version against the head.

Run `python -m benchmarks.replay`. Ours: a match's first 100 commits as stored (about 150 events, hash chain, secret
parts) to the state; theirs: an aggregate of 100 events from its in-memory store. Both in the same run.
"""

import sys
from itertools import count

from eventsourcing.application import Application
from eventsourcing.domain import Aggregate, event

from benchmarks.measure import interleaved, report, timed
from domain import wire
from domain.games import GAMES
from domain.match.state import status, work
from service.journal.memory import MemoryJournal
from service.matches import house
from service.matches.desk import Desk, at_version, forward, load
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
    match = open_new(desk, Wish(game, [{"kind": "bot", "level": "random"}] * 3, seed="replay")).loaded.id
    while (who := work((loaded := load(desk, match)[0]).match)) or status(loaded.match) == "running":
        if who == "house":
            house.act(desk, match)
        else:
            house.play_bots(desk, match, choose)
    return desk, match


def theirs() -> tuple[Application[object], object]:
    """Return an application with an aggregate of 100 events."""
    application: Application[object] = Application()
    ledger = Ledger(3)
    for number in range(COMMITS - 1):
        ledger.move(number % 3, number)
    application.save(ledger)
    return application, ledger.id


def main() -> None:
    """Print the times and ratios, and what a match takes in memory."""
    application, identity = theirs()
    for game in GAMES:
        desk, match = played(game)
        entries = desk.journal.read(match)
        whole, middle = len(entries), len(entries) // 2
        times = interleaved(
            RUNS,
            {
                "ours": lambda entries=entries: timed(lambda: forward(None, entries[:COMMITS])),
                "theirs": lambda: timed(lambda: application.repository.get(identity)),
                "head": lambda desk=desk, match=match, n=whole: timed(lambda: at_version(desk, match, n)),
                "middle": lambda desk=desk, match=match, n=middle: timed(lambda: at_version(desk, match, n)),
            },
        )
        print(
            f"{game}: {COMMITS} commits in {times['ours'] * 1e3:.2f} ms, eventsourcing {times['theirs'] * 1e3:.2f} ms"
        )
        report(f"{game}: faster than eventsourcing by", times["theirs"] / times["ours"], 10)
        print(f"{game}: head ({whole}) {times['head'] * 1e3:.2f} ms, version {middle} {times['middle'] * 1e3:.2f} ms")
        report(f"{game}: head / any version", times["head"] / times["middle"], 1 / 1.5)
        state = load(desk, match)[0].match.state
        size = len(str(wire.dump(state)))
        print(f"{game}: a match is {sum(map(len, entries)):,} bytes in {len(entries)} commits; its state {size:,}"
              f" characters as JSON, {sys.getsizeof(state)} bytes of slots")  # fmt: skip


if __name__ == "__main__":
    main()
