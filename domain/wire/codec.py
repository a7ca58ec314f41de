"""Messages and states to JSON values and back: one function for each shape, made once and cached.

JSON from outside, and snapshots, are read strictly. An error names the wrong fields of an object
with their places (MOST_UNKNOWN of the unknown ones), but only the first wrong item of a list or
table. Stored events are trusted and read fast.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass
from functools import cache
from operator import attrgetter
from typing import Any, TypeVar, assert_never

from domain.errors import BadMessage, Faults
from domain.wire import shapes
from domain.wire.messages import Message, table, unfrozen

# A JSON object, and a JSON object that nobody changes. mypy does not check their values. A
# recursive type would need a check or a cast at each step into a value.
Json = dict[str, Any]
JsonMapping = Mapping[str, Any]
RecordT = TypeVar("RecordT")
MessageT = TypeVar("MessageT", bound=Message)

Path = tuple[str | int, ...]
Encoder = Callable[[Any], object]
Decoder = Callable[[object, Path], object]
Loader = Callable[[Mapping[str, object]], Any]

_BOUND = 2**53  # from this size on, whole numbers are not exact in every JSON reader
_NOTHING: Mapping[str, object] = {}


# ---- to JSON -------------------------------------------------------------------------------------


def encode(message: Message) -> Json:
    """Return a message as a JSON object with its tag under "type"."""
    return {"type": message.tag, **_record_encoder(type(message))(message)}


def dump(value: object) -> Json:
    """Return a dataclass, such as a state, as a JSON object without a "type"."""
    cls: type = type(value)
    return _record_encoder(cls)(value)


def _as_it_is(value: object) -> object:
    return value


@cache
def _encoder(shape: shapes.Shape) -> Encoder:
    """Return the function that turns a value of this shape into JSON."""
    match shape:
        case shapes.Scalar() | shapes.Anything():
            return _as_it_is
        case shapes.Name():
            return attrgetter("wire")
        case shapes.Nullable(inner):
            return _nullable_encoder(_encoder(inner))
        case shapes.Record(cls):
            return _record_encoder(cls)
        case shapes.OneOf():
            return encode
        case shapes.Many(_, item):
            return _many_encoder(_encoder(item))
        case shapes.Fixed(items):
            return _fixed_encoder([_encoder(item) for item in items])
        case shapes.Table(_, item):
            return _table_encoder(_encoder(item))
        case _:
            assert_never(shape)


def _nullable_encoder(inner: Encoder) -> Encoder:
    if inner is _as_it_is:
        return _as_it_is
    return lambda value: None if value is None else inner(value)


def _many_encoder(item_encoder: Encoder) -> Encoder:
    if item_encoder is _as_it_is:
        return list
    return lambda values: [item_encoder(value) for value in values]


def _fixed_encoder(item_encoders: list[Encoder]) -> Encoder:
    def encode_fixed(values: Iterable[object]) -> list[object]:
        pairs = zip(item_encoders, values, strict=True)
        return [item_encoder(value) for item_encoder, value in pairs]

    return encode_fixed


def _table_encoder(item_encoder: Encoder) -> Encoder:
    if item_encoder is _as_it_is:
        return _as_it_is
    return lambda values: {key: item_encoder(value) for key, value in values.items()}


@cache
def _record_encoder(cls: type) -> Callable[[object], Json]:
    """Return the function that turns an instance into JSON. None values are left out."""
    encoders = [(field.name, _field_encoder(field.shape)) for field in shapes.record_fields(cls)]

    def encode_record(record: object) -> Json:
        members: Json = {}
        for name, encode_field in encoders:
            value = getattr(record, name)
            if value is not None:
                members[name] = value if encode_field is _as_it_is else encode_field(value)
        return members

    return encode_record


def _field_encoder(shape: shapes.Shape) -> Encoder:
    """Return the encoder of a field with a value. Fields with None are left out before."""
    return _encoder(shape.inner if isinstance(shape, shapes.Nullable) else shape)


# ---- from JSON of outside ------------------------------------------------------------------------


def decode(by_tag: Mapping[str, type[MessageT]], data: object, **stamped: object) -> MessageT:
    """Return the message in a JSON object with a "type".

    stamped: fields that the caller sets and the object must not have.
    Raises BadMessage for anything but an object of a known type, or with the wrong fields.
    """
    if not isinstance(data, Mapping):
        raise BadMessage((), "must be an object with a type")

    tag = data.get("type")
    if not isinstance(tag, str) or tag not in by_tag:
        expected = ", ".join(sorted(by_tag))
        raise BadMessage(("type",), f"must be one of {expected}")

    members = {name: value for name, value in data.items() if name != "type"}
    return _decode_record(by_tag[tag], members, (), stamped)


def load(cls: type[RecordT], data: object) -> RecordT:
    """Return an instance of a dataclass from the JSON of `dump`. Raises BadMessage for a misfit."""
    return _decode_record(cls, data, ())


@cache
def _decoder(shape: shapes.Shape) -> Decoder:
    """Return the function that reads a value of this shape at a path, or raises BadMessage."""
    match shape:
        case shapes.Anything():
            return lambda value, _path: value
        case shapes.Scalar(kind):
            return _scalar_decoder(kind)
        case shapes.Name(enum):
            return _name_decoder(enum)
        case shapes.Nullable(inner):
            return _nullable_decoder(_decoder(inner))
        case shapes.Record(cls):
            return lambda value, path: _decode_record(cls, value, path)
        case shapes.OneOf(messages):
            return _one_of_decoder(table(*messages))
        case shapes.Many(container, item):
            return _many_decoder(container, _decoder(item))
        case shapes.Fixed(items):
            return _fixed_decoder([_decoder(item) for item in items])
        case shapes.Table(_, item):
            return _table_decoder(_decoder(item))
        case _:
            assert_never(shape)


def _scalar_decoder(kind: type) -> Decoder:
    expected = {
        int: "must be a whole number",
        str: "must be a string",
        bool: "must be true or false",
    }[kind]

    def decode_scalar(value: object, path: Path) -> object:
        too_large = isinstance(value, int) and abs(value) >= _BOUND
        if type(value) is not kind or too_large:
            raise BadMessage(path, expected)
        return value

    return decode_scalar


def _name_decoder(enum: type[shapes.Named]) -> Decoder:
    members = enum.by_wire()
    expected = f"must be one of {', '.join(members)}"

    def decode_name(value: object, path: Path) -> shapes.Named:
        if not isinstance(value, str) or value not in members:
            raise BadMessage(path, expected)
        return members[value]

    return decode_name


def _nullable_decoder(inner: Decoder) -> Decoder:
    return lambda value, path: None if value is None else inner(value, path)


def _one_of_decoder(by_tag: Mapping[str, type[Message]]) -> Decoder:
    def decode_one_of(value: object, path: Path) -> object:
        try:
            return decode(by_tag, value)
        except BadMessage as error:
            raise BadMessage.together(error.all, *path, unnamed=error.unnamed) from None

    return decode_one_of


def _many_decoder(
    container: Callable[[Iterable[object]], object], item_decoder: Decoder
) -> Decoder:
    def decode_many(value: object, path: Path) -> object:
        items = _items(value, path)
        return container(item_decoder(item, (*path, index)) for index, item in enumerate(items))

    return decode_many


def _fixed_decoder(item_decoders: Sequence[Decoder]) -> Decoder:
    def decode_fixed(value: object, path: Path) -> tuple[object, ...]:
        items = _items(value, path)
        if len(items) != len(item_decoders):
            raise BadMessage(path, f"must be a list of {len(item_decoders)}")

        return tuple(
            decode_item(items[index], (*path, index))
            for index, decode_item in enumerate(item_decoders)
        )

    return decode_fixed


def _items(value: object, path: Path) -> Sequence[object]:
    if not isinstance(value, list | tuple):
        raise BadMessage(path, "must be a list")
    return value


def _table_decoder(item_decoder: Decoder) -> Decoder:
    def decode_table(value: object, path: Path) -> dict[str, object]:
        if not isinstance(value, Mapping):
            raise BadMessage(path, "must be an object")
        return {key: item_decoder(item, (*path, key)) for key, item in value.items()}

    return decode_table


@dataclass(frozen=True, slots=True)
class _Plan:
    """The plan to read an object as a dataclass.

    decoders: by name of the field.
    required: the fields that must be there.
    empty: the fields that are None if left out, since they have no default.
    """

    decoders: Mapping[str, Decoder]
    required: tuple[str, ...]
    empty: tuple[str, ...]


@cache
def _plan(cls: type) -> _Plan:
    fields = shapes.record_fields(cls)
    return _Plan(
        decoders={field.name: _decoder(field.shape) for field in fields},
        required=tuple(field.name for field in fields if not field.optional),
        empty=tuple(field.name for field in fields if field.optional and not field.has_default),
    )


def _decode_record(
    cls: type[RecordT], data: object, path: Path, stamped: Mapping[str, object] = _NOTHING
) -> RecordT:
    """Return the instance in an object. Raises BadMessage with the wrong fields."""
    if not isinstance(data, Mapping):
        raise BadMessage(path, "must be an object")

    kind: type = cls
    plan = _plan(kind)
    values: dict[str, object] = {**dict.fromkeys(plan.empty), **stamped}
    wrong = []
    unknown = []
    for name, value in data.items():
        decode_field = plan.decoders.get(name)
        if decode_field is None or name in stamped:
            unknown.append(name)
            continue
        try:
            values[name] = decode_field(value, (*path, name))
        except BadMessage as error:
            wrong.append(error)

    missing = [name for name in plan.required if name not in data and name not in stamped]
    if not wrong and not unknown and not missing:
        make: Callable[..., RecordT] = cls
        return make(**values)

    faults = Faults(BadMessage)
    for fault in wrong:
        faults.add(fault)
    if unknown:
        allowed = plan.decoders.keys() - stamped.keys()
        faults.add_unknown(unknown, path, _unknown_field(allowed))
    for name in missing:
        faults.add(BadMessage((*path, name), "is missing"))
    raise faults.together()


def _unknown_field(allowed: Iterable[str]) -> str:
    names = ", ".join(sorted(allowed))
    if not names:
        return "unknown field. No fields are known here"
    return f"unknown field. Known fields: {names}"


# ---- from JSON of this service -------------------------------------------------------------------

# Replay reads thousands of events. So one function is compiled for each message class, as
# dataclasses compile `__init__` (decision 0037). The function checks neither names nor values.
#
# A frozen dataclass sets its fields slowly. Here they are set on an object that is not frozen yet
# (`messages.unfrozen`).


def loaders(by_tag: Mapping[str, type[Message]]) -> dict[str, Loader]:
    """Return functions by tag. Each makes a message from its JSON object."""
    return {tag: _loader(cls) for tag, cls in by_tag.items()}


class _Scope(dict[str, object]):
    """The names in compiled code."""

    def name(self, value: object) -> str:
        """Return a new name for a value in compiled code."""
        name = f"v{len(self)}"
        self[name] = value
        return name


@cache
def _loader(cls: Any) -> Loader:
    """Return the compiled function that makes an instance of a frozen dataclass with slots."""
    scope = _Scope(unfrozen=unfrozen(cls), cls=cls)
    settings = [
        f"record.{field.name} = {_field_expression(field, scope)}"
        for field in shapes.record_fields(cls)
    ]
    lines = [
        "def load(data):",
        "record = unfrozen()",
        *settings,
        "record.__class__ = cls",
        "return record",
    ]

    # Python looks globals up fast in a plain dict only, not in an instance of a subclass.
    names: dict[str, Any] = dict(scope)

    # The source holds names of fields and names made here, never a value from outside.
    exec("\n ".join(lines), names)  # noqa: S102
    load: Loader = names["load"]
    return load


def _field_expression(field: shapes.RecordField, scope: _Scope) -> str:
    """Return the expression for a field's value. In the expression `data` is the JSON object."""
    key = repr(field.name)
    source = f"data[{key}]"
    if not field.optional:
        return _expression(field.shape, source, scope)

    # Fields with None are left out on writing, so a stored value is never None.
    shape = field.shape.inner if isinstance(field.shape, shapes.Nullable) else field.shape
    expression = _expression(shape, source, scope)
    default = _default_expression(field, scope)
    return f"{expression} if {key} in data else {default}"


