"""What schemas share: how they speak, and fields whose shape no schema makes, such as a union over all games."""

from typing import Any

from marshmallow import Schema, fields

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
    """A value of the named component."""

    def __init__(self, component: str, **more: Any) -> None:
        super().__init__(**more)
        self.component = component


def reference(_converter: Any, field: fields.Field[Any], **_: Any) -> dict[str, Any]:
    """Return what apispec is to say of such a field."""
    if not isinstance(field, Component):
        return {}
    there = {"$ref": f"#/components/schemas/{field.component}"}
    return {"anyOf": [there, {"type": "null"}]} if field.allow_none else there
