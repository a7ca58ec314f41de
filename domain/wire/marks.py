"""Marks on the fields of messages: who may see a field, and whether chance decides it.

A marked field has the default None, and None is also what stands where a field is hidden.
"""

import dataclasses
from functools import cache
from typing import Any, TypeVar

from domain.wire.message import Message

MessageT = TypeVar("MessageT", bound=Message)

_AUDIENCE = "secret"  # keys of a field's metadata
_DRAWN = "drawn"


def secret(audience: str = "seat", *, drawn: bool = False) -> Any:
    """Mark a field (`X | None`) that only its audience may see.

    audience: "seat", the seat that the message names, or "house", the house alone.
    drawn: whether chance decides the field as well.
    """
    return dataclasses.field(default=None, metadata={_AUDIENCE: audience, _DRAWN: drawn})


def drawn() -> Any:
    """Mark a public field (`X | None`) that chance decides: a preview leaves it out."""
    return dataclasses.field(default=None, metadata={_DRAWN: True})


def audience_of(field: dataclasses.Field[Any]) -> str | None:
    """Return who may see a field: "seat", "house", or None for everybody."""
    audience: str | None = field.metadata.get(_AUDIENCE)
    return audience


def is_drawn(field: dataclasses.Field[Any]) -> bool:
    """Return whether chance decides a field."""
    return bool(field.metadata.get(_DRAWN))


@cache
def secret_fields(cls: type[Message]) -> tuple[tuple[str, str], ...]:
    """Return (field, audience) for each secret field of a message class."""
    found = []
    for field in dataclasses.fields(cls):
        audience = audience_of(field)
        if audience is not None:
            found.append((field.name, audience))
    return tuple(found)


@cache
def drawn_fields(cls: type[Message]) -> tuple[str, ...]:
    """Return the names of the fields that chance decides."""
    return tuple(field.name for field in dataclasses.fields(cls) if is_drawn(field))


def redact(message: MessageT, seat: int | None) -> MessageT:
    """Return the message as a seat (None: the public) may see it: every hidden field is None."""
    marked = secret_fields(type(message))
    if not marked:
        return message

    hidden = [name for name, audience in marked if not _may_see(message, audience, seat)]
    return dataclasses.replace(message, **dict.fromkeys(hidden)) if hidden else message


def _may_see(message: Any, audience: str, seat: int | None) -> bool:
    return audience == "seat" and seat is not None and seat == message.seat
