"""What changed between two versions: the events in between, and the view's changes as a JSON Patch (RFC 6902)."""

from collections.abc import Iterator
from typing import Any

from service.errors import pointer
from service.keys.tokens import Caller
from service.ledger.canonical import Json
from service.ledger.replay import Loaded
from service.matches import reading
from service.matches.desk import Desk

Path = tuple[str | int, ...]


def between(desk: Desk, loaded: Loaded, caller: Caller, start: int, end: int, limit: int) -> Json:
    """Return what changed from version `start` to `end` as the caller may see it, with at most `limit` commits."""
    old, new = (
        reading.view(reading.state_at(desk, loaded, version), caller)["state"] or {}
        for version in (start, end)
    )
    first, number = min(start, end), min(limit, abs(end - start))
    commits = reading.commits(desk, loaded, caller, first, number) if number else []
    return {
        "match": loaded.id,
        "from": start,
        "to": end,
        "commits": commits,
        "changes": list(changes(old, new)),
    }


def changes(old: Any, new: Any, path: Path = ()) -> Iterator[Json]:
    """Yield the operations that make `new` of `old`, in order; `was` is what is replaced or removed."""
    if isinstance(old, dict) and isinstance(new, dict):
        yield from _object(old, new, path)
    elif isinstance(old, list) and isinstance(new, list):
        yield from _list(old, new, path)
    elif old != new or type(old) is not type(new):
        yield {"op": "replace", "path": pointer(path), "value": new, "was": old}


def _object(old: dict[str, Any], new: dict[str, Any], path: Path) -> Iterator[Json]:
    for name, value in old.items():
        if name not in new:
            yield {"op": "remove", "path": pointer((*path, name)), "was": value}
    for name, value in new.items():
        if name in old:
            yield from changes(old[name], value, (*path, name))
        else:
            yield {"op": "add", "path": pointer((*path, name)), "value": value}


def _list(old: list[Any], new: list[Any], path: Path) -> Iterator[Json]:
    """Compare place by place; what is surplus goes from the end, so that every path holds when its turn comes."""
    for place, (before, after) in enumerate(zip(old, new, strict=False)):
        yield from changes(before, after, (*path, place))
    for place in range(len(old) - 1, len(new) - 1, -1):
        yield {"op": "remove", "path": pointer((*path, place)), "was": old[place]}
    for place in range(len(old), len(new)):
        yield {"op": "add", "path": pointer((*path, place)), "value": new[place]}
