"""JSON Schemas of what the domain describes: one component for each TypedDict and each enum.

`domain.described` says how views, options and descriptions of moves are described. A component is named by what it
belongs to and its class: `FirenzeView`, `FirenzeColour`.
"""

import types
import typing
from typing import Any, Literal, is_typeddict

from domain import described
from domain.described import Between
from domain.wire import Named

Json = dict[str, Any]
_SCALARS: dict[Any, str] = {int: "integer", str: "string", bool: "boolean"}


def named(prefix: str, cls: Any) -> str:
    """Return the name of the component of a class."""
    return f"{prefix}{cls.__name__}"


def reference(prefix: str, cls: Any) -> Json:
    """Return a reference to the component of a class."""
    return {"$ref": f"#/components/schemas/{named(prefix, cls)}"}


def components(prefix: str, *kinds: Any, closed: bool = False) -> dict[str, Json]:
    """Return the components of all TypedDicts and enums that some types are made of, by name.

    closed: an object has no members but those that are described, as in what is sent to us.
    """
    made = {}
    for cls in described.parts(*kinds):
        if is_typeddict(cls):
            made[named(prefix, cls)] = _object(prefix, cls, closed=closed)
        elif issubclass(cls, Named):
            made[named(prefix, cls)] = _enum(cls)
    return made


def _enum(cls: type[Named]) -> Json:
    return {"type": "string", "enum": [member.wire for member in cls], "description": _text(cls)}


def _object(prefix: str, cls: Any, *, closed: bool) -> Json:
    members = described.fields(cls)
    made: Json = {
        "type": "object",
        "description": _text(cls),
        "properties": {name: schema(prefix, hint) for name, hint in members.items()},
    }
    required = [name for name in members if name in cls.__required_keys__]
    if required:
        made["required"] = required
    if closed:
        made["additionalProperties"] = False
    return made


def _text(cls: Any) -> str:
    return " ".join((cls.__doc__ or "").split())


def schema(prefix: str, hint: Any) -> Json:
    """Return the schema of a type as the domain describes it, its sentence with it."""
    about = described.annotations(hint)
    made = _plain(prefix, hint)
    if about.bounds is not None:
        made |= _bounded(made, about.bounds)
    if about.every:
        keys = described.annotations(typing.get_args(about.kind)[0])
        made["minProperties"] = len(keys.names or ())
    return {**made, "description": about.sentence} if about.sentence else made


def _plain(prefix: str, hint: Any) -> Json:
    about = described.annotations(hint)
    kind = about.kind
    if about.names is not None and kind is str:
        return reference(prefix, about.names)
    if is_typeddict(kind):
        return reference(prefix, kind)
    if kind in _SCALARS:
        return {"type": _SCALARS[kind]}

    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin is Literal:
        return {"type": "string", "enum": list(arguments)}
    if origin in (types.UnionType, typing.Union):
        return _union(prefix, arguments)
    if origin is list:
        return {"type": "array", "items": schema(prefix, arguments[0])}
    if origin is dict:
        names, values = arguments
        return {
            "type": "object",
            "propertyNames": schema(prefix, names),
            "additionalProperties": schema(prefix, values),
        }
    raise TypeError(f"{kind!r} is no type that a JSON value is described by")


def _union(prefix: str, members: tuple[Any, ...]) -> Json:
    made = [schema(prefix, member) for member in members if member is not types.NoneType]
    if types.NoneType not in members:
        return {"anyOf": made}
    if len(made) == 1 and "type" in made[0] and "enum" not in made[0]:
        return {**made[0], "type": [made[0]["type"], "null"]}
    return {"anyOf": [*made, {"type": "null"}]}


def _bounded(made: Json, bounds: Between) -> Json:
    if made.get("type") == "array":
        return {"minItems": bounds.least, "maxItems": bounds.most}
    return {"minimum": bounds.least, "maximum": bounds.most}
