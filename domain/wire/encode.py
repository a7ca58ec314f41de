"""Messages and states to plain JSON values.

One function is put together for each shape, once, and kept.
"""

from collections.abc import Callable, Iterable
from functools import cache
from operator import attrgetter
from typing import Any, assert_never

from domain.wire import shapes
from domain.wire.messages import Message

Json = dict[str, Any]
Encoder = Callable[[Any], object]


def encode(message: Message) -> Json:
    """Return a message as a JSON object with its tag under "type"."""
    return {"type": message.tag, **_record_encoder(type(message))(message)}


def dump(value: object) -> Json:
    """Return a dataclass (a state, a part of one) as a JSON object without a type."""
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
    """Return the function that turns an instance into JSON; what is None is left out."""
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
    """Return the encoder of a field: what is None has been left out before."""
    return _encoder(shape.inner if isinstance(shape, shapes.Nullable) else shape)
