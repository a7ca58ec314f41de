"""What changed between two versions: the events in between, and the changes of the view.

The changes are a JSON Patch (RFC 6902); its members `was` say what is replaced or removed.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from service.errors import pointer
from service.keys.tokens import Caller
from service.ledger.canonical import Json
from service.ledger.replay import Loaded
from service.matches import reading
from service.matches.desk import Desk
from service.matches.moments import Span

Path = tuple[str | int, ...]


class Ends(NamedTuple):
    """The two versions that are compared; the start may be the later one."""

    start: int
    end: int


def between(desk: Desk, loaded: Loaded, caller: Caller, ends: Ends, limit: int) -> Json:
    """Return what changed from one version to another, as the caller may see it.

    limit: at most so many of the commits in between are told.
    """
    old = _state(desk, loaded, caller, ends.start)
    new = _state(desk, loaded, caller, ends.end)

    told = told_between(ends, limit)
    number = told.until - told.after
    commits = reading.commits(desk, loaded, caller, told.after, number) if number else []

    return {
        "match": loaded.id,
        "from": ends.start,
        "to": ends.end,
        "commits": commits,
        "changes": list(changes(old, new)),
    }


def told_between(ends: Ends, limit: int) -> Span:
    """Return the commits between two versions that are told, at most so many."""
    earlier = min(ends)
    until = min(max(ends), earlier + limit)
    return Span(earlier, until, closed=True)


def _state(desk: Desk, loaded: Loaded, caller: Caller, version: int) -> Any:
    """Return the state at a version as the caller may see it, {} where there was none."""
    loaded_then = reading.state_at(desk, loaded, version)
    return reading.view(loaded_then, caller)["state"] or {}


def changes(old: Any, new: Any, path: Path = ()) -> Iterator[Json]:
    """Yield the operations that make `new` of `old`, in order."""
    if isinstance(old, dict) and isinstance(new, dict):
        yield from _changes_of_object(old, new, path)
    elif isinstance(old, list) and isinstance(new, list):
        yield from _changes_of_list(old, new, path)
    elif old != new or type(old) is not type(new):
        yield {"op": "replace", "path": pointer(path), "value": new, "was": old}


def _changes_of_object(old: dict[str, Any], new: dict[str, Any], path: Path) -> Iterator[Json]:
    for name, value in old.items():
        if name not in new:
            yield _removal((*path, name), value)

    for name, value in new.items():
        if name in old:
            yield from changes(old[name], value, (*path, name))
        else:
            yield _addition((*path, name), value)


def _changes_of_list(old: list[Any], new: list[Any], path: Path) -> Iterator[Json]:
    """Yield the changes place by place.

    What is surplus is removed from the end, so that every path is right when its turn comes.
    """
    for place, (before, after) in enumerate(zip(old, new, strict=False)):
        yield from changes(before, after, (*path, place))

    surplus = range(len(new), len(old))
    for place in reversed(surplus):
        yield _removal((*path, place), old[place])

    missing = range(len(old), len(new))
    for place in missing:
        yield _addition((*path, place), new[place])


def _removal(path: Path, value: Any) -> Json:
    return {"op": "remove", "path": pointer(path), "was": value}


def _addition(path: Path, value: Any) -> Json:
    return {"op": "add", "path": pointer(path), "value": value}
