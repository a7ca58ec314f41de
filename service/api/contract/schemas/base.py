"""What schemas share: how they speak, how they are named and made, and fields without a schema."""

from collections.abc import Mapping
from typing import Any

from marshmallow import RAISE, Schema, fields

# What is wrong is said as what would be right, here as in the domain.
fields.Field.default_error_messages |= {"required": "is missing", "null": "must not be null"}
fields.String.default_error_messages["invalid"] = "must be a string"
fields.List.default_error_messages["invalid"] = "must be a list"
fields.Dict.default_error_messages["invalid"] = "must be an object"
fields.Nested.default_error_messages["type"] = "must be an object"


class Strict(Schema):
    """A schema of what is sent to us."""

    error_messages = {"unknown": "unknown field", "type": "must be an object"}


class Component(fields.Raw):
    """A value of the named component: no schema makes its shape, such as a union over all games."""

    def __init__(self, component: str, **more: Any) -> None:
        super().__init__(**more)
        self.component = component


def reference(_converter: Any, field: fields.Field[Any], **_: Any) -> dict[str, Any]:
    """Return what apispec is to say of a `Component`, {} for any other field."""
    if not isinstance(field, Component):
        return {}
    place = {"$ref": f"#/components/schemas/{field.component}"}
    return {"anyOf": [place, {"type": "null"}]} if field.allow_none else place


def camel(text: str) -> str:
    """Return a name in snake case, or a rules key, as the name of a component."""
    words = text.replace("/", "_").replace("-", "_").split("_")
    return "".join(word[:1].upper() + word[1:] for word in words)


def make_schema(
    name: str, text: str | None, members: Mapping[str, Any], unknown: str = RAISE
) -> type[Schema]:
    """Return a schema with some fields; `unknown` says what becomes of other fields."""
    meta = type("Meta", (), {"unknown": unknown})
    return type(name, (Schema,), {**members, "Meta": meta, "__doc__": text})
