"""What is read of a request: body, form of answer, path; and its key, which is held meanwhile."""

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
from service.api.http.responses import HTML, JSON
from service.base import errors
from service.record.commit import MATCH_ID
from service.record.ratings import PLAYER

# A record has about a quarter of one MiB.
MOST_BYTES = 4 * 1024 * 1024
_CHUNKED = "HTTP_TRANSFER_ENCODING"  # is there for a body in chunks, whose end says how long it is
_CHUNK_BYTES = 64 * 1024

_PLAIN = ("", "identity")  # what Content-Encoding says of a body that is sent as it is


class BodyTooLarge(Exception):
    """A body has more than so many bytes."""

    def __init__(self, most: int) -> None:
        super().__init__(f"at most {most} bytes are taken")
        self.most = most


def body(environ: Environ) -> dict[str, object]:
    """Return a request's body, a JSON object.

    Raises Malformed for what is no JSON (RFC 8259) in UTF-8, says a name twice, nests too deeply,
    or holds NaN; Invalid for what is no object or holds a string or number that cannot be kept;
    UnsupportedMedia for another media type, or a coding; BodyTooLarge.
    """
    value = json_object(body_bytes(environ))
    check_values(value, config().max_depth)
    return value


def body_bytes(environ: Environ) -> bytes:
    """Return the bytes of a body of JSON; raises UnsupportedMedia, BodyTooLarge."""
    demand(environ, JSON)
    return b"".join(_pieces(environ, config().max_body))


def json_object(body_bytes: bytes) -> dict[str, object]:
    """Return the object that a body holds, its values unchecked; raises Malformed, Invalid."""
    value = _parsed(body_bytes)
    if not isinstance(value, dict):
        raise errors.Invalid(errors.Mistake("", "must be a JSON object"))
    return value


def check_values(value: dict[str, object], depth: int) -> None:
    """Refuse text and numbers that no commit could keep, and nesting beyond a depth.

    Raises Malformed, Invalid.
    """
    _check(value, (), depth)


def lines(environ: Environ, kind: str) -> Iterator[bytes]:
    """Return the lines of a long body as they come, so that what is refused was never held.

    Line feeds are included. Raises UnsupportedMedia for another media type than `kind` and, at the
    latest when too much has come, BodyTooLarge.
    """
    demand(environ, kind)
    return _lines(_pieces(environ, MOST_BYTES))


def no_body(environ: Environ) -> None:
    """Refuse a body where none is needed that `demand` would refuse; raises UnsupportedMedia."""
    if _length(environ) or _CHUNKED in environ:
        demand(environ, JSON)


def demand(environ: Environ, kind: str) -> None:
    """Raise UnsupportedMedia for a body that is not sent as a media type, or not as it is.

    Pages of any site can post a body of no type, or of a form's; before it sends JSON for a page,
    a browser asks us (CORS). What is taken instead is said as RFC 9110, 15.5.16 demands.
    """
    if environ.get("CONTENT_TYPE") != kind and request.mimetype != kind:
        given = errors.echoed(request.mimetype) or "without a Content-Type"
        detail = f"the body must be sent as {kind}, not {given}"
        raise errors.UnsupportedMedia(detail, header="Accept-Post", taken=kind)

    coding = environ.get("HTTP_CONTENT_ENCODING", "")
    if coding.lower() not in _PLAIN:
        detail = (
            f"the body must be sent as it is, not with Content-Encoding {errors.echoed(coding)}"
        )
        raise errors.UnsupportedMedia(detail, header="Accept-Encoding", taken="identity")


def _pieces(environ: Environ, most: int) -> Iterator[bytes]:
    """Yield a request's body as it comes, until all is there that was promised.

    Raises BodyTooLarge, and ClientDisconnected when the sender goes away before.
    """
    is_chunked = _CHUNKED in environ
    left = most + 1 if is_chunked else _length(environ)
    if left > most and not is_chunked:
        raise BodyTooLarge(most)

    source = environ["wsgi.input"]
    while left:
        piece: bytes = source.read(min(left, _CHUNK_BYTES))
        if not piece and is_chunked:
            return
        if not piece:
            raise ClientDisconnected
        left -= len(piece)
        yield piece
    if is_chunked:
        raise BodyTooLarge(most)


def _length(environ: Environ) -> int:
    """Return how many bytes a request's body has, 0 if it does not say so."""
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
_MOST_DIGITS = 40  # of a number; it is refused unread beyond that
_SURROGATE = re.compile("[\ud800-\udfff]")
_NESTING = (dict, list)

Path = tuple[str | int, ...]


