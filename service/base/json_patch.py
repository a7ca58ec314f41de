"""Differences of JSON values as a JSON Patch (RFC 6902).

The member `was` of an operation is the replaced or removed value.
"""

from collections.abc import Iterator

from service.base import answers
from service.base.errors import pointer

Path = tuple[str | int, ...]


def changes(old: object, new: object, path: Path = ()) -> Iterator[answers.Change]:
    """Yield the operations that turn `old` into `new`, in order."""
    if isinstance(old, dict) and isinstance(new, dict):
        yield from _changes_of_object(old, new, path)
    elif isinstance(old, list) and isinstance(new, list):
        yield from _changes_of_list(old, new, path)
    elif old != new or type(old) is not type(new):
        yield {"op": "replace", "path": pointer(path), "value": new, "was": old}


def _changes_of_object(
    old: dict[str, object], new: dict[str, object], path: Path
) -> Iterator[answers.Change]:
    for name, value in old.items():
        if name not in new:
            yield _removal((*path, name), value)

    for name, value in new.items():
        if name in old:
            yield from changes(old[name], value, (*path, name))
        else:
            yield _addition((*path, name), value)


def _changes_of_list(old: list[object], new: list[object], path: Path) -> Iterator[answers.Change]:
    """Yield the changes place by place.

    Surplus values are removed from the end, so that every path is right at its turn.
    """
    for place, (before, after) in enumerate(zip(old, new, strict=False)):
        yield from changes(before, after, (*path, place))

    surplus = range(len(new), len(old))
    for place in reversed(surplus):
        yield _removal((*path, place), old[place])

    missing = range(len(old), len(new))
    for place in missing:
        yield _addition((*path, place), new[place])


def _removal(path: Path, value: object) -> answers.Change:
    return {"op": "remove", "path": pointer(path), "was": value}


def _addition(path: Path, value: object) -> answers.Change:
    return {"op": "add", "path": pointer(path), "value": value}
