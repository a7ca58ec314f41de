"""Rebuilding a state: against the library `eventsourcing`, and any version against the head.

Run `python -m benchmarks.replay`. Ours: the first 100 commits of a match as they are stored (about
150 events, hash chain, secret parts) to the state. Theirs: the same events in the library's store
in memory to the same state, by the same `evolve`. `benchmarks.eventsourced` says how: as an
aggregate, which is the library's usual way, or through a function of ours; and an aggregate of 100
events that do next to nothing. All in the same run, and by the processor's time: what else runs on
the machine does not count.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from benchmarks import eventsourced
from benchmarks.matches import new_context, play_bots
from benchmarks.measure import Ratio, interleaved
from domain import wire
from domain.games import GAMES
from service.journal.memory import memory_journal
from service.ledger.codec import decode_events
from service.ledger.commit import canonical, parse_commits, rules_of
from service.ledger.replay import forward
from service.matches.context import Context
from service.matches.repository import at_version, load

RUNS = 21
COMMITS = 100
REBUILD_GOAL = 10
MIDDLE_GOAL = 1.5
SEED = "replay"


@dataclass(frozen=True)
class Times:
    """Milliseconds, each the median of some runs.

    ours: a match's first commits to the state.
    aggregate, function, trivial: eventsourcing's ways.
    head, middle: a whole match, and the first half of it, from its commits.
    look: the middle for a process that has looked at the match before.
    """

    ours: float
    aggregate: float
    function: float
    trivial: float
    head: float
    middle: float
    look: float


def size(state: Any) -> int:
    """Return the bytes of a state as a snapshot holds it."""
    return len(canonical(wire.dump(state)))


def worked(work: Callable[[], object]) -> float:
    """Return how many seconds of the processor some work takes."""
    start = time.process_time()
    work()
    return time.process_time() - start


def measure_times(ctx: Context, match_id: str) -> Times:
    """Return how many milliseconds each way to a state takes, in turn."""
    entries = ctx.journal.events.read(match_id)
    middle = len(entries) // 2
    work: dict[str, Callable[[], object]] = {
        "ours": partial(forward, None, entries[:COMMITS]),
        **theirs(entries[:COMMITS]),
        "head": partial(forward, None, entries),
        "middle": partial(forward, None, entries[:middle]),
        "look": partial(at_version, ctx, match_id, middle),
    }
    contenders = {name: partial(worked, each) for name, each in work.items()}
    seconds = interleaved(RUNS, contenders)
    return Times(**{name: 1000 * median for name, median in seconds.items()})


def theirs(entries: list[bytes]) -> Mapping[str, Callable[[], object]]:
    """Return eventsourcing's ways to the state after these commits, once they lead to it."""
    commits = parse_commits(entries)
    rules = rules_of(commits[0])
    events = decode_events(commits, rules)
    aggregate = eventsourced.from_aggregate(rules, events)
    function = eventsourced.from_function(rules, events)

    loaded = forward(None, entries)
    assert loaded is not None
    assert aggregate().match == function() == loaded.match
    return {
        "aggregate": aggregate,
        "function": function,
        "trivial": eventsourced.from_trivial(),
    }


def print_times(game: str, times: Times) -> None:
    """Print how long each way took."""
    print(f"{game}: {COMMITS} commits in {times.ours:.2f} ms")
    print(f"{game}: their events as an aggregate of eventsourcing in {times.aggregate:.2f} ms")
    print(f"{game}: their events through a function in {times.function:.2f} ms")
    print(f"{game}: {eventsourced.TRIVIAL_EVENTS} trivial events in {times.trivial:.2f} ms")
    print(f"{game}: replayed to the head in {times.head:.2f} ms")
    print(f"{game}: replayed to the middle in {times.middle:.2f} ms")
    print(f"{game}: the middle along checkpoints in {times.look:.2f} ms")


def print_sizes(game: str, ctx: Context, match_id: str) -> None:
    """Print how many bytes a match takes, and its state."""
    entries = ctx.journal.events.read(match_id)
    commit_bytes = sum(len(entry) for entry in entries)
    print(f"{game}: {commit_bytes:,} bytes in {len(entries)} commits")

    state = load(ctx, match_id).match.state
    print(f"{game}: the state as JSON {size(state):,} bytes")


def measure(game: str) -> list[Ratio]:
    """Print what a match of a game takes, in time and in bytes; return the ratios."""
    ctx = new_context(memory_journal())
    match_id = play_bots(ctx, game, SEED)
    times = measure_times(ctx, match_id)
    print_times(game, times)
    print_sizes(game, ctx, match_id)

    slower = max(times.middle, times.look)
    ratios = [
        Ratio(
            f"{game}: rebuilding against the same events in eventsourcing",
            times.aggregate / times.ours,
            REBUILD_GOAL,
        ),
        Ratio(
            f"{game}: rebuilding against the same events through a function",
            times.function / times.ours,
        ),
        Ratio(
            f"{game}: rebuilding against trivial events in eventsourcing",
            times.trivial / times.ours,
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
    ratios: list[Ratio] = []
    for game in GAMES:
        ratios += measure(game)
    return ratios


if __name__ == "__main__":
    main()
