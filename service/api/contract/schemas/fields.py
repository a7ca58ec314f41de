"""What schemas share: how they speak, how they are named and made, and fields without a schema."""

from collections.abc import Mapping
from typing import Any

from marshmallow import EXCLUDE, RAISE, Schema, fields, validate

from service.journal.values import STATUSES

# §§§ service.api.contract.schemas.fields


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


# §§§ service.api.contract.schemas.fields
# Fields that the schemas of answers are made of, each required unless it says otherwise.


class Answer(Schema):
    """What is answered may grow: a reader passes over what it does not know."""

    class Meta:
        """Say nothing about further fields."""

        unknown = EXCLUDE


def text(description: str, *, required: bool = True, **more: Any) -> fields.String:
    """Return a field that holds a text."""
    return fields.String(required=required, metadata={"description": description}, **more)


def one_word(description: str, words: tuple[str, ...], *, required: bool = True) -> fields.String:
    """Return a field that holds one of some words."""
    return text(description, required=required, validate=validate.OneOf(words))


def number(description: str, *, allow_none: bool = False) -> fields.Integer:
    """Return a field that holds any whole number."""
    about = {"description": description}
    return fields.Integer(required=True, allow_none=allow_none, metadata=about)


def count(
    description: str, least: int = 0, *, required: bool = True, **more: Any
) -> fields.Integer:
    """Return a field that holds a whole number from `least` on."""
    return fields.Integer(
        required=required,
        validate=validate.Range(least),
        metadata={"description": description},
        **more,
    )


def time(description: str, *, required: bool = True, **more: Any) -> fields.DateTime:
    """Return a field that holds a time as in RFC 3339."""
    return fields.DateTime(required=required, metadata={"description": description}, **more)


def flag(description: str, *, required: bool = True) -> fields.Boolean:
    """Return a field that is true or false."""
    return fields.Boolean(required=required, metadata={"description": description})


def chance(description: str, *, allow_none: bool = False) -> fields.Float:
    """Return a field that holds how likely something is, 0 to 1."""
    return fields.Float(
        required=True,
        allow_none=allow_none,
        validate=validate.Range(0, 1),
        metadata={"description": description},
    )


def numbers(description: str, *, required: bool = True) -> fields.Field[Any]:
    """Return a field that holds a list of whole numbers."""
    about = {"description": description}
    return fields.List(fields.Integer(), required=required, metadata=about)


def texts(description: str, *, required: bool = True) -> fields.Field[Any]:
    """Return a field that holds a list of texts."""
    about = {"description": description}
    return fields.List(fields.String(), required=required, metadata=about)


def texts_by_name(description: str, *, required: bool = True) -> fields.Field[Any]:
    """Return a field that holds an object whose values are texts."""
    return fields.Dict(
        keys=fields.String(),
        values=fields.String(),
        required=required,
        metadata={"description": description},
    )


def anything(description: str) -> fields.Field[Any]:
    """Return a field that may hold any JSON value, or be left out."""
    return fields.Raw(allow_none=True, metadata={"description": description})


def an_object(description: str, *, allow_none: bool = False) -> fields.Field[Any]:
    """Return a field that holds some object."""
    return fields.Dict(
        keys=fields.String(),
        required=True,
        allow_none=allow_none,
        metadata={"description": description},
    )


def nested(
    schema: type[Schema], description: str, *, required: bool = True, **more: Any
) -> fields.Nested:
    """Return a field that holds an answer of another schema."""
    return fields.Nested(schema, required=required, metadata={"description": description}, **more)


def many(schema: type[Schema], description: str, *, required: bool = True) -> fields.Field[Any]:
    """Return a field that holds a list of answers of another schema."""
    about = {"description": description}
    return fields.List(fields.Nested(schema), required=required, metadata=about)


def component(name: str, description: str) -> fields.Field[Any]:
    """Return a field that holds a value of the component of that name."""
    return Component(name, required=True, metadata={"description": description})


def components(name: str, description: str) -> fields.Field[Any]:
    """Return a field that holds a list of values of the component of that name."""
    about = {"description": description}
    return fields.List(Component(name), required=True, metadata=about)


def digest(description: str) -> fields.String:
    """Return a field that holds 32 bytes in hex, or nothing."""
    return text(description, validate=validate.Regexp(r"^([0-9a-f]{64})?$"))


def match_id() -> fields.Field[Any]:
    """Return a field that holds the id of the match."""
    return component("MatchId", "The match's id.")


def match_status() -> fields.String:
    """Return a field that says where the match stands."""
    return one_word("Where the match stands.", STATUSES)
