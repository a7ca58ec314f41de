"""A field whose shape is a component of openapi.yaml that no marshmallow schema makes: a union over all games."""

from typing import Any

from marshmallow import fields


class Component(fields.Raw):
    """A value of the named component."""

    def __init__(self, component: str, **more: Any) -> None:
        super().__init__(**more)
        self.component = component


def reference(_converter: Any, field: fields.Field[Any], **_: Any) -> dict[str, str]:
    """Return what apispec is to say of such a field."""
    return {"$ref": f"#/components/schemas/{field.component}"} if isinstance(field, Component) else {}
