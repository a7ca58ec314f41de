"""Marshmallow schemas derived from the domain's dataclasses, so that a third game needs nothing here."""

import dataclasses
import types
import typing
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from marshmallow import EXCLUDE, RAISE, Schema, fields, validate

from domain import wire
from domain.game import Game, Option


def camel(text: str) -> str:
    """Return a snake case name, or a rules key, as a component's name."""
    return "".join(part[:1].upper() + part[1:] for part in text.replace("/", "_").replace("-", "_").split("_"))


def moves(game: Game[Any], commands: Mapping[str, type]) -> dict[str, type[Schema]]:
    """Return the schema of each move of a game by its tag; the seat is left out, for the token says it."""
    return {tag: message(camel(game.key), cls, without=("seat",), lenient=False) for tag, cls in commands.items()}


def events(prefix: str, known: Mapping[str, type]) -> dict[str, type[Schema]]:
    """Return the schema of each event (or command, when read) by its tag."""
    return {tag: message(prefix, cls, without=(), lenient=True) for tag, cls in known.items()}


def message(prefix: str, cls: Any, *, without: Iterable[str], lenient: bool) -> type[Schema]:
    """Return the schema of a message class; lenient: secret and drawn fields may be missing."""
    hints = typing.get_type_hints(cls)
    kind = fields.String(required=True, validate=validate.OneOf([cls.tag]))
    members: dict[str, Any] = {"type": kind}
    for one in dataclasses.fields(cls):
        if one.name not in without:
            members[one.name] = _member(prefix, one, hints[one.name], lenient=lenient)
    return _schema(f"{prefix}{camel(cls.tag)}", cls.__doc__, members, EXCLUDE if lenient else RAISE)


def option(one: Option) -> fields.Field[Any]:
    """Return the field of one option of a game."""
    about: dict[str, Any] = {"metadata": {"description": one.text, "default": one.default}}
    if one.kind == "choice":
        return fields.String(validate=validate.OneOf(one.choices), **about)
    if one.kind == "flag":
        return fields.Boolean(**about)
    if one.kind == "number":
        return fields.Integer(validate=validate.Range(one.least, one.most), **about)
    return fields.Dict(keys=fields.String(), **about)


def options(game: Game[Any]) -> type[Schema]:
    """Return the schema of a game's options, none of them required."""
    return _schema(
        f"{camel(game.key)}Options", f"The options of {game.title}.", {o.name: option(o) for o in game.options}
    )


def _member(prefix: str, one: Any, hint: Any, *, lenient: bool) -> fields.Field[Any]:
    needed = one.default is dataclasses.MISSING and one.default_factory is dataclasses.MISSING
    optional = types.NoneType in typing.get_args(hint)
    hidden = lenient and bool(one.metadata.get("drawn") or one.metadata.get("secret"))
    secret = not lenient and "secret" in one.metadata  # a move's own secret must be told
    made = field(prefix, hint, required=secret or (needed and not optional and not hidden))
    made.allow_none = optional and not lenient
    return made


def field(prefix: str, hint: Any, *, required: bool = False) -> fields.Field[Any]:
    """Return the field of a type as domain.wire spells it."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (types.UnionType, typing.Union):
        members = [member for member in arguments if member is not types.NoneType]
        return field(prefix, members[0], required=required) if len(members) == 1 else fields.Raw(required=required)
    if origin in (list, tuple):
        return _list(prefix, origin, arguments, required=required)
    if origin in (dict, Mapping):
        return fields.Dict(keys=fields.String(), required=required)
    if isinstance(hint, type) and issubclass(hint, wire.Named):
        return fields.String(required=required, validate=validate.OneOf([member.wire for member in hint]))
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        return fields.Nested(_part(prefix, hint), required=required)
    scalars: dict[Any, type[fields.Field[Any]]] = {int: fields.Integer, str: fields.String, bool: fields.Boolean}
    return scalars.get(hint, fields.Raw)(required=required)


def _list(prefix: str, origin: Any, arguments: tuple[Any, ...], *, required: bool) -> fields.Field[Any]:
    many = origin is list or arguments[1:] == (...,)
    same = many or len(set(arguments)) == 1
    item = field(prefix, arguments[0]) if same else fields.Raw()
    length = None if many else validate.Length(equal=len(arguments))
    return fields.List(item, required=required, validate=length)


@cache
def _part(prefix: str, cls: Any) -> type[Schema]:
    """Return the schema of a dataclass inside a message."""
    hints = typing.get_type_hints(cls)
    members = {one.name: _member(prefix, one, hints[one.name], lenient=False) for one in dataclasses.fields(cls)}
    return _schema(f"{prefix}{cls.__name__}", cls.__doc__, members)


def _schema(name: str, text: str | None, members: Mapping[str, Any], unknown: str = RAISE) -> type[Schema]:
    return type(name, (Schema,), {**members, "Meta": type("Meta", (), {"unknown": unknown}), "__doc__": text})
