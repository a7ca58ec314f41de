"""Requests: body and path, and the lock of an idempotency key."""

import json
import math
import re
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from decimal import Decimal, InvalidOperation
from typing import NoReturn

from flask import Flask, request
from werkzeug.exceptions import ClientDisconnected
from werkzeug.routing import BaseConverter

from domain.seats import SEAT_NUMBER
from service.api.http.context import Environ, config
from service.api.http.responses import JSON
from service.base import errors
from service.record.commit import MATCH_ID
from service.record.ratings import PLAYER
from service.store.keys.tokens import HOLDER_FORM

# Largest record. A typical one has about a quarter of a MiB.
MOST_BYTES = 4 * 1024 * 1024
_CHUNKED = "HTTP_TRANSFER_ENCODING"  # set for a body in chunks, of unknown length
_CHUNK_BYTES = 64 * 1024

_PLAIN = ("", "identity")  # Content-Encoding of a body without a coding


class BodyTooLarge(Exception):
    """A body has more than `most` bytes."""

    def __init__(self, most: int) -> None:
        super().__init__(f"the body may have at most {most} bytes")
        self.most = most


def body(environ: Environ) -> dict[str, object]:
    """Return the JSON object in a request's body.

    Raises Malformed for a body that is not JSON (RFC 8259) in UTF-8, has a name twice in an object,
    is nested too deeply, or has NaN. Raises Invalid for another value than an object, and for a
    string or number that cannot be stored. Raises UnsupportedMedia for another media type or a
    content coding, and BodyTooLarge.
    """
    value = json_object(body_bytes(environ))
    check_values(value, config().max_depth)
    return value


def body_bytes(environ: Environ) -> bytes:
    """Return the bytes of a JSON body. Raises UnsupportedMedia and BodyTooLarge."""
    demand(environ, JSON)
    return b"".join(_pieces(environ, config().max_body))


def json_object(body_bytes: bytes) -> dict[str, object]:
    """Return the object in a body. The values are not checked. Raises Malformed and Invalid."""
    value = _parsed(body_bytes)
    if not isinstance(value, dict):
        raise errors.Invalid(errors.Mistake("", "must be a JSON object"))
    return value


def check_values(value: dict[str, object], depth: int) -> None:
    """Refuse text and numbers that no commit can store, and nesting beyond a depth.

    Raises Malformed and Invalid.
    """
    _check(value, (), depth)


def lines(environ: Environ, kind: str) -> Iterator[bytes]:
    """Return the lines of a long body as they arrive.

    So a refused body is never whole in memory. Each line includes its line feed. Raises
    UnsupportedMedia for another media type than `kind`, and BodyTooLarge.
    """
    demand(environ, kind)
    return _lines(_pieces(environ, MOST_BYTES))


def no_body(environ: Environ) -> None:
    """Refuse an unneeded body unless it has the type of JSON. Raises UnsupportedMedia."""
    if _length(environ) or _CHUNKED in environ:
        demand(environ, JSON)


def demand(environ: Environ, kind: str) -> None:
    """Raise UnsupportedMedia for a body of another media type, or with a content coding.

    A page of any site can post a body without a type, or with the type of a form. Before a browser
    sends JSON to another site, it asks that server (CORS). The refusal names the accepted form, as
    RFC 9110, 15.5.16 demands.
    """
    if environ.get("CONTENT_TYPE") != kind and request.mimetype != kind:
        media_type = errors.echoed(request.mimetype) or "without a Content-Type"
        detail = f"the body must have the type {kind}, not {media_type}"
        raise errors.UnsupportedMedia(detail, header="Accept-Post", header_value=kind)

    coding = environ.get("HTTP_CONTENT_ENCODING", "")
    if coding.lower() not in _PLAIN:
        detail = f"the body must be sent without Content-Encoding, not with {errors.echoed(coding)}"
        raise errors.UnsupportedMedia(detail, header="Accept-Encoding", header_value="identity")


def _pieces(environ: Environ, most: int) -> Iterator[bytes]:
    """Yield a request's body as it comes, up to its promised length.

    Raises BodyTooLarge, and ClientDisconnected if the sender goes away before the end.
    """
    is_chunked = _CHUNKED in environ
    remaining = most + 1 if is_chunked else _length(environ)
    if remaining > most and not is_chunked:
        raise BodyTooLarge(most)

    source = environ["wsgi.input"]
    while remaining:
        piece: bytes = source.read(min(remaining, _CHUNK_BYTES))
        if not piece and is_chunked:
            return
        if not piece:
            raise ClientDisconnected
        remaining -= len(piece)
        yield piece
    if is_chunked:
        raise BodyTooLarge(most)


def _length(environ: Environ) -> int:
    """Return the length of a request's body in bytes, 0 if unknown."""
    length = environ.get("CONTENT_LENGTH", "")
    return int(length) if length.isdecimal() else 0


def _lines(pieces: Iterator[bytes]) -> Iterator[bytes]:
    begun_line = b""
    for piece in pieces:
        *whole_lines, begun_line = (begun_line + piece).split(b"\n")
        for line in whole_lines:
            yield line + b"\n"

    if begun_line:
        yield begun_line


# ---- strict JSON ---------------------------------------------------------------------------

_BIGGEST = 2**53 - 1
_MOST_DIGITS = 40  # most digits of a number. A longer number is refused without a conversion.
_SURROGATE = re.compile("[\ud800-\udfff]")
_NESTING = (dict, list)

Path = tuple[str | int, ...]


