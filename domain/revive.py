"""Events from JSON that this service has written itself, fast: replay reads thousands where the edge reads one.

For each message class one function is compiled from its fields, as dataclasses compile `__init__`. It trusts names and
values; `wire.decode` is its strict twin for everything that comes from outside. A frozen dataclass must set its fields
by `object.__setattr__`; here they are set plainly on an object of a like class that is not frozen, which then turns
into the message: a quarter of the time.
"""

import dataclasses
import types
import typing
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from domain import wire

Reviver = Callable[[Mapping[str, Any]], Any]


def revivers(known: Mapping[str, type]) -> dict[str, Reviver]:
    """Return a function by tag that makes the message of that tag from its JSON object."""
    return {tag: _reviver(cls) for tag, cls in known.items()}


@cache
def _reviver(cls: Any) -> Reviver:
    hints = typing.get_type_hints(cls)
    thawed = type(cls.__name__, (), {"__slots__": cls.__slots__})
    names: dict[str, Any] = {"new": object.__new__, "thawed": thawed, "cls": cls}
    settings = [
        f"m.{field.name} = {_setting(field, hints[field.name], names)}"
        for field in dataclasses.fields(cls)
    ]
    lines = ["def revive(d):", "m = new(thawed)", *settings, "m.__class__ = cls", "return m"]
    scope: dict[str, Any] = {}
    exec("\n ".join(lines), names, scope)  # noqa: S102 (made of field names only)
    revive: Reviver = scope["revive"]
    return revive


def _setting(field: Any, kind: Any, names: dict[str, Any]) -> str:
    key = repr(field.name)
    value = _value(kind, f"d[{key}]", names)
    if field.default is dataclasses.MISSING:
        return value if not _optional(kind) else f"{value} if {key} in d else None"
    names[f"default_{field.name}"] = field.default
    return f"{value} if {key} in d else default_{field.name}"


def _value(kind: Any, source: str, names: dict[str, Any]) -> str:
    """Return the expression that makes a value of this type from the JSON value that `source` says."""
    if kind in (int, str, bool):
        return source
    if isinstance(kind, type) and issubclass(kind, wire.Named):
        return f"{_name(names, {member.wire: member for member in kind})}[{source}]"
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        return f"{_name(names, _reviver(kind))}({source})"
    inner = [one for one in typing.get_args(kind) if one is not types.NoneType]
    if _optional(kind) and len(inner) == 1:
        return _value(inner[0], source, names)
    if typing.get_origin(kind) is tuple and inner[1:] == [...] and not _optional(inner[0]):
        item = _value(inner[0], "x", names)
        return f"tuple({source})" if item == "x" else f"tuple([{item} for x in {source}])"
    return f"{_name(names, wire.decoder(kind))}({source}, ())"


def _optional(kind: Any) -> bool:
    return types.NoneType in typing.get_args(kind)


def _name(names: dict[str, Any], value: Any) -> str:
    """Return a name under which the compiled function finds the value."""
    name = f"v{len(names)}"
    names[name] = value
    return name
