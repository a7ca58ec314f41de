"""Messages and states as plain JSON values and back, derived from their dataclass fields.

On the wire a message has the `tag` of its class as "type", and a member of an enum its `wire` name.
A field with the value None is left out.

messages  the protocol of a message, tables by tag, secret and drawn fields
shapes    type hints as a closed set of shapes, enums with names on the wire
codec     values to JSON, JSON from outside to values (misfits are refused), and JSON of this
          service's own making to messages, fast
"""

from domain.seats import HOUSE
from domain.wire.codec import Json, JsonMapping, decode, dump, encode, load
from domain.wire.messages import (
    Message,
    SeatMessage,
    audience_of,
    drawn,
    drawn_fields,
    is_drawn,
    laid_open,
    laid_open_fields,
    merge,
    quickly_made,
    redact,
    secret,
    secret_fields,
    table,
)
from domain.wire.shapes import Named, fingerprint

__all__ = [
    "HOUSE",
    "Json",
    "JsonMapping",
    "Message",
    "Named",
    "SeatMessage",
    "audience_of",
    "decode",
    "drawn",
    "drawn_fields",
    "dump",
    "encode",
    "fingerprint",
    "is_drawn",
    "laid_open",
    "laid_open_fields",
    "load",
    "merge",
    "quickly_made",
    "redact",
    "secret",
    "secret_fields",
    "table",
]
