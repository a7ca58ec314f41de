"""Marshmallow schemas derived from the domain's dataclasses, so that a third game needs nothing here."""

import dataclasses
import types
import typing
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, NamedTuple

from marshmallow import EXCLUDE, RAISE, Schema, fields, validate

from domain import wire
from domain.described import annotations
from domain.game import Game, Option
from service.api.contract.schemas import described
from service.api.contract.schemas.base import Component


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
    for one in dataclasses.fields(cls):
        if one.name not in without:
            members[one.name] = _member(names, one, hints[one.name], lenient=lenient)
    return _schema(
        f"{names.messages}{camel(cls.tag)}", cls.__doc__, members, EXCLUDE if lenient else RAISE
    )


def option(game: Game[Any], one: Option, *, required: bool = False) -> fields.Field[Any]:
    """Return the field of one option of a game; what is not required has a default."""
    about: dict[str, Any] = {"required": required, "metadata": {"description": one.text}}
    if not required and one.kind != "data":  # the default of data is long: the game itself tells it
        about["metadata"]["default"] = one.default
    if one.kind == "choice":
        return fields.String(validate=validate.OneOf(one.choices), **about)
    if one.kind == "flag":
        return fields.Boolean(**about)
    if one.kind == "number":
        return fields.Integer(validate=validate.Range(one.least, one.most), **about)
    if one.shape is not None:
        return Component(described.named(camel(game.key), one.shape), **about)
    return fields.Dict(keys=fields.String(), **about)


def options(game: Game[Any]) -> type[Schema]:
    """Return the schema of a game's options, none of them required."""
    members = {one.name: option(game, one) for one in game.options}
    return _schema(f"{camel(game.key)}Options", f"The options of {game.title}.", members)


def settled_options(game: Game[Any], always: Iterable[str]) -> type[Schema]:
    """Return the schema of the options of a match, those required that every match of the game has."""
    members = {one.name: option(game, one, required=one.name in always) for one in game.options}
    text = f"The options that a match of {game.title} is played with."
    return _schema(f"{camel(game.key)}MatchOptions", text, members, EXCLUDE)


def _member(names: Names, one: Any, hint: Any, *, lenient: bool) -> fields.Field[Any]:
    about = annotations(hint)
    needed = one.default is dataclasses.MISSING and one.default_factory is dataclasses.MISSING
    optional = types.NoneType in typing.get_args(about.kind)
    hidden = lenient and bool(one.metadata.get("drawn") or one.metadata.get("secret"))
    secret = not lenient and "secret" in one.metadata  # a move's own secret must be told
    made = field(names, about.kind, required=secret or (needed and not optional and not hidden))
    made.allow_none = optional and not lenient
    if about.sentence:
        made.metadata = {"description": about.sentence}
    return made


def field(names: Names, hint: Any, *, required: bool = False) -> fields.Field[Any]:
    """Return the field of a type as domain.wire spells it."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (types.UnionType, typing.Union):
        members = [member for member in arguments if member is not types.NoneType]
        return (
            field(names, members[0], required=required)
            if len(members) == 1
            else fields.Raw(required=required)
        )
    if origin in (list, tuple):
        return _list(names, origin, arguments, required=required)
    if origin in (dict, Mapping):
        return fields.Dict(keys=fields.String(), required=required)
    if isinstance(hint, type) and issubclass(hint, wire.Named):
        return Component(described.named(names.enums, hint), required=required)
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        return fields.Nested(_part(names, hint), required=required)
    scalars: dict[Any, type[fields.Field[Any]]] = {
        int: fields.Integer,
        str: fields.String,
        bool: fields.Boolean,
    }
    return scalars.get(hint, fields.Raw)(required=required)


def _list(
    names: Names, origin: Any, arguments: tuple[Any, ...], *, required: bool
) -> fields.Field[Any]:
    many = origin is list or arguments[1:] == (...,)
    same = many or len(set(arguments)) == 1
    item = field(names, arguments[0]) if same else fields.Raw()
    length = None if many else validate.Length(equal=len(arguments))
    return fields.List(item, required=required, validate=length)


@cache
def _part(names: Names, cls: Any) -> type[Schema]:
    """Return the schema of a dataclass inside a message."""
    hints = typing.get_type_hints(cls, include_extras=True)
    members = {
        one.name: _member(names, one, hints[one.name], lenient=False)
        for one in dataclasses.fields(cls)
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
