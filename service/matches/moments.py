"""Moments of a match's past, and spans of commits between two of them.

A moment is told as a version or as a time; times are milliseconds since the epoch.
"""

from dataclasses import dataclass

from service.errors import NotFound
from service.ledger.replay import Loaded
from service.ledger.times import milliseconds
from service.matches.desk import Desk
from service.matches.loading import entry_of
from service.matches.reading import check_version


@dataclass(frozen=True, slots=True)
class Moment:
    """A point in the past of a match: right after a version, or at a time. One of the two is None.

    time: milliseconds since the epoch.
    """

    version: int | None = None
    time: int | None = None


@dataclass(frozen=True, slots=True)
class Span:
    """The commits after version `after` up to version `until`, that one included.

    closed: nothing will ever be added to it, because a commit after it exists or it ends at a
        given version.
    start: the version before all that was asked for; `after` has come so far from there.
    """

    after: int
    until: int
    closed: bool
    start: int = 0


def version_of(desk: Desk, loaded: Loaded, moment: Moment) -> int:
    """Return the version that a match had at a moment.

    Raises NotFound for a moment before its opening, and for a version after its head.
    """
    if moment.time is not None:
        if moment.time < milliseconds(loaded.created):
            raise NotFound(f"match {loaded.id} was opened only at {loaded.created}")
        return _version_at(desk, loaded, moment.time)

    version = moment.version or 0
    check_version(loaded, version)
    return version


def is_past(loaded: Loaded, moment: Moment, version: int) -> bool:
    """Return whether a moment will always have this version.

    A time has it for good once a later commit exists.
    """
    return moment.version is not None or version < loaded.version


def span(desk: Desk, loaded: Loaded, after: int, first: Moment | None, last: Moment | None) -> Span:
    """Return the commits after a version that were made from one moment to another.

    Both moments are included; None: the opening, the present. Moments outside of the match's life
    are no error: nothing was made there.
    """
    start = 0 if first is None else _last_before(desk, loaded, first)
    after = max(after, start)

    if last is None:
        return Span(after, loaded.version, closed=False, start=start)

    if last.version is not None:
        until = min(last.version, loaded.version)
        return Span(after, until, closed=last.version <= loaded.version, start=start)

    until = _version_at(desk, loaded, last.time or 0)
    return Span(after, until, closed=until < loaded.version, start=start)


def _last_before(desk: Desk, loaded: Loaded, first: Moment) -> int:
    """Return the last version made before a moment, 0 if there is none."""
    if first.version is not None:
        return first.version - 1
    return _version_at(desk, loaded, (first.time or 0) - 1)


def _version_at(desk: Desk, loaded: Loaded, time: int) -> int:
    """Return the last version made at or before a time, 0 if there is none."""
    if time < milliseconds(loaded.created):
        return 0
    if time >= milliseconds(loaded.time):
        return loaded.version

    # The times of commits never decrease, so the version is found by halving.
    made_by_then = 1
    made_later = loaded.version
    while made_later - made_by_then > 1:
        middle = (made_by_then + made_later) // 2
        if _time_of(desk, loaded, middle) <= time:
            made_by_then = middle
        else:
            made_later = middle
    return made_by_then


def _time_of(desk: Desk, loaded: Loaded, version: int) -> int:
    """Return when a version was made."""
    return milliseconds(entry_of(desk, loaded.id, version)["commit"]["time"])