def _parsed(body_bytes: bytes) -> object:
    """Return what a body says as JSON; raises Malformed."""
    try:
        return _STRICT.decode(body_bytes.decode())
    except RecursionError:
        raise errors.Malformed("the body is nested too deeply") from None
    except UnicodeDecodeError as error:
        raise errors.Malformed(f"the body is not UTF-8: byte {error.start} is wrong") from None
    except ValueError as error:
        raise errors.Malformed(f"the body is not valid JSON: {error}") from None


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return an object of names and values; raises ValueError if a name stands there twice."""
    members = dict(pairs)
    if len(members) == len(pairs):
        return members

    seen = set()
    for name, _ in pairs:
        if name in seen:
            raise ValueError(f"the name {errors.echoed(ascii(name))} stands twice in one object")
        seen.add(name)
    return members


def _no_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is no JSON number")


def _number(text: str) -> int | float:
    """Return a whole number for 60.0 and 6e1, too: an `integer` of JSON Schema may be written so.

    Any other number becomes a float. `_check` refuses all floats with their place.
    """
    if len(text) > _MOST_DIGITS:
        return math.inf
    try:
        number = Decimal(text)
    except InvalidOperation:  # its exponent is beyond all bounds
        return math.inf
    # Before `int`, which would write out all digits of 1e999999.
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
    """Refuse what is nested more than `room` deep, and text and numbers that no commit could keep.

    path: where the value stands in the body. Raises Malformed, Invalid.
    """
    if room == 0:
        raise errors.Malformed(
            f"the body is nested more than {len(path)} deep at {errors.pointer(path)}"
        )

    steps = value.items() if isinstance(value, dict) else enumerate(value)
    for step, inner in steps:
        if isinstance(step, str) and _SURROGATE.search(step):
            wrong = "has a name with a lone surrogate, which is no Unicode text"
            raise errors.Invalid(errors.Mistake(errors.pointer(path), wrong))
        if isinstance(inner, _NESTING):
            _check(inner, (*path, step), room - 1)
            continue

        wrong = ""
        if isinstance(inner, str) and _SURROGATE.search(inner):
            wrong = "holds a lone surrogate, which is no Unicode text"
        elif isinstance(inner, float) or (type(inner) is int and abs(inner) > _BIGGEST):
            wrong = f"must be a whole number from -{_BIGGEST} to {_BIGGEST}"
        if wrong:
            raise errors.Invalid(errors.Mistake(errors.pointer((*path, step)), wrong))


# ---- the form of the answer: what the header Accept says (RFC 9110) -------------------------


def accepted(*media_types: str) -> str:
    """Return the media type that the request likes best, the first of equals.

    Raises NotAcceptable if it likes none.
    """
    if "Accept" not in request.headers:
        return media_types[0]
    best = request.accept_mimetypes.best_match(media_types)
    if best is None:
        raise errors.NotAcceptable(f"this comes as {' or '.join(media_types)}")
    return best


def prefers_a_page() -> bool:
    """Return whether the request likes HTML better than JSON, as browsers do of an address.

    Programs say that they take anything, or say nothing: they get JSON. So does every request with
    a token, which no browser sends of an address: some libraries ask for HTML by default.
    """
    if "Accept" not in request.headers or "Authorization" in request.headers:
        return False
    wanted = request.accept_mimetypes
    return wanted.quality(HTML) > wanted.quality(JSON)


# ---- parts of a path: <id:match>, <version:number>, <number:seat>, <player:player> ----------


class MatchId(BaseConverter):
    """The id of a match in a path; anything else is no match."""

    regex = MATCH_ID


class Version(BaseConverter):
    """The number of a commit in a path, in the one way of writing it."""

    regex = "0|[1-9][0-9]{0,15}"

    def to_python(self, value: str) -> int:
        """Return the number."""
        return int(value)


class SeatNumber(BaseConverter):
    """The number of a seat in a path."""

    regex = SEAT_NUMBER

    def to_python(self, value: str) -> int:
        """Return the number."""
        return int(value)


class PlayerId(BaseConverter):
    """A public key in a path, or a level of bots; anything else is no player."""

    regex = PLAYER


def install(app: Flask) -> None:
    """Let routes use the converters; a path with doubled slashes is not redirected to another."""
    app.url_map.converters["id"] = MatchId
    app.url_map.converters["version"] = Version
    app.url_map.converters["number"] = SeatNumber
    app.url_map.converters["player"] = PlayerId
    app.url_map.merge_slashes = False


# ---- one request at a time for each idempotency key -----------------------------------------

# Match, token and key: the same key of another match or token is another key.
Locked = tuple[str, str | None, str]

_lock = threading.Lock()
_at_work: set[Locked] = set()


def idempotency_lock(match_id: str, token: str | None, key: str) -> AbstractContextManager[None]:
    """Hold a key while its request is answered; raises InProgress if another request holds it.

    "" is no key.
    """
    return _held((match_id, token, key)) if key else nullcontext()


@contextmanager
def _held(locked: Locked) -> Iterator[None]:
    with _lock:
        if locked in _at_work:
            raise errors.InProgress("the first request with this idempotency key has no answer yet")
        _at_work.add(locked)
    try:
        yield
    finally:
        with _lock:
            _at_work.discard(locked)
