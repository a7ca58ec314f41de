"""The catalogue of stored forms: commands, events, options and upcasters, as JSON values."""

from collections.abc import Mapping, Sequence
from typing import Any, assert_never

from domain.games import RELEASED
from domain.match import messages
from domain.match.match_rules import NEWEST
from domain.options import Choice, Data, Flag, Number, Option
from domain.wire import audience_of, is_drawn, shapes
from service.record.codec import UPCASTERS
from service.record.commit import Json

FORMAT = 1
MATCH = "match"  # the name of the forms that all matches have


def catalogue() -> Json:
    """Return the catalogue of this program as JSON values."""
    forms = {MATCH: _forms(messages.COMMANDS, messages.EVENTS, ())}
    for game in RELEASED:
        forms[game.rules] = _forms(game.commands, game.events, game.options)
    return {
        "format": FORMAT,
        "match_rules": NEWEST,
        "forms": forms,
        "upcasters": {tag: upcaster.newer for tag, upcaster in sorted(UPCASTERS.items())},
    }


def _forms(
    commands: Mapping[str, type], events: Mapping[str, type], options: Sequence[Option]
) -> Json:
    return {
        "commands": {tag: _fields(cls) for tag, cls in sorted(commands.items())},
        "events": {tag: _fields(cls) for tag, cls in sorted(events.items())},
        "options": {option.name: _option(option) for option in options},
    }


def _fields(cls: type) -> Json:
    """Return the fields of a message or a record by name."""
    return {field.name: _field(field) for field in shapes.record_fields(cls)}


def _field(field: shapes.RecordField) -> Json:
    described: Json = {"type": _type(field.shape), "optional": field.optional}
    audience = audience_of(field.declared)
    if audience is not None:
        described["secret"] = audience
    if is_drawn(field.declared):
        described["drawn"] = True
    return described


def _type(shape: shapes.Shape) -> Any:
    """Return a type as JSON: a name, or an object with one member."""
    match shape:
        case shapes.Scalar(kind):
            return {int: "integer", str: "string", bool: "boolean"}[kind]
        case shapes.Anything():
            return "any"
        case shapes.Name(enum):
            return {"name": sorted(enum.by_wire())}
        case shapes.Nullable(inner):
            return {"nullable": _type(inner)}
        case shapes.Record(cls):
            return {"record": _fields(cls)}
        case shapes.OneOf(classes):
            return {"one_of": {cls.tag: _fields(cls) for cls in classes}}  # type: ignore[attr-defined]
        case shapes.Many(_, item):
            return {"list": _type(item)}
        case shapes.Fixed(items):
            return {"tuple": [_type(item) for item in items]}
        case shapes.Table(_, value):
            return {"table": _type(value)}
        case _:
            assert_never(shape)


def _option(option: Option) -> Json:
    match option:
        case Choice(default=default, choices=choices):
            return {"kind": option.kind, "default": default, "choices": list(choices)}
        case Flag(default=default):
            return {"kind": option.kind, "default": default}
        case Number(default=default, least=least, most=most):
            return {"kind": option.kind, "default": default, "least": least, "most": most}
        case Data():
            return {"kind": option.kind}
        case _:
            assert_never(option)
