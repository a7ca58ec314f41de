"""Moments of a match's past, each told as a version or as a time, and spans of commits between two of them."""

from dataclasses import dataclass

from service.errors import NotFound
from service.ledger.replay import Loaded
from service.ledger.times import milliseconds
from service.matches import reading
from service.matches.desk import Desk


@dataclass(frozen=True, slots=True)
class Moment:
    """A point in the past of a match: right after a version, or at a time. One of the two is None.

    time: milliseconds since the epoch.
    """

    version: int | None = None
    time: int | None = None


@dataclass(frozen=True, slots=True)
class Span:
    """The commits after version `after` up to and with version `until`.

    closed: nothing will ever be added to it, because a commit after it exists or it ends at a given version.
    start: the version before all that was asked for, from which `after` has come so far.
    """

    after: int
    until: int
    closed: bool
    start: int = 0


def version_of(desk: Desk, loaded: Loaded, moment: Moment) -> int:
    """Return the version that a match had at a moment; raises NotFound for one before its opening or after its head."""
    if moment.time is not None:
        return reading.version_at(desk, loaded, moment.time)
    version = moment.version or 0
    if not 1 <= version <= loaded.version:
        raise NotFound(f"match {loaded.id} has the versions 1 to {loaded.version}, not {version}")
    return version


def is_past(loaded: Loaded, moment: Moment, version: int) -> bool:
    """Return whether a moment will always have this version: a time has it for good once a later commit exists."""
    return moment.version is not None or version < loaded.version


def span(desk: Desk, loaded: Loaded, after: int, first: Moment | None, last: Moment | None) -> Span:
    """Return the commits after a version that were made from one moment to another, both included.

    Moments outside of the match's life are no error: nothing was made there.
    """
    start = 0 if first is None else _before(desk, loaded, first)
    after = max(after, start)
    if last is None:
        return Span(after, loaded.version, closed=False, start=start)
    if last.version is not None:
        until = min(last.version, loaded.version)
        return Span(after, until, closed=last.version <= loaded.version, start=start)
    until = _at(desk, loaded, last.time or 0)
    return Span(after, until, closed=until < loaded.version, start=start)


def _before(desk: Desk, loaded: Loaded, first: Moment) -> int:
    """Return the last version made before a moment, 0 if there is none."""
    if first.version is not None:
        return first.version - 1
    return _at(desk, loaded, (first.time or 0) - 1)


def _at(desk: Desk, loaded: Loaded, time: int) -> int:
    """Return the last version made at or before a time, 0 if there is none."""
    return 0 if time < milliseconds(loaded.created) else reading.version_at(desk, loaded, time)
