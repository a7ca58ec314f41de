"""Rebuilding a state: against the library `eventsourcing`, and any version against the head.

Ours: the first 100 commits of a match as they are stored (about 150 events, hash chain, secret
parts) to the state. Theirs: the same events in the library's store in memory to the same state, by
the same `evolve`, as a fair user of the library would keep them. A match is an aggregate, and each
of our events is carried by one domain event. The library's JSON transcoder writes and reads each
class of ours by a transcoding, with our own readers, so that neither side reads messages faster.

All in the same run, and by the processor's time: what else runs on the machine does not count.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any
from uuid import UUID

from eventsourcing.application import Application
from eventsourcing.domain import Aggregate
from eventsourcing.persistence import Transcoding

from benchmarks.matches import new_context, play_bots
from benchmarks.measure import Figures, Ratio, compare, limit, show, worked
from domain import wire
from domain.games import GAMES
from domain.match.evolve import count_moves, evolve, new_match
from domain.wire.codec import Loader
from service.matches.repository import load, load_version
from service.record.codec import decode_events, events_of, readers_of
from service.record.commit import canonical, parse_commits, rules_of
from service.record.replay import replay_commits
from service.store.journal.memory import memory_journal

RUNS = 21
COMMITS = 100

Load = Callable[[], Any]


class MessageAsJson(Transcoding):
    """How the library writes and reads one class of our events."""

    def __init__(self, message_class: Any, read: Loader) -> None:
        self.type = message_class
        self.name = message_class.tag
        self._read = read

    def encode(self, obj: Any) -> Any:
        """Return an event as our JSON."""
        return wire.encode(obj)

    def decode(self, data: Any) -> Any:
        """Return the event that our JSON stands for."""
        return self._read(data)


class MatchAggregate(Aggregate):
    """A match of ours: its first event makes it, and each further one changes it.

    Its draws go by the moves, so the last event of each of our commits counts them.
    """

    def __init__(self, happened: Any) -> None:
        self.match = new_match(happened)

    class Happened(Aggregate.Event):
        """One event of ours."""

        happened: Any

        def apply(self, aggregate: Any) -> None:
            """Change the match as the event says."""
            evolve(aggregate.match, self.happened)

    class HappenedLast(Aggregate.Event):
        """The last event of one of our commits."""

        happened: Any

        def apply(self, aggregate: Any) -> None:
            """Change the match as the event says, and count the move."""
            evolve(aggregate.match, self.happened)
            count_moves(aggregate.match, (self.happened,))


def as_aggregate(rules: str, commits: Sequence[Sequence[Any]]) -> Load:
    """Store the events of commits by the rules; return what loads the aggregate that they make."""
    opening, *later = commits
    first, *others = opening
    aggregate = MatchAggregate(first)
    for events in [others, *later]:
        for happened in events[:-1]:
            aggregate.trigger_event(MatchAggregate.Happened, happened=happened)
        for happened in events[-1:]:
            aggregate.trigger_event(MatchAggregate.HappenedLast, happened=happened)

    application = Application[UUID]()
    transcoder: Any = application.mapper.transcoder
    readers = readers_of(rules)
    for tag, message_class in events_of(rules).items():
        transcoder.register(MessageAsJson(message_class, readers[tag]))
    application.save(aggregate)
    return partial(application.repository.get, aggregate.id)


def theirs(entries: list[bytes]) -> Load:
    """Return eventsourcing's way to the state after these commits, once it leads there."""
    commits = parse_commits(entries)
    rules = rules_of(commits[0])
    load_aggregate = as_aggregate(rules, [decode_events([one], rules) for one in commits])

    loaded = replay_commits(None, entries)
    assert loaded is not None
    assert load_aggregate().match == loaded.match
    return load_aggregate


def rebuilding(game: str) -> Figures:
    """Print what a match of a game takes, in time and in bytes; return the ratios."""
    ctx = new_context(memory_journal())
    match_id = play_bots(ctx, game, "replay")
    entries = ctx.journal.events.read(match_id)
    middle = len(entries) // 2

    ways: dict[str, Load] = {
        "ours": partial(replay_commits, None, entries[:COMMITS]),
        "aggregate": theirs(entries[:COMMITS]),
        "to the head": partial(replay_commits, None, entries),
        "to the middle": partial(replay_commits, None, entries[:middle]),
        "along checkpoints": partial(load_version, ctx, match_id, middle),
    }
    contenders = {name: partial(worked, way) for name, way in ways.items()}
    took = compare(f"{game}: rebuilt", "ms", RUNS, contenders)

    state = load(ctx, match_id).match.state
    sizes = {"state": len(canonical(wire.dump(state))), "commits": sum(map(len, entries))}
    show(f"{game}: JSON of {len(entries)} commits", sizes, "bytes")

    name = f"{game}: rebuilding against the same events in eventsourcing"
    slower = max(took["to the middle"], took["along checkpoints"]) / took["to the head"]
    return [
        Ratio(name, took["aggregate"] / took["ours"], 10),
        limit(f"{game}: state at the middle against the head", slower, 1.5),
    ]


def main() -> Figures:
    """Measure each game; return the ratios."""
    return [ratio for game in GAMES for ratio in rebuilding(game)]
