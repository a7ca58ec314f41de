"""A text that changes with the fields of a class: snapshots of other fields are not read."""

import types
from typing import Any, assert_never

from domain.wire.shapes import (
    Anything,
    Fixed,
    Many,
    Name,
    Nullable,
    OneOf,
    Record,
    Scalar,
    Shape,
    Table,
    record_fields,
)


def fingerprint(cls: type) -> str:
    """Return a text that changes whenever the fields of the class, or of a class in it, change.

    It is `Class=field:type,...;Class=...`, sorted by class. Digests of it lie in stored snapshots:
    another text for the same fields makes every snapshot useless.
    """
    fields_of: dict[str, str] = {}
    _gather(Record(cls), fields_of)
    return ";".join(f"{name}={fields}" for name, fields in sorted(fields_of.items()))


def _gather(shape: Shape, fields_of: dict[str, str]) -> str:
    """Return the text of a shape; note the fields of each class in it."""

    def text(inner: Shape) -> str:
        return _gather(inner, fields_of)

    match shape:
        case Scalar(kind):
            return str(kind)
        case Anything():
            return str(Any)
        case Name(enum):
            return f"{enum.__name__}({','.join(enum.__members__)})"
        case Nullable(OneOf(messages)):
            return _composed(types.UnionType, *_records(messages, fields_of), str(types.NoneType))
        case Nullable(inner):
            return _composed(types.UnionType, text(inner), str(types.NoneType))
        case Record(cls):
            return _record(cls, fields_of)
        case OneOf(messages):
            return _composed(types.UnionType, *_records(messages, fields_of))
        case Many(container, item):
            ending = [str(...)] if container is tuple else []
            return _composed(container, text(item), *ending)
        case Fixed(items):
            return _composed(tuple, *map(text, items))
        case Table(container, item):
            return _composed(container, str(str), text(item))
        case _:
            assert_never(shape)


def _composed(container: Any, *parts: str) -> str:
    return f"{container}[{','.join(parts)}]"


def _records(classes: tuple[type, ...], fields_of: dict[str, str]) -> list[str]:
    return [_record(cls, fields_of) for cls in classes]


def _record(cls: type, fields_of: dict[str, str]) -> str:
    """Return the name of a class, its fields noted; a class that is inside itself is noted once."""
    name = cls.__name__
    if name not in fields_of:
        fields_of[name] = ""
        members = [f"{one.name}:{_gather(one.shape, fields_of)}" for one in record_fields(cls)]
        fields_of[name] = ",".join(members)
    return name
