"""JSON Schemas of a game's messages, from the shapes of their fields (`domain.wire.shapes`).

There are three families, since the same words have three shapes. A move is posted: whole, and
without its seat. A command is read in a commit: with its seat, and without what the reader may not
see. An event is read like a command.
"""

import typing
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, assert_never

from domain import wire
from domain.json_types import annotations
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
from service.api.contract.schemas.json_types import (
    Json,
    camel,
    component_name,
    nullable,
    reference,
    text_of,
)

_SCALARS: dict[type, str] = {int: "integer", str: "string", bool: "boolean"}


@dataclass(frozen=True, slots=True)
class Family:
    """Messages of one kind, whose schemas go into one union.

    prefix: what their names begin with: the game, or the version of its rules.
    enums: what the names of enums begin with: the game alone.
    suffix: what their names end with, so that a move and a command of one tag have two names.
    posted: they are sent to us: nothing may be missing but the seat, and nothing else may be there.
    """

    prefix: str
    enums: str
    suffix: str = ""
    posted: bool = False

    def components(self, messages: Mapping[str, Any]) -> "Components":
        """Return the components of some messages, which are given by tag."""
        made = Components()
        for tag, message in messages.items():
            name = f"{self.prefix}{camel(tag)}{self.suffix}"
            made.names[tag] = name
            made.by_name[name] = self._message(message, made.by_name)
        return made

    def _message(self, message: Any, by_name: dict[str, Json]) -> Json:
        its_type = {"type": "string", "enum": [message.tag]}
        result = self._object(message, by_name, lenient=not self.posted)
        result["properties"] = {"type": its_type, **result["properties"]}
        result["required"] = ["type", *result["required"]]
        if self.posted:
            result["properties"].pop("seat", None)
            result["required"] = [name for name in result["required"] if name != "seat"]
            result["additionalProperties"] = False
        return result

    def _object(self, record: Any, by_name: dict[str, Json], *, lenient: bool) -> Json:
        """Return the schema of a dataclass, and add those of the dataclasses inside to `by_name`.

        lenient: what is secret or drawn may be missing.
        """
        hints = typing.get_type_hints(record, include_extras=True)
        members = {}
        required = []
        for member in record_fields(record):
            value = self._value(member.shape, by_name)
            if isinstance(member.shape, Nullable) and not lenient:
                value = nullable(value)
            sentence = annotations(hints[member.name]).sentence
            members[member.name] = {**value, "description": sentence} if sentence else value
            if _is_required(member, lenient=lenient):
                required.append(member.name)

        return {
            "type": "object",
            "description": text_of(record),
            "properties": members,
            "required": required,
        }

    def _value(self, shape: Shape, by_name: dict[str, Json]) -> Json:
        """Return the schema of a value as domain.wire writes it."""
        match shape:
            case Scalar(kind):
                return {"type": _SCALARS[kind]}
            case Anything() | OneOf():
                return {}
            case Name(enum):
                return reference(component_name(self.enums, enum))
            case Nullable(inner):
                return self._value(inner, by_name)
            case Record(record):
                return reference(self._part(record, by_name))
            case Many(_, item):
                return {"type": "array", "items": self._value(item, by_name)}
            case Fixed(items):
                are_alike = len(set(items)) == 1
                return {
                    "type": "array",
                    "minItems": len(items),
                    "maxItems": len(items),
                    "items": self._value(items[0], by_name) if are_alike else {},
                }
            case Table():
                return {"type": "object", "additionalProperties": {}}
            case _:
                assert_never(shape)

    def _part(self, record: Any, by_name: dict[str, Json]) -> str:
        """Return the name of the component of a dataclass inside a message, which is added."""
        name = component_name(self.prefix, record)
        if name not in by_name:
            part = self._object(record, by_name, lenient=False)
            by_name[name] = {**part, "additionalProperties": False}
        return name


@dataclass(slots=True)
class Components:
    """The components of a family.

    by_name: their schemas, with those of the dataclasses inside them.
    names: the name of each message's component, by tag.
    """

    by_name: dict[str, Json] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)


def _is_required(member: RecordField, *, lenient: bool) -> bool:
    is_secret = wire.audience_of(member.declared) is not None
    if is_secret and not lenient:
        return True  # a move's own secret must be sent
    may_be_hidden = lenient and (is_secret or wire.is_drawn(member.declared))
    return not (member.optional or may_be_hidden)
