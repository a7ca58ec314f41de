"""Rebuilding a state: against the library `eventsourcing`, and any version against the head.

Ours: the first 100 commits of a match as they are stored (about 150 events, hash chain, secret
parts) to the state. Theirs: the same events in the library's store in memory to the same state, by
the same `evolve`, stored as a fair user of the library would do it. A match is an aggregate, and
one domain event carries each of our events. The library's JSON transcoder writes and reads each
class of ours by a transcoding, with our own readers, so that neither side reads messages faster.

All is measured in the same run, and by processor time: other work of the machine does not count.
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
    """The library's transcoding for one class of our events."""

    def __init__(self, message_class: Any, reader: Loader) -> None:
        self.type = message_class
        self.name = message_class.tag
        self._read = reader

    def encode(self, obj: Any) -> Any:
        """Return an event as our JSON."""
        return wire.encode(obj)

    def decode(self, data: Any) -> Any:
        """Return the event in our JSON."""
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
            """Apply the event to the match."""
            evolve(aggregate.match, self.happened)

    class HappenedLast(Aggregate.Event):
        """The last event of one of our commits."""

        happened: Any

        def apply(self, aggregate: Any) -> None:
            """Apply the event to the match, and count the move."""
            evolve(aggregate.match, self.happened)
            count_moves(aggregate.match, (self.happened,))


def as_aggregate(rules: str, commits: Sequence[Sequence[Any]]) -> Load:
    """Store the events of commits by the rules. Return a function that loads their aggregate."""
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
    """Return eventsourcing's loader of the state after these commits, once it is checked."""
    commits = parse_commits(entries)
    rules = rules_of(commits[0])
    load_aggregate = as_aggregate(rules, [decode_events([one], rules) for one in commits])

    loaded = replay_commits(None, entries)
    assert loaded is not None
    assert load_aggregate().match == loaded.match
    return load_aggregate


def rebuilding(game: str) -> Figures:
    """Print the times and bytes of a match of a game. Return the ratios."""
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
    """Measure each game. Return the ratios."""
    return [ratio for game in GAMES for ratio in rebuilding(game)]
