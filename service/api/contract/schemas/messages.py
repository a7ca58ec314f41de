"""Marshmallow schemas derived from the messages of games, so that a new game needs nothing here."""

import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, assert_never, is_typeddict

from marshmallow import EXCLUDE, RAISE, Schema, fields, validate

from domain import json_types, wire
from domain.game import Game
from domain.json_types import Between, annotations
from domain.wire import Named
from domain.wire.shapes import (
    Anything,
    Fixed,
    Many,
    Name,
    Nullable,
    OneOf,
    Record,
    RecordField,
    Scalar,
    Shape,
    Table,
    record_fields,
)
from service.api.contract.schemas.fields import Component, camel, make_schema

# §§§ service.api.contract.schemas.messages
# JSON Schemas of what the domain describes: one component for each TypedDict and each enum.
#
# `domain.json_types` says how views, options and descriptions of moves are described. A component
# is named by what it belongs to and its class: `FirenzeView`, `FirenzeColour`.


Json = dict[str, Any]
_SCALARS: dict[Any, str] = {int: "integer", str: "string", bool: "boolean"}


def component_name(prefix: str, described_class: Any) -> str:
    """Return the name of the component of a class."""
    return f"{prefix}{described_class.__name__}"


def reference(prefix: str, described_class: Any) -> Json:
    """Return a reference to the component of a class."""
    return {"$ref": f"#/components/schemas/{component_name(prefix, described_class)}"}


def components_of(prefix: str, *kinds: Any, closed: bool = False) -> dict[str, Json]:
    """Return the components of all TypedDicts and enums that some types are made of, by name.

    closed: an object has no members but those that are described, as in what is sent to us.
    """
    by_name = {}
    for part in json_types.parts(*kinds):
        if is_typeddict(part):
            by_name[component_name(prefix, part)] = _object(prefix, part, closed=closed)
        elif issubclass(part, Named):
            by_name[component_name(prefix, part)] = _enum(part)
    return by_name


def schema(prefix: str, hint: Any) -> Json:
    """Return the schema of a type as the domain describes it, its sentence with it."""
    about = json_types.annotations(hint)
    result = _plain(prefix, hint)

    if about.bounds is not None:
        result |= _bounded(result, about.bounds)

    if about.every:
        key_type = typing.get_args(about.kind)[0]
        keys = json_types.annotations(key_type)
        result["minProperties"] = len(keys.names or ())

    if about.sentence:
        result = {**result, "description": about.sentence}
    return result


def _enum(enum: type[Named]) -> Json:
    return {
        "type": "string",
        "enum": [member.wire for member in enum],
        "description": _text(enum),
    }


def _object(prefix: str, typed_dict: Any, *, closed: bool) -> Json:
    members = json_types.fields(typed_dict)
    result: Json = {
        "type": "object",
        "description": _text(typed_dict),
        "properties": {name: schema(prefix, hint) for name, hint in members.items()},
    }

    required = [name for name in members if name in typed_dict.__required_keys__]
    if required:
        result["required"] = required
    if closed:
        result["additionalProperties"] = False
    return result


def _text(described_class: Any) -> str:
    return " ".join((described_class.__doc__ or "").split())


def _plain(prefix: str, hint: Any) -> Json:
    """Return the schema of a type without what its annotations add."""
    about = json_types.annotations(hint)
    kind = about.kind
    if about.names is not None and kind is str:
        return reference(prefix, about.names)
    if is_typeddict(kind):
        return reference(prefix, kind)
    if kind in _SCALARS:
        return {"type": _SCALARS[kind]}

    origin = typing.get_origin(kind)
    arguments = typing.get_args(kind)
    if origin is Literal:
        return {"type": "string", "enum": list(arguments)}
    if origin in (types.UnionType, typing.Union):
        return _union(prefix, arguments)
    if origin is list:
        return {"type": "array", "items": schema(prefix, arguments[0])}
    if origin is dict:
        return {
            "type": "object",
            "propertyNames": schema(prefix, arguments[0]),
            "additionalProperties": schema(prefix, arguments[1]),
        }
    raise TypeError(f"{kind!r} is no type that a JSON value is described by")


def _union(prefix: str, members: tuple[Any, ...]) -> Json:
    values = [schema(prefix, member) for member in members if member is not types.NoneType]
    is_nullable = types.NoneType in members
    if not is_nullable:
        return {"anyOf": values}

    # One plain type may name null beside itself.
    first = values[0]
    is_one_type = len(values) == 1 and "type" in first and "enum" not in first
    if is_one_type:
        return {**first, "type": [first["type"], "null"]}

    return {"anyOf": [*values, {"type": "null"}]}


