"""Type hints as a closed set of shapes, and fingerprints of classes.

Code that turns the type of a message or a state into something else (JSON, a schema, a made-up
value) matches over `Shape` and ends with `assert_never`.
"""

import dataclasses
import enum
import types
import typing
from collections.abc import Mapping
from dataclasses import MISSING, dataclass
from functools import cache
from typing import (
    Annotated,
    Any,
    Self,
    TypeAlias,
    TypeGuard,
    TypeVar,
    assert_never,
    get_args,
    get_origin,
)

# ---- enums whose members have names on the wire --------------------------------------------------


Member = TypeVar("Member", bound="Named")


class Named(enum.IntEnum):
    """An enum with whole numbers, so that a member can index a list.

    wire: a member's name on the wire. By default its own name in lower case.
    """

    wire: str

    def __init__(self, _index: int) -> None:
        self.wire = self._name_.lower()

    @classmethod
    def by_wire(cls) -> Mapping[str, Self]:
        """Return the members by their names on the wire, in the order of the enum."""
        return _members_by_wire(cls)

    @classmethod
    def of(cls, wire_name: str) -> Self:
        """Return the member with a name on the wire. Raises ValueError with the right names."""
        members = cls.by_wire()
        if wire_name not in members:
            raise ValueError(f"{wire_name!r} is none of {', '.join(members)}")
        return members[wire_name]


@cache
def _members_by_wire(cls: type[Member]) -> Mapping[str, Member]:
    return {member.wire: member for member in cls}


# ---- shapes --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Scalar:
    """A whole number, a string or a flag: `kind` is int, str or bool."""

    kind: type[int] | type[str] | type[bool]


@dataclass(frozen=True, slots=True)
class Name:
    """A member of an enum, written by its name on the wire."""

    enum: type[Named]


@dataclass(frozen=True, slots=True)
class Nullable:
    """A value that may be None."""

    inner: "Shape"


@dataclass(frozen=True, slots=True)
class Record:
    """A dataclass. `record_fields` returns its fields."""

    cls: type


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of several messages. The tag under "type" tells them apart."""

    messages: tuple[type, ...]


@dataclass(frozen=True, slots=True)
class Many:
    """Any number of items of one shape. `container` is list or tuple."""

    container: "Container"
    item: "Shape"


@dataclass(frozen=True, slots=True)
class Fixed:
    """A tuple of a fixed number of items, each with its shape."""

    items: "tuple[Shape, ...]"


@dataclass(frozen=True, slots=True)
class Table:
    """A mapping from strings. `container` is dict or collections.abc.Mapping."""

    container: type
    value: "Shape"


@dataclass(frozen=True, slots=True)
class Anything:
    """Any JSON value, taken as it is."""


Container: TypeAlias = type[list[object]] | type[tuple[object, ...]]
Shape: TypeAlias = Scalar | Name | Nullable | Record | OneOf | Many | Fixed | Table | Anything


@dataclass(frozen=True, slots=True)
class RecordField:
    """One field of a dataclass."""

    name: str
    shape: Shape
    has_default: bool
    declared: dataclasses.Field[object]

    @property
    def optional(self) -> bool:
        """True if the field may be left out on the wire."""
        return self.has_default or isinstance(self.shape, Nullable)


@cache
def record_fields(cls: type) -> tuple[RecordField, ...]:
    """Return the fields of a dataclass in the order of their definition."""
    hints = typing.get_type_hints(cls)
    return tuple(
        RecordField(
            name=field.name,
            shape=shape_of(hints[field.name]),
            has_default=field.default is not MISSING or field.default_factory is not MISSING,
            declared=field,
        )
        for field in dataclasses.fields(cls)
    )


def shape_of(hint: object) -> Shape:
    """Return the shape of a type hint. Raises TypeError if it has none."""
    if hint in (int, str, bool):
        return Scalar(hint)
    if hint is Any:
        return Anything()
    if isinstance(hint, type) and issubclass(hint, Named):
        return Name(hint)
    if _is_dataclass(hint):
        return Record(hint)

    origin = get_origin(hint)
    arguments = get_args(hint)
    if origin is Annotated:
        return shape_of(arguments[0])
    if origin in (types.UnionType, typing.Union):
        return _union(hint, arguments)
    if origin in (list, tuple):
        return _sequence(origin, arguments)
    if origin in (dict, Mapping) and arguments[0] is str:
        return Table(origin, shape_of(arguments[1]))
    raise _unknown(hint)


def _sequence(container: Container, arguments: tuple[object, ...]) -> Shape:
    """Return the shape of list[X], tuple[X, ...] or tuple[X, Y]."""
    if container is list or arguments[1:] == (...,):
        return Many(container, shape_of(arguments[0]))
    return Fixed(tuple(shape_of(argument) for argument in arguments))


def _union(hint: object, members: tuple[type, ...]) -> Shape:
    """Return the shape of X | None, or of several messages with or without None."""
    present = tuple(member for member in members if member is not types.NoneType)

    inner: Shape
    if len(present) == 1:
        inner = shape_of(present[0])
    elif all(_is_message(member) for member in present):
        inner = OneOf(present)
    else:
        raise _unknown(hint)

    if types.NoneType in members:
        return Nullable(inner)
    return inner


def _is_dataclass(hint: object) -> TypeGuard[type]:
    return isinstance(hint, type) and dataclasses.is_dataclass(hint)


def _is_message(hint: object) -> bool:
    return _is_dataclass(hint) and hasattr(hint, "tag")


def _unknown(hint: object) -> TypeError:
    return TypeError(f"{hint!r} has no shape on the wire (domain/wire/shapes.py lists them)")


# ---- fingerprints --------------------------------------------------------------------------------


def fingerprint(cls: type) -> str:
    """Return a text that changes with field names and types of a class, and of the classes in it.

    The form is `Class=field:type,...;Class=...`, sorted by class. Stored snapshots hold a digest of
    the text: another text for the same fields would make every snapshot useless.
    """
    text = _Text()
    text.record(cls)
    return ";".join(f"{name}={fields}" for name, fields in sorted(text.fields_of.items()))


class _Text:
    """Writes shapes as text. `fields_of` gathers the fields of each class by its name."""

    def __init__(self) -> None:
        self.fields_of: dict[str, str] = {}

    def of(self, shape: Shape) -> str:
        """Return the text of a shape."""
        match shape:
            case Scalar(kind):
                return str(kind)
            case Anything():
                return str(Any)
            case Name(choice):
                return f"{choice.__name__}({','.join(choice.__members__)})"
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
        """Return the name of a class and note its fields. A class is noted only once."""
        name = cls.__name__
        if name not in self.fields_of:
            self.fields_of[name] = ""
            members = [f"{field.name}:{self.of(field.shape)}" for field in record_fields(cls)]
            self.fields_of[name] = ",".join(members)
        return name

    def _members(self, shape: Shape) -> list[str]:
        """Return the texts of the members of a union, given the shape of the union without None."""
        if isinstance(shape, OneOf):
            return [self.record(cls) for cls in shape.messages]
        return [self.of(shape)]


def _composed(container: type, *parts: str) -> str:
    return f"{container}[{','.join(parts)}]"