def _default_expression(field: shapes.RecordField, scope: _Scope) -> str:
    """Return the expression for the value of an absent field."""
    if not field.has_default:
        return "None"
    if field.declared.default_factory is not MISSING:
        return f"{scope.name(field.declared.default_factory)}()"
    return scope.name(field.declared.default)


def _expression(shape: shapes.Shape, source: str, scope: _Scope) -> str:
    """Return the expression for a value of this shape. `source` is the expression for its JSON."""
    match shape:
        case shapes.Scalar() | shapes.Anything():
            return source
        case shapes.Name(enum):
            return f"{scope.name(enum.by_wire())}[{source}]"
        case shapes.Nullable(inner):
            return f"(None if {source} is None else {_expression(inner, source, scope)})"
        case shapes.Record(cls):
            return f"{scope.name(_loader(cls))}({source})"
        case shapes.OneOf(messages):
            return f"{scope.name(loaders(table(*messages)))}[{source}['type']]({source})"
        case shapes.Many(container, item):
            return _list_expression(container, _expression(item, "item", scope), source)
        case shapes.Fixed(items):
            values = [_expression(item, f"{source}[{i}]", scope) for i, item in enumerate(items)]
            return f"({''.join(f'{value}, ' for value in values)})"
        case shapes.Table(_, item):
            return f"{{key: {_expression(item, 'item', scope)} for key, item in {source}.items()}}"
        case _:
            assert_never(shape)


def _list_expression(container: type, item_value: str, source: str) -> str:
    """Return the expression for a list or tuple. item_value: the expression for an `item`."""
    if item_value == "item":
        return f"{container.__name__}({source})"

    items = f"[{item_value} for item in {source}]"
    return f"tuple({items})" if container is tuple else items
