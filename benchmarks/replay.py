"""Rebuilding a state: against the library `eventsourcing`, and any version against the head.

Ours: the first 100 commits of a match as they are stored (about 150 events, hash chain, secret
parts) to the state. Theirs: the same events in the library's store in memory to the same state, by
the same `evolve`, as a fair user of the library would keep them. A match is an aggregate, and each
of our events is carried by one domain event. The library's JSON transcoder writes and reads each
class of ours by a transcoding, as its manual says for values that JSON does not know. Ours hand
over what `domain.wire` writes, and read it with the trusting readers that we use ourselves, so that
neither side reads messages faster than the other.

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
from benchmarks.measure import Figures, Ratio, interleaved, limit, show, worked
from domain import wire
from domain.games import GAMES
from domain.match.evolve import evolve, new_match
from domain.wire.codec import Loader
from service.journal.memory import memory_journal
from service.ledger.codec import decode_events, events_of, readers_of
from service.ledger.commit import canonical, parse_commits, rules_of
from service.ledger.replay import forward
from service.matches.repository import at_version, load

RUNS = 21
COMMITS = 100
REBUILD_GOAL = 10
MIDDLE_GOAL = 1.5
SEED = "replay"

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
    """A match of ours: its first event makes it, and each further one changes it."""

    def __init__(self, happened: Any) -> None:
        self.match = new_match(happened)

    class Happened(Aggregate.Event):
        """One event of ours."""

        happened: Any

        def apply(self, aggregate: Any) -> None:
            """Change the match as the event says."""
            evolve(aggregate.match, self.happened)


def as_aggregate(rules: str, events: Sequence[Any]) -> Load:
    """Store events of a match by the rules; return what loads the aggregate that they make."""
    first, *others = events
    aggregate = MatchAggregate(first)
    for happened in others:
        aggregate.trigger_event(MatchAggregate.Happened, happened=happened)

    application = _application(rules)
    application.save(aggregate)
    return partial(application.repository.get, aggregate.id)


def _application(rules: str) -> Application[UUID]:
    """Return an application whose transcoder knows all events of matches by the rules."""
    application = Application[UUID]()
    transcoder: Any = application.mapper.transcoder
    readers = readers_of(rules)
    for tag, message_class in events_of(rules).items():
        transcoder.register(MessageAsJson(message_class, readers[tag]))
    return application


def theirs(entries: list[bytes]) -> Load:
    """Return eventsourcing's way to the state after these commits, once it leads there."""
    commits = parse_commits(entries)
    rules = rules_of(commits[0])
    events = decode_events(commits, rules)
    load_aggregate = as_aggregate(rules, events)

    loaded = forward(None, entries)
    assert loaded is not None
    assert load_aggregate().match == loaded.match
    return load_aggregate


def measure(game: str) -> Figures:
    """Print what a match of a game takes, in time and in bytes; return the ratios."""
    ctx = new_context(memory_journal())
    match_id = play_bots(ctx, game, SEED)
    entries = ctx.journal.events.read(match_id)
    middle = len(entries) // 2

    ways: dict[str, Load] = {
        "ours": partial(forward, None, entries[:COMMITS]),
        "aggregate": theirs(entries[:COMMITS]),
        "to the head": partial(forward, None, entries),
        "to the middle": partial(forward, None, entries[:middle]),
        "along checkpoints": partial(at_version, ctx, match_id, middle),
    }
    took = interleaved(RUNS, {name: partial(worked, way) for name, way in ways.items()})
    show(f"{game}: rebuilt", {name: 1000 * seconds for name, seconds in took.items()}, "ms")

    state = load(ctx, match_id).match.state
    sizes = {"state": len(canonical(wire.dump(state))), "commits": sum(map(len, entries))}
    show(f"{game}: JSON of {len(entries)} commits", sizes, "bytes")

    slower = max(took["to the middle"], took["along checkpoints"]) / took["to the head"]
    against = took["aggregate"] / took["ours"]
    return [
        Ratio(
            f"{game}: rebuilding against the same events in eventsourcing", against, REBUILD_GOAL
        ),
        limit(f"{game}: state at the middle against the head", slower, MIDDLE_GOAL),
    ]


def main() -> Figures:
    """Measure each game; return the ratios."""
    return [ratio for game in GAMES for ratio in measure(game)]
