"""Messages and states as plain JSON values and back, derived from their dataclass fields.

Wire names are explicit: a message class carries `tag: ClassVar[str]`, an enum member its lower snake case name (or
whatever else its `wire` says). A field whose value is None is left out.
Field marks: `secret(...)` names who may see a field, `drawn()` says that chance decides it; both may be combined.
"""

import dataclasses
import enum
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

from domain.errors import MOST_UNKNOWN, BadMessage

HOUSE = -1
Path = tuple[str | int, ...]
_NOTHING: Mapping[str, Any] = {}


class Named(enum.IntEnum):
    """An enum that indexes lists in the domain; `wire` is a member's name on the wire, in lower snake case."""

    wire: str

    def __init__(self, _index: int) -> None:
        self.wire = self._name_.lower()


def secret(audience: str = "seat", *, drawn: bool = False) -> Any:
    """Mark a field (`X | None`) that only its message's `seat` ("seat") or only the house ("house") may see."""
    return dataclasses.field(default=None, metadata={"secret": audience, "drawn": drawn})


def drawn() -> Any:
    """Mark a public field that chance decides: a preview leaves it out."""
    return dataclasses.field(default=None, metadata={"drawn": True})


def table(*classes: Any) -> dict[str, type]:
    """Return the classes by tag; the tags must differ."""
    result = {cls.tag: cls for cls in classes}
    assert len(result) == len(classes), "two messages share a tag"
    return result


def merge(*tables: Mapping[str, type]) -> dict[str, type]:
    """Return the tables as one; no tag may stand in two of them."""
    result = {tag: cls for known in tables for tag, cls in known.items()}
    assert len(result) == sum(map(len, tables)), "two tables share a tag"
    return result


def encode(message: Any) -> dict[str, Any]:
    """Return a message as a JSON object with its tag under "type"."""
    cls: Any = type(message)
    return {"type": cls.tag, **_encoder(cls)(message)}


def decode(known: Mapping[str, type], data: Any, **stamped: Any) -> Any:
    """Return the message that a JSON object with a "type" stands for; fields that we stamp must not be given.

    Raises BadMessage naming every place: unknown type or field, missing field, wrong value.
    """
    if not isinstance(data, Mapping):
        raise BadMessage((), "must be an object with a type")
    name = data.get("type")
    if not isinstance(name, str) or name not in known:
        raise BadMessage(("type",), f"must be one of {', '.join(sorted(known))}")
    return _decode_fields(
        known[name], {key: value for key, value in data.items() if key != "type"}, (), stamped
    )


def dump(value: Any) -> Any:
    """Return a dataclass (a state, a part of one) as JSON values, without a type name."""
    cls: Any = type(value)
    return _encoder(cls)(value)


def load(cls: type, data: Any) -> Any:
    """Return the dataclass that `dump` wrote; raises BadMessage where the data does not fit the class."""
    return decoder(cls)(data, ())


def shape(cls: type) -> str:
    """Return a text that changes whenever the fields of the class, or of a class in it, change."""
    seen: dict[str, str] = {}

    def walk(kind: Any) -> str:
        if _is_dataclass(kind):
            if kind.__name__ not in seen:
                seen[kind.__name__] = ""
                hints = _hints(kind)
                seen[kind.__name__] = ",".join(
                    f"{f.name}:{walk(hints[f.name])}" for f in dataclasses.fields(kind)
                )
            return str(kind.__name__)
        if isinstance(kind, type) and issubclass(kind, enum.Enum):
            return f"{kind.__name__}({','.join(kind.__members__)})"
        arguments = typing.get_args(kind)
        return (
            f"{typing.get_origin(kind)}[{','.join(map(walk, arguments))}]"
            if arguments
            else str(kind)
        )

    walk(cls)
    return ";".join(f"{name}={fields}" for name, fields in sorted(seen.items()))


@cache
def secret_fields(cls: Any) -> tuple[tuple[str, str], ...]:
    """Return (field, audience) for each secret field of a message class."""
    return tuple(
        (f.name, f.metadata["secret"]) for f in dataclasses.fields(cls) if "secret" in f.metadata
    )


@cache
def drawn_fields(cls: Any) -> tuple[str, ...]:
    """Return the names of the fields that chance decides."""
    return tuple(f.name for f in dataclasses.fields(cls) if f.metadata.get("drawn"))


def redact(message: Any, seat: int | None) -> Any:
    """Return the message as a seat (None: the public) may see it: every field it may not see is None."""
    cls: Any = type(message)
    fields = secret_fields(cls)
    if not fields:
        return message
    hidden = {
        name: None
        for name, audience in fields
        if audience == "house" or seat is None or seat != message.seat
    }
    return dataclasses.replace(message, **hidden) if hidden else message


# ---- compiled converters ---------------------------------------------------------------------------------------------


@cache
def _hints(cls: type) -> dict[str, Any]:
    return typing.get_type_hints(cls)


def _is_dataclass(kind: Any) -> bool:
    return isinstance(kind, type) and dataclasses.is_dataclass(kind)


def _plain(value: Any) -> Any:
    return value


