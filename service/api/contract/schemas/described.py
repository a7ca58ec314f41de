"""JSON Schemas of what the domain describes: one component for each TypedDict and each enum.

`domain.described` says how views, options and descriptions of moves are described. A component is
named by what it belongs to and its class: `FirenzeView`, `FirenzeColour`.
"""

import types
import typing
from typing import Any, Literal, is_typeddict

from domain import described
from domain.described import Between
from domain.wire import Named

Json = dict[str, Any]
_SCALARS: dict[Any, str] = {int: "integer", str: "string", bool: "boolean"}


def named(prefix: str, described_class: Any) -> str:
    """Return the name of the component of a class."""
    return f"{prefix}{described_class.__name__}"


def reference(prefix: str, described_class: Any) -> Json:
    """Return a reference to the component of a class."""
    return {"$ref": f"#/components/schemas/{named(prefix, described_class)}"}


def components(prefix: str, *kinds: Any, closed: bool = False) -> dict[str, Json]:
    """Return the components of all TypedDicts and enums that some types are made of, by name.

    closed: an object has no members but those that are described, as in what is sent to us.
    """
    by_name = {}
    for part in described.parts(*kinds):
        if is_typeddict(part):
            by_name[named(prefix, part)] = _object(prefix, part, closed=closed)
        elif issubclass(part, Named):
            by_name[named(prefix, part)] = _enum(part)
    return by_name


def schema(prefix: str, hint: Any) -> Json:
    """Return the schema of a type as the domain describes it, its sentence with it."""
    about = described.annotations(hint)
    result = _plain(prefix, hint)

    if about.bounds is not None:
        result |= _bounded(result, about.bounds)

    if about.every:
        key_type = typing.get_args(about.kind)[0]
        keys = described.annotations(key_type)
        result["minProperties"] = len(keys.names or ())

    if about.sentence:
        result = {**result, "description": about.sentence}
    return result


def _enum(enum: type[Named]) -> Json:
    return {
        "type": "string",
        "enum": [member.wire for member in enum],
        "description": _text(enum),
    }


def _object(prefix: str, typed_dict: Any, *, closed: bool) -> Json:
    members = described.fields(typed_dict)
    result: Json = {
        "type": "object",
        "description": _text(typed_dict),
        "properties": {name: schema(prefix, hint) for name, hint in members.items()},
    }

    required = [name for name in members if name in typed_dict.__required_keys__]
    if required:
        result["required"] = required
    if closed:
        result["additionalProperties"] = False
    return result


def _text(described_class: Any) -> str:
    return " ".join((described_class.__doc__ or "").split())


def _plain(prefix: str, hint: Any) -> Json:
    """Return the schema of a type without what its annotations add."""
    about = described.annotations(hint)
    kind = about.kind
    if about.names is not None and kind is str:
        return reference(prefix, about.names)
    if is_typeddict(kind):
        return reference(prefix, kind)
    if kind in _SCALARS:
        return {"type": _SCALARS[kind]}

    origin = typing.get_origin(kind)
    arguments = typing.get_args(kind)
    if origin is Literal:
        return {"type": "string", "enum": list(arguments)}
    if origin in (types.UnionType, typing.Union):
        return _union(prefix, arguments)
    if origin is list:
        return {"type": "array", "items": schema(prefix, arguments[0])}
    if origin is dict:
        return {
            "type": "object",
            "propertyNames": schema(prefix, arguments[0]),
            "additionalProperties": schema(prefix, arguments[1]),
        }
    raise TypeError(f"{kind!r} is no type that a JSON value is described by")


def _union(prefix: str, members: tuple[Any, ...]) -> Json:
    values = [schema(prefix, member) for member in members if member is not types.NoneType]
    is_nullable = types.NoneType in members
    if not is_nullable:
        return {"anyOf": values}

    # One plain type may name null beside itself.
    first = values[0]
    is_one_type = len(values) == 1 and "type" in first and "enum" not in first
    if is_one_type:
        return {**first, "type": [first["type"], "null"]}

    return {"anyOf": [*values, {"type": "null"}]}


def _bounded(value: Json, bounds: Between) -> Json:
    if value.get("type") == "array":
        return {"minItems": bounds.least, "maxItems": bounds.most}
    return {"minimum": bounds.least, "maximum": bounds.most}
