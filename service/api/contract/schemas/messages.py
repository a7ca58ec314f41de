"""Marshmallow schemas derived from the messages of games, so that a new game needs nothing here."""

import typing
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, assert_never

from marshmallow import EXCLUDE, RAISE, Schema, fields, validate

from domain import wire
from domain.described import annotations
from domain.game import Game
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
from service.api.contract.schemas import described
from service.api.contract.schemas.base import Component, camel, make_schema

_SCALARS: dict[type, type[fields.Field[Any]]] = {
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
            return _SCALARS[kind](required=required)
        case Anything() | OneOf():
            return fields.Raw(required=required)
        case Name(enum):
            return Component(described.named(names.enums, enum), required=required)
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
