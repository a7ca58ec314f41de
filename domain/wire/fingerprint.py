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
    text = _Text()
    text.record(cls)
    return ";".join(f"{name}={fields}" for name, fields in sorted(text.fields_of.items()))


class _Text:
    """Writes shapes as text; `fields_of` gathers the fields of each class by its name."""

    def __init__(self) -> None:
        self.fields_of: dict[str, str] = {}

    def of(self, shape: Shape) -> str:
        """Return the text of a shape."""
        match shape:
            case Scalar(kind):
                return str(kind)
            case Anything():
                return str(Any)
            case Name(enum):
                return f"{enum.__name__}({','.join(enum.__members__)})"
            case Nullable(inner):
                return _composed(types.UnionType, *self._members(inner), str(types.NoneType))
            case Record(cls):
                return self.record(cls)
            case OneOf():
                return _composed(types.UnionType, *self._members(shape))
            case Many(container, item):
                ending = [str(...)] if container is tuple else []
                return _composed(container, self.of(item), *ending)
            case Fixed(items):
                return _composed(tuple, *map(self.of, items))
            case Table(container, value):
                return _composed(container, str(str), self.of(value))
            case _:
                assert_never(shape)

    def record(self, cls: type) -> str:
        """Return the name of a class and note its fields; a class inside itself is noted once."""
        name = cls.__name__
        if name not in self.fields_of:
            self.fields_of[name] = ""
            members = [f"{field.name}:{self.of(field.shape)}" for field in record_fields(cls)]
            self.fields_of[name] = ",".join(members)
        return name

    def _members(self, shape: Shape) -> list[str]:
        """Return the texts of what a union has in the place of this shape."""
        if isinstance(shape, OneOf):
            return [self.record(cls) for cls in shape.messages]
        return [self.of(shape)]


def _composed(container: Any, *parts: str) -> str:
    return f"{container}[{','.join(parts)}]"