def _bounded(value: Json, bounds: Between) -> Json:
    if value.get("type") == "array":
        return {"minItems": bounds.least, "maxItems": bounds.most}
    return {"minimum": bounds.least, "maximum": bounds.most}


# §§§ service.api.contract.schemas.messages


_SCALAR_FIELDS: dict[type, type[fields.Field[Any]]] = {
    int: fields.Integer,
    str: fields.String,
    bool: fields.Boolean,
}


@dataclass(frozen=True, slots=True)
class Names:
    """What the names of components begin with."""

    # Of messages: the game, with the version of its rules where that matters.
    messages: str
    # Of enums: the game alone.
    enums: str


def moves(game: Game[Any], commands: Mapping[str, type]) -> dict[str, type[Schema]]:
    """Return the schema of each move of a game by its tag.

    A move is posted whole, but without its seat: the token says whose it is.
    """
    names = Names(messages=camel(game.key), enums=camel(game.key))
    posted = _MessageReader(names, lenient=False)
    return {tag: posted.schema(command, without="seat") for tag, command in commands.items()}


def events(names: Names, known: Mapping[str, type]) -> dict[str, type[Schema]]:
    """Return the schema of each event, or of each recorded command, by its tag."""
    read = _MessageReader(names, lenient=True)
    return {tag: read.schema(message) for tag, message in known.items()}


def nested(schema: type[Schema]) -> list[type[Schema]]:
    """Return the schemas inside a schema, innermost first."""
    inside: list[type[Schema]] = []
    for member in schema._declared_fields.values():
        item = member.inner if isinstance(member, fields.List) else member
        if isinstance(item, fields.Nested):
            part = type(item.schema)
            inside += [*nested(part), part]
    return inside


@dataclass(frozen=True, slots=True)
class _MessageReader:
    """Makes schemas of message classes; lenient: what is secret or drawn may be missing."""

    names: Names
    lenient: bool

    def schema(self, message_class: Any, without: str = "") -> type[Schema]:
        """Return the schema of a message class, without the field of that name."""
        tag = message_class.tag
        members = self.members(message_class)
        members.pop(without, None)
        its_type = fields.String(required=True, validate=validate.OneOf([tag]))

        return make_schema(
            f"{self.names.messages}{camel(tag)}",
            message_class.__doc__,
            {"type": its_type, **members},
            unknown=EXCLUDE if self.lenient else RAISE,
        )

    def members(self, record_class: Any) -> dict[str, fields.Field[Any]]:
        """Return the fields of a dataclass by name."""
        hints = typing.get_type_hints(record_class, include_extras=True)
        return {
            declared.name: self._member(declared, hints[declared.name])
            for declared in record_fields(record_class)
        }

    def _member(self, declared: RecordField, hint: Any) -> fields.Field[Any]:
        field = _field(self.names, declared.shape, required=self._is_required(declared))
        field.allow_none = isinstance(declared.shape, Nullable) and not self.lenient
        sentence = annotations(hint).sentence
        if sentence:
            field.metadata = {"description": sentence}
        return field

    def _is_required(self, declared: RecordField) -> bool:
        is_secret = wire.audience_of(declared.declared) is not None
        if is_secret and not self.lenient:
            return True  # a move's own secret must be told
        may_be_hidden = self.lenient and (is_secret or wire.is_drawn(declared.declared))
        return not (declared.optional or may_be_hidden)


def _field(names: Names, shape: Shape, *, required: bool = False) -> fields.Field[Any]:
    """Return the field of a value as domain.wire writes it."""
    match shape:
        case Scalar(kind):
            return _SCALAR_FIELDS[kind](required=required)
        case Anything() | OneOf():
            return fields.Raw(required=required)
        case Name(enum):
            return Component(component_name(names.enums, enum), required=required)
        case Nullable(inner):
            return _field(names, inner, required=required)
        case Record(record_class):
            return fields.Nested(_part(names, record_class), required=required)
        case Many(_, item):
            return fields.List(_field(names, item), required=required)
        case Fixed(items):
            return _fixed(names, items, required=required)
        case Table():
            return fields.Dict(keys=fields.String(), required=required)
        case _:
            assert_never(shape)


def _fixed(names: Names, items: tuple[Shape, ...], *, required: bool) -> fields.Field[Any]:
    """Return the field of a tuple of so many items."""
    are_alike = len(set(items)) == 1
    item = _field(names, items[0]) if are_alike else fields.Raw()
    length = validate.Length(equal=len(items))
    return fields.List(item, required=required, validate=length)


@cache
def _part(names: Names, record_class: Any) -> type[Schema]:
    """Return the schema of a dataclass inside a message."""
    members = _MessageReader(names, lenient=False).members(record_class)
    return make_schema(f"{names.messages}{record_class.__name__}", record_class.__doc__, members)
