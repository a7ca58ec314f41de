"""Messages from JSON that this service has written itself, fast: replay reads thousands of events.

One function is compiled for each message class, as dataclasses compile `__init__` (decision 0037).
It trusts names and values; `wire.decode` is its strict twin for all that comes from outside.

A frozen dataclass sets its fields slowly. Here they are set on an object that is not frozen yet
(`messages.quickly_made`).
"""

from collections.abc import Callable, Mapping
from dataclasses import MISSING
from functools import cache
from typing import Any, assert_never

from domain.wire import shapes
from domain.wire.messages import Message, table, unfrozen

Loader = Callable[[Mapping[str, object]], Any]


def loaders(known: Mapping[str, type[Message]]) -> dict[str, Loader]:
    """Return by tag the function that makes the message of that tag from its JSON object."""
    return {tag: _loader(cls) for tag, cls in known.items()}


class _Scope(dict[str, object]):
    """What compiled code can name."""

    def name(self, value: object) -> str:
        """Return a new name by which compiled code refers to a value."""
        name = f"v{len(self)}"
        self[name] = value
        return name


@cache
def _loader(cls: Any) -> Loader:
    """Return the compiled function that makes an instance of a frozen dataclass with slots."""
    scope = _Scope(unfrozen=unfrozen(cls), cls=cls)
    settings = [
        f"record.{field.name} = {_field_value(field, scope)}" for field in shapes.record_fields(cls)
    ]
    lines = [
        "def load(data):",
        "record = unfrozen()",
        *settings,
        "record.__class__ = cls",
        "return record",
    ]

    # Globals are looked up fast in a plain dict only, not in a subclass of it.
    names: dict[str, Any] = dict(scope)

    # The source holds names of fields and of this module's own making, never a value from outside.
    exec("\n ".join(lines), names)  # noqa: S102
    load: Loader = names["load"]
    return load


def _field_value(field: shapes.RecordField, scope: _Scope) -> str:
    """Return the expression for a field's value; `data` is the JSON object."""
    key = repr(field.name)
    source = f"data[{key}]"
    if not field.optional:
        return _value(field.shape, source, scope)

    # A field that is None was left out when it was written, so what is there is never None.
    shape = field.shape.inner if isinstance(field.shape, shapes.Nullable) else field.shape
    return f"{_value(shape, source, scope)} if {key} in data else {_default(field, scope)}"


def _default(field: shapes.RecordField, scope: _Scope) -> str:
    """Return the expression for the value of a field that was left out."""
    if not field.has_default:
        return "None"
    if field.declared.default_factory is not MISSING:
        return f"{scope.name(field.declared.default_factory)}()"
    return scope.name(field.declared.default)


def _value(shape: shapes.Shape, source: str, scope: _Scope) -> str:
    """Return the expression for a value of this shape; `source` is the expression for its JSON."""
    match shape:
        case shapes.Scalar() | shapes.Anything():
            return source
        case shapes.Name(enum):
            return f"{scope.name(enum.by_wire())}[{source}]"
        case shapes.Nullable(inner):
            return f"(None if {source} is None else {_value(inner, source, scope)})"
        case shapes.Record(cls):
            return f"{scope.name(_loader(cls))}({source})"
        case shapes.OneOf(messages):
            return f"{scope.name(loaders(table(*messages)))}[{source}['type']]({source})"
        case shapes.Many(container, item):
            return _many(container, _value(item, "item", scope), source)
        case shapes.Fixed(items):
            values = [_value(item, f"{source}[{i}]", scope) for i, item in enumerate(items)]
            return f"({''.join(f'{value}, ' for value in values)})"
        case shapes.Table(_, item):
            return f"{{key: {_value(item, 'item', scope)} for key, item in {source}.items()}}"
        case _:
            assert_never(shape)


def _many(container: type, item_value: str, source: str) -> str:
    """Return the expression for a list or tuple; `item_value` is the expression for its `item`."""
    if item_value == "item":
        return f"{container.__name__}({source})"

    items = f"[{item_value} for item in {source}]"
    return f"tuple({items})" if container is tuple else items
