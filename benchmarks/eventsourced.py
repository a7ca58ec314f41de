"""The same matches in the library `eventsourcing`, kept as a fair user of it would keep them.

A match is an aggregate, and each of our events is carried by one domain event. The library's JSON
transcoder is told how to write and read each class of ours by a transcoding, as its manual says
for values that JSON does not know. Ours hand over what `domain.wire` writes, and read it with the
trusting readers that we use ourselves, so that neither side reads messages faster than the other.
The rest is what the library does for everybody: it maps stored events to domain events, with their
times and topics, and checks their order. The store is its own in memory.

There are two ways to load. The usual one lets the domain events change the aggregate. The other
one hands them to a function of ours, which leaves out the aggregate with its checks. Both change
the match by the same `evolve` as we do.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any
from uuid import UUID, uuid4

from eventsourcing.application import Application
from eventsourcing.domain import Aggregate, event
from eventsourcing.persistence import Transcoding

from domain import wire
from domain.match.evolve import evolve, new_match
from domain.match.state import Match
from domain.wire.codec import Loader
from service.ledger.codec import events_of, readers_of

TRIVIAL_EVENTS = 100

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


@dataclass(frozen=True)
class Happened:
    """One event of ours, for the way without an aggregate."""

    originator_id: UUID
    originator_version: int
    timestamp: datetime
    happened: Any


class Trivial(Aggregate):
    """An aggregate whose events do about as little as an event can do: a move adds a number."""

    @event("Opened")
    def __init__(self, seats: int) -> None:
        self.seats = seats
        self.moves: list[int] = []

    @event("Moved")
    def move(self, seat: int, points: int) -> None:
        """Make a move."""
        self.moves.append(seat * points)


def from_aggregate(rules: str, events: Sequence[Any]) -> Load:
    """Store events of a match by the rules; return what loads the aggregate that they make."""
    first, *others = events
    aggregate = MatchAggregate(first)
    for happened in others:
        aggregate.trigger_event(MatchAggregate.Happened, happened=happened)

    application = _application(rules)
    application.save(aggregate)
    return partial(application.repository.get, aggregate.id)


def from_function(rules: str, events: Sequence[Any]) -> Load:
    """Store events of a match by the rules; return what loads the match through our function."""
    match_id = uuid4()
    now = datetime.now(UTC)
    stored = [
        Happened(match_id, version, now, happened) for version, happened in enumerate(events, 1)
    ]

    application = _application(rules)
    application.events.put(stored)
    project_match: Any = project
    return partial(application.repository.get, match_id, projector_func=project_match)


def from_trivial() -> Load:
    """Store a trivial aggregate's events; return what loads it."""
    trivial = Trivial(3)
    for number in range(TRIVIAL_EVENTS - 1):
        trivial.move(number % 3, number)

    application = Application[UUID]()
    application.save(trivial)
    return partial(application.repository.get, trivial.id)


def project(match: Match | None, stored: Iterable[Happened]) -> Match | None:
    """Return the match after further events."""
    for each in stored:
        if match is None:
            match = new_match(each.happened)
        else:
            evolve(match, each.happened)
    return match


def _application(rules: str) -> Application[UUID]:
    """Return an application whose transcoder knows all events of matches by the rules."""
    application = Application[UUID]()
    transcoder: Any = application.mapper.transcoder
    readers = readers_of(rules)
    for tag, message_class in events_of(rules).items():
        transcoder.register(MessageAsJson(message_class, readers[tag]))
    return application