def _parsed(body_bytes: bytes) -> object:
    """Return the JSON value of a body. Raises Malformed."""
    try:
        return _STRICT.decode(body_bytes.decode())
    except RecursionError:
        raise errors.Malformed("the body is nested too deeply") from None
    except UnicodeDecodeError as error:
        raise errors.Malformed(f"the body is not UTF-8: byte {error.start} is wrong") from None
    except ValueError as error:
        raise errors.Malformed(f"the body is not valid JSON: {error}") from None


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return an object of names and values. Raises ValueError for a repeated name."""
    members = dict(pairs)
    if len(members) == len(pairs):
        return members

    names = set()
    for name, _ in pairs:
        if name in names:
            raise ValueError(f"the name {errors.echoed(ascii(name))} occurs twice in one object")
        names.add(name)
    return members


def _no_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is not a JSON number")


def _number(text: str) -> int | float:
    """Return a whole number for 60.0 and 6e1, too: JSON Schema allows these forms of an `integer`.

    Any other number becomes a float. `_check` refuses all floats with their place.
    """
    if len(text) > _MOST_DIGITS:
        return math.inf
    try:
        number = Decimal(text)
    except InvalidOperation:  # the exponent is too large even for Decimal
        return math.inf
    # Check before a call of `int`: `int` would write out all digits of 1e999999.
    if abs(number) > _BIGGEST or number != number.to_integral_value():
        return math.inf
    return int(number)


def _whole_number(text: str) -> int | float:
    return int(text) if len(text) <= _MOST_DIGITS else math.inf


# `json.loads` would make a decoder for each body: 4.8 us for a move instead of 2.7.
_STRICT = json.JSONDecoder(
    object_pairs_hook=_object,
    parse_constant=_no_constant,
    parse_float=_number,
    parse_int=_whole_number,
)


def _check(value: dict[str, object] | list[object], path: Path, room: int) -> None:
    """Refuse nesting deeper than `room`, and text and numbers that no commit can store.

    path: place of the value in the body. Raises Malformed and Invalid.
    """
    if room == 0:
        raise errors.Malformed(
            f"the body is nested deeper than {len(path)} levels at {errors.pointer(path)}"
        )

    steps = value.items() if isinstance(value, dict) else enumerate(value)
    for step, inner in steps:
        if isinstance(step, str) and _SURROGATE.search(step):
            wrong = "has a name with a lone surrogate, not Unicode text"
            raise errors.Invalid(errors.Mistake(errors.pointer(path), wrong))
        if isinstance(inner, _NESTING):
            _check(inner, (*path, step), room - 1)
            continue

        wrong = ""
        if isinstance(inner, str) and _SURROGATE.search(inner):
            wrong = "has a lone surrogate, not Unicode text"
        elif isinstance(inner, float) or (type(inner) is int and abs(inner) > _BIGGEST):
            wrong = f"must be a whole number from -{_BIGGEST} to {_BIGGEST}"
        if wrong:
            raise errors.Invalid(errors.Mistake(errors.pointer((*path, step)), wrong))


# ---- parts of a path, such as <id:match> ----------------------------------------------------


class PathPart(BaseConverter):
    """A variable part of a path. `form`: its right form in words, for refusals."""

    form = ""


class MatchId(PathPart):
    """The id of a match in a path."""

    regex = MATCH_ID
    form = (
        "the ID of a match has 26 characters, a to z and 2 to 7, such as aaaaaaaaaaaaaaaaaaaaaaaaaa"
    )


class Version(PathPart):
    """A version of a match in a path, without leading zeros."""

    regex = "0|[1-9][0-9]{0,15}"
    form = "a version is a whole number from 1, without leading zeros"

    def to_python(self, value: str) -> int:
        """Return the number."""
        return int(value)


class SeatNumber(PathPart):
    """The number of a seat in a path."""

    regex = SEAT_NUMBER
    form = "the number of a seat is a whole number from 0 to 15"

    def to_python(self, value: str) -> int:
        """Return the number."""
        return int(value)


class PlayerId(PathPart):
    """A public key in a path, or a level of bots."""

    regex = PLAYER
    form = (
        "a player is a public key, 64 digits of lower-case hex, "
        "or bot: and a level of bots, such as bot:greedy"
    )


class Holder(PathPart):
    """The holder of a token in a path."""

    regex = HOLDER_FORM
    form = "the holder of a token is owner, spectator, invitation or seat:N, such as seat:0"


def install(app: Flask) -> None:
    """Let routes use the converters. Do not redirect paths with doubled slashes."""
    app.url_map.converters["id"] = MatchId
    app.url_map.converters["version"] = Version
    app.url_map.converters["number"] = SeatNumber
    app.url_map.converters["player"] = PlayerId
    app.url_map.converters["holder"] = Holder
    app.url_map.merge_slashes = False


# ---- one request at a time for each idempotency key -----------------------------------------

# Match, token and idempotency key. The same key with another match or token is locked separately.
Locked = tuple[str, str | None, str]

_lock = threading.Lock()
_at_work: set[Locked] = set()


def idempotency_lock(match_id: str, token: str | None, key: str) -> AbstractContextManager[None]:
    """Lock an idempotency key while its request is answered. The key "" locks nothing.

    Raises InProgress if another request of this process has locked the key.
    """
    return _held((match_id, token, key)) if key else nullcontext()


@contextmanager
def _held(locked: Locked) -> Iterator[None]:
    with _lock:
        if locked in _at_work:
            raise errors.InProgress(
                "the first request with this idempotency key is not answered yet"
            )
        _at_work.add(locked)
    try:
        yield
    finally:
        with _lock:
            _at_work.discard(locked)