@cache
def _encoder(kind: Any) -> Callable[[Any], Any]:
    if _is_dataclass(kind):
        hints = _hints(kind)
        parts = [(f.name, _encoder(hints[f.name])) for f in dataclasses.fields(kind)]

        def fields(value: Any) -> dict[str, Any]:
            result = {}
            for name, convert in parts:
                item = getattr(value, name)
                if item is not None:
                    result[name] = item if convert is _plain else convert(item)
            return result

        return fields
    if isinstance(kind, type) and issubclass(kind, Named):
        return lambda value: value.wire
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (types.UnionType, typing.Union):
        members = [member for member in arguments if member is not types.NoneType]
        if len(members) == 1:
            inner = _encoder(members[0])
            return (
                inner if inner is _plain else lambda value: None if value is None else inner(value)
            )
        return encode if all(map(_is_dataclass, members)) else _plain
    if origin in (list, tuple):
        if origin is list or arguments[1:] == (...,):
            item = _encoder(arguments[0])
            return (
                list
                if item is _plain
                else lambda value: [None if one is None else item(one) for one in value]
            )
        items = [_encoder(argument) for argument in arguments]
        return lambda value: [convert(one) for convert, one in zip(items, value, strict=True)]
    if origin in (dict, Mapping) and arguments[1] is not Any:
        item = _encoder(arguments[1])
        return lambda value: {key: item(one) for key, one in value.items()}
    return _plain


Decoder = Callable[[Any, Path], Any]


def _any(value: Any, _path: Path) -> Any:
    return value


@cache
def decoder(kind: Any) -> Decoder:
    """Return the function that reads a type's values at a path, or raises BadMessage."""
    if _is_dataclass(kind):
        return lambda value, path: _decode_fields(kind, value, path)
    if isinstance(kind, type) and issubclass(kind, Named):
        return _enum_decoder(kind)
    if kind in (int, str, bool):
        return _scalar_decoder(kind)
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (types.UnionType, typing.Union):
        return _union_decoder(arguments)
    if origin in (list, tuple):
        return _list_decoder(origin, arguments)
    if origin in (dict, Mapping):
        return _dict_decoder(arguments)
    return _any


def _enum_decoder(kind: type[Named]) -> Decoder:
    names = {member.wire: member for member in kind}
    expected = f"must be one of {', '.join(names)}"

    def decode_enum(value: Any, path: Path) -> Named:
        if not isinstance(value, str) or value not in names:
            raise BadMessage(path, expected)
        return names[value]

    return decode_enum


def _scalar_decoder(kind: type) -> Decoder:
    expected = {
        int: "must be a whole number",
        str: "must be a string",
        bool: "must be true or false",
    }[kind]

    def scalar(value: Any, path: Path) -> Any:
        if type(value) is not kind or (isinstance(value, int) and not -(2**53) < value < 2**53):
            raise BadMessage(path, expected)
        return value

    return scalar


def _union_decoder(arguments: Iterable[Any]) -> Decoder:
    optional = types.NoneType in arguments
    members = [member for member in arguments if member is not types.NoneType]
    if len(members) == 1:
        inner = decoder(members[0])
    elif all(map(_is_dataclass, members)):
        known = table(*members)

        def inner(value: Any, path: Path) -> Any:
            try:
                return decode(known, value)
            except BadMessage as error:
                raise BadMessage.together(error.all, *path, untold=error.untold) from None
    else:
        inner = _any
    return lambda value, path: None if value is None and optional else inner(value, path)


def _list_decoder(origin: Any, arguments: tuple[Any, ...]) -> Decoder:
    many = origin is list or arguments[1:] == (...,)
    items = [decoder(argument) for argument in arguments if argument is not ...]

    def sequence(value: Any, path: Path) -> Any:
        if not isinstance(value, list | tuple):
            raise BadMessage(path, "must be a list")
        if not many and len(value) != len(items):
            raise BadMessage(path, f"must be a list of {len(items)}")
        return origin(
            (items[0] if many else items[i])(one, (*path, i)) for i, one in enumerate(value)
        )

    return sequence


def _dict_decoder(arguments: tuple[Any, ...]) -> Decoder:
    inner = decoder(arguments[1])

    def mapping(value: Any, path: Path) -> Any:
        if not isinstance(value, Mapping):
            raise BadMessage(path, "must be an object")
        return {key: inner(one, (*path, key)) for key, one in value.items()}

    return mapping


@cache
def _plan(cls: type) -> tuple[dict[str, Decoder], frozenset[str]]:
    hints = _hints(cls)
    fields = dataclasses.fields(cls)
    needed = frozenset(
        f.name
        for f in fields
        if f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING
    )
    optional = frozenset(name for name in needed if types.NoneType in typing.get_args(hints[name]))
    return {f.name: decoder(hints[f.name]) for f in fields}, needed - optional


def _decode_fields(cls: type, data: Any, path: Path, stamped: Mapping[str, Any] = _NOTHING) -> Any:
    if not isinstance(data, Mapping):
        raise BadMessage(path, "must be an object")
    decoders, needed = _plan(cls)
    values = dict(stamped)
    wrong = list[BadMessage]()
    unknown = []
    untold = 0
    for name, value in data.items():
        if name not in decoders or name in stamped:
            unknown.append(name)
            continue
        try:
            values[name] = decoders[name](value, (*path, name))
        except BadMessage as error:
            wrong += error.all
            untold += error.untold

    if unknown:
        wrong += _unknown_fields(decoders.keys() - stamped.keys(), unknown[:MOST_UNKNOWN], path)
        untold += max(0, len(unknown) - MOST_UNKNOWN)
    missing = [
        name for name in decoders if name in needed and name not in data and name not in stamped
    ]
    wrong += [BadMessage((*path, name), "is missing") for name in missing]
    if wrong:
        raise BadMessage.together(wrong, untold=untold)

    for name in decoders:
        if name not in values and name not in needed and _no_default(cls, name):
            values[name] = None
    return cls(**values)


def _unknown_fields(known: Iterable[str], unknown: Iterable[str], path: Path) -> list[BadMessage]:
    names = ", ".join(sorted(known))
    detail = f"unknown field; {f'known are {names}' if names else 'none is known here'}"
    return [BadMessage((*path, name), detail) for name in unknown]


@cache
def _no_default(cls: type, name: str) -> bool:
    field = next(f for f in dataclasses.fields(cls) if f.name == name)
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
