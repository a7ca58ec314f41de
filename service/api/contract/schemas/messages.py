"""Marshmallow schemas derived from the domain's dataclasses, so that a third game needs nothing here."""

import typing
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, NamedTuple, assert_never

from marshmallow import EXCLUDE, RAISE, Schema, fields, validate

from domain import wire
from domain.described import annotations
from domain.game import Game
from domain.options import Choice, Data, Flag, Number, Option
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
from service.api.contract.schemas.base import Component

_SCALARS: dict[type, type[fields.Field[Any]]] = {
    int: fields.Integer,
    str: fields.String,
    bool: fields.Boolean,
}


class Names(NamedTuple):
    """What names begin with: those of messages, with the rules version where it matters, and those of enums."""

    messages: str
    enums: str


def camel(text: str) -> str:
    """Return a snake case name, or a rules key, as a component's name."""
    return "".join(
        part[:1].upper() + part[1:] for part in text.replace("/", "_").replace("-", "_").split("_")
    )


def moves(game: Game[Any], commands: Mapping[str, type]) -> dict[str, type[Schema]]:
    """Return the schema of each move of a game by its tag; the seat is left out, for the token says it."""
    names = Names(camel(game.key), camel(game.key))
    return {
        tag: message(names, cls, without=("seat",), lenient=False) for tag, cls in commands.items()
    }


def events(names: Names, known: Mapping[str, type]) -> dict[str, type[Schema]]:
    """Return the schema of each event (or command, when read) by its tag."""
    return {tag: message(names, cls, without=(), lenient=True) for tag, cls in known.items()}


def message(names: Names, cls: Any, *, without: Iterable[str], lenient: bool) -> type[Schema]:
    """Return the schema of a message class; lenient: secret and drawn fields may be missing."""
    hints = typing.get_type_hints(cls, include_extras=True)
    kind = fields.String(required=True, validate=validate.OneOf([cls.tag]))
    members: dict[str, Any] = {"type": kind}
    for one in record_fields(cls):
        if one.name not in without:
            members[one.name] = _member(names, one, hints[one.name], lenient=lenient)
    return _schema(
        f"{names.messages}{camel(cls.tag)}", cls.__doc__, members, EXCLUDE if lenient else RAISE
    )


def option(game: Game[Any], one: Option, *, required: bool = False) -> fields.Field[Any]:
    """Return the field of one option of a game; what is not required has a default."""
    about: dict[str, Any] = {"required": required, "metadata": {"description": one.text}}
    if not required and not isinstance(one, Data):
        about["metadata"]["default"] = one.default  # that of data is long: the game itself tells it

    match one:
        case Choice():
            return fields.String(validate=validate.OneOf(one.choices), **about)
        case Flag():
            return fields.Boolean(**about)
        case Number():
            return fields.Integer(validate=validate.Range(one.least, one.most), **about)
        case Data():
            return Component(described.named(camel(game.key), one.form), **about)
        case _:
            assert_never(one)


def options(game: Game[Any]) -> type[Schema]:
    """Return the schema of a game's options, none of them required."""
    members = {one.name: option(game, one) for one in game.options}
    return _schema(f"{camel(game.key)}Options", f"The options of {game.title}.", members)


def settled_options(game: Game[Any], always: Iterable[str]) -> type[Schema]:
    """Return the schema of the options of a match, those required that every match of the game has."""
    members = {one.name: option(game, one, required=one.name in always) for one in game.options}
    text = f"The options that a match of {game.title} is played with."
    return _schema(f"{camel(game.key)}MatchOptions", text, members, EXCLUDE)


def _member(names: Names, one: RecordField, hint: Any, *, lenient: bool) -> fields.Field[Any]:
    secret = wire.audience_of(one.declared) is not None
    hidden = lenient and (secret or wire.is_drawn(one.declared))
    own_secret = secret and not lenient  # a move's own secret must be told
    required = own_secret or not (one.optional or hidden)

    made = field(names, one.shape, required=required)
    made.allow_none = isinstance(one.shape, Nullable) and not lenient
    sentence = annotations(hint).sentence
    if sentence:
        made.metadata = {"description": sentence}
    return made


def field(names: Names, shape: Shape, *, required: bool = False) -> fields.Field[Any]:
    """Return the field of a value as domain.wire writes it."""
    match shape:
        case Scalar(kind):
            return _SCALARS[kind](required=required)
        case Anything() | OneOf():
            return fields.Raw(required=required)
        case Name(enum):
            return Component(described.named(names.enums, enum), required=required)
        case Nullable(inner):
            return field(names, inner, required=required)
        case Record(cls):
            return fields.Nested(_part(names, cls), required=required)
        case Many(_, item):
            return fields.List(field(names, item), required=required)
        case Fixed(items):
            return _fixed(names, items, required=required)
        case Table():
            return fields.Dict(keys=fields.String(), required=required)
        case _:
            assert_never(shape)


def _fixed(names: Names, items: tuple[Shape, ...], *, required: bool) -> fields.Field[Any]:
    alike = len(set(items)) == 1
    item = field(names, items[0]) if alike else fields.Raw()
    return fields.List(item, required=required, validate=validate.Length(equal=len(items)))


@cache
def _part(names: Names, cls: Any) -> type[Schema]:
    """Return the schema of a dataclass inside a message."""
    hints = typing.get_type_hints(cls, include_extras=True)
    members = {
        one.name: _member(names, one, hints[one.name], lenient=False) for one in record_fields(cls)
    }
    return _schema(f"{names.messages}{cls.__name__}", cls.__doc__, members)


def _schema(
    name: str, text: str | None, members: Mapping[str, Any], unknown: str = RAISE
) -> type[Schema]:
    return type(
        name,
        (Schema,),
        {**members, "Meta": type("Meta", (), {"unknown": unknown}), "__doc__": text},
    )


def nested(schema: type[Schema]) -> list[type[Schema]]:
    """Return the schemas inside a schema, innermost first."""
    found: list[type[Schema]] = []
    for member in schema._declared_fields.values():
        inner = member.inner if isinstance(member, fields.List) else member
        if isinstance(inner, fields.Nested):
            part = type(inner.schema)
            found += [*nested(part), part]
    return found
