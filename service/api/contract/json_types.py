"""JSON Schemas of types: one component for each TypedDict and each enum.

The annotations of types are explained in `domain.json_types`. A component is named after its game
and its class: `FirenzeView`, `FirenzeColour`. Answers of the service (`service.base.answers`) have
no prefix.
"""

import types
import typing
from collections.abc import Mapping
from typing import Any, Literal, is_typeddict

from domain import json_types
from domain.json_types import Between, Json
from domain.wire import Named
from service.base.answers import Form

_SCALARS: dict[object, str] = {
    int: "integer",
    float: "number",
    str: "string",
    bool: "boolean",
}


# ---- names ---------------------------------------------------------------------------------


def camel(text: str) -> str:
    """Return a name in snake case, or a rules key, as the name of a component."""
    words = text.replace("/", "_").replace("-", "_").split("_")
    return "".join(word[:1].upper() + word[1:] for word in words)


def component_name(prefix: str, cls: type) -> str:
    """Return the name of the component of a class."""
    return f"{prefix}{cls.__name__}"


def place(name: str) -> str:
    """Return the address of a component."""
    return f"#/components/schemas/{name}"


def reference(name: str) -> Json:
    """Return a reference to the component of a name."""
    return {"$ref": place(name)}


def text_of(cls: type) -> str:
    """Return the docstring of a class on one line."""
    return " ".join((cls.__doc__ or "").split())


def self_contained(value: Any, by_name: Mapping[str, Json]) -> Any:
    """Return a schema with its components in place of references.

    by_name: the components. No component may contain itself.
    """
    if isinstance(value, list):
        return [self_contained(member, by_name) for member in value]
    if not isinstance(value, dict):
        return value

    members = {key: member for key, member in value.items() if key not in ("$ref", "discriminator")}
    whole = {key: self_contained(member, by_name) for key, member in members.items()}
    if "$ref" in value:
        component = by_name[value["$ref"].removeprefix(place(""))]
        return {**self_contained(component, by_name), **whole}
    return whole


# ---- components ----------------------------------------------------------------------------


def components_of(prefix: str, *kinds: object, closed: bool = False) -> dict[str, Json]:
    """Return the components of all TypedDicts and enums inside some types, by name.

    closed: True if objects have only the described members, as in received bodies.
    """
    by_name = {}
    for part in json_types.parts(*kinds):
        if is_typeddict(part):
            by_name[component_name(prefix, part)] = object_schema(prefix, part, closed=closed)
        elif issubclass(part, Named):
            by_name[component_name(prefix, part)] = _enum(part)
    return by_name


def object_schema(prefix: str, typed_dict: Any, *, closed: bool = False) -> Json:
    """Return the schema of a TypedDict."""
    members = json_types.fields(typed_dict)
    result: Json = {
        "type": "object",
        "description": text_of(typed_dict),
        "properties": {name: schema(prefix, hint) for name, hint in members.items()},
    }

    required = [name for name in members if name in typed_dict.__required_keys__]
    if required:
        result["required"] = required
    if closed:
        result["additionalProperties"] = False
    return result


def _enum(enum: type[Named]) -> Json:
    return {
        "type": "string",
        "enum": [member.wire for member in enum],
        "description": text_of(enum),
    }


# ---- values --------------------------------------------------------------------------------


def schema(prefix: str, hint: object) -> Json:
    """Return the schema of a value's type. The description comes from the type's annotations."""
    about = json_types.annotations(hint)
    form = _form(hint)
    result = reference(form.component) if form.component else _plain(prefix, hint)
    result |= form.keywords

    if about.bounds is not None:
        result |= _bounded(result, about.bounds)

    if about.every:
        key_type = typing.get_args(about.kind)[0]
        keys = json_types.annotations(key_type)
        result["minProperties"] = len(keys.names or ())

    if about.sentence:
        result["description"] = about.sentence
    return result


def nullable(value: Json) -> Json:
    """Return the schema of a value that may also be null."""
    # For a plain type, "type": [type, "null"] is enough. An enum or a reference needs anyOf.
    if "type" in value and "enum" not in value:
        return {**value, "type": [value["type"], "null"]}
    return {"anyOf": [value, {"type": "null"}]}


def _form(hint: object) -> Form:
    """Return the last Form in the annotations of a type, an empty Form if there is none."""
    if typing.get_origin(hint) in (typing.NotRequired, typing.Required):
        hint = typing.get_args(hint)[0]
    notes = getattr(hint, "__metadata__", ())
    forms = [note for note in notes if isinstance(note, Form)]
    return forms[-1] if forms else Form()


def _plain(prefix: str, hint: object) -> Json:
    """Return the schema of a type without its annotations."""
    about = json_types.annotations(hint)
    kind = about.kind
    if about.names is not None and kind is str:
        return reference(component_name(prefix, about.names))
    if is_typeddict(kind):
        return reference(component_name(prefix, kind))
    if kind in _SCALARS:
        return {"type": _SCALARS[kind]}
    if kind is Any:
        return {}

    origin = typing.get_origin(kind)
    arguments = typing.get_args(kind)
    if origin is Literal:
        return {"type": "string", "enum": list(arguments)}
    if origin in (types.UnionType, typing.Union):
        return _union(prefix, arguments)
    if origin is list:
        return {"type": "array", "items": schema(prefix, arguments[0])}
    if origin in (dict, Mapping):
        return _mapping(prefix, *arguments)
    raise TypeError(f"{kind!r} is no type that a JSON value is described by")


def _union(prefix: str, members: tuple[object, ...]) -> Json:
    values = [schema(prefix, member) for member in members if member is not types.NoneType]
    if types.NoneType not in members:
        # Objects differ by a required member, so exactly one of their schemas fits.
        return {"oneOf" if all(map(is_typeddict, members)) else "anyOf": values}
    if len(values) == 1:
        return nullable(values[0])
    return {"anyOf": [*values, {"type": "null"}]}


def _mapping(prefix: str, key: object, value: object) -> Json:
    result: Json = {"type": "object", "additionalProperties": schema(prefix, value)}
    if key is not str:
        result["propertyNames"] = schema(prefix, key)
    return result


def _bounded(value: Json, bounds: Between) -> Json:
    if value.get("type") == "array":
        return {"minItems": bounds.least, "maxItems": bounds.most}
    return {"minimum": bounds.least, "maximum": bounds.most}
