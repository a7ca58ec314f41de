"""JSON in and out at the edge: strict in, plain bytes out."""

import json
from typing import Any, NoReturn

import orjson
from flask import Response, request
from werkzeug.exceptions import RequestEntityTooLarge

from service.api.http.context import config
from service.errors import Invalid, Malformed, Place, UnsupportedMedia, echoed, pointer

JSON = "application/json"
_BIGGEST = 2**53 - 1


def answer(
    value: Any, status: int = 200, headers: dict[str, str] | None = None, kind: str = JSON
) -> Response:
    """Return a JSON answer; its names are in order, so that what is told twice is told alike."""
    told = {"Content-Type": kind, "Cache-Control": "private, no-cache", **(headers or {})}
    return Response(orjson.dumps(value, option=orjson.OPT_SORT_KEYS), status, told)


def body() -> dict[str, Any]:
    """Return the request's body, a JSON object.

    Raises Malformed for what is no JSON (RFC 8259) in UTF-8, says a name twice, nests too deeply, or holds NaN or a
    fraction; Invalid for what is no object or holds a string or number that cannot be kept; UnsupportedMedia.
    """
    demand(JSON)
    value = _parsed(_data())
    if not isinstance(value, dict):
        raise Invalid(Place("", "must be a JSON object"))
    _check(value, (), config().max_depth)
    return value


def no_body() -> None:
    """Refuse a body of another media type where none is needed; raises UnsupportedMedia."""
    if request.content_length or "Transfer-Encoding" in request.headers:
        demand(JSON)


def demand(kind: str) -> None:
    """Raise UnsupportedMedia for a body that is not sent as a media type.

    Pages of any site can post a body of no type, or of a form's; to send JSON a browser asks us first (CORS).
    """
    if request.mimetype != kind:
        given = echoed(request.mimetype) or "without a Content-Type"
        raise UnsupportedMedia(f"the body must be sent as {kind}, not {given}")


def _data() -> bytes:
    """Return the request's body; one sent in chunks is only known to be too long when it has filled all the room."""
    data = request.get_data()
    if request.content_length is None and len(data) >= (request.max_content_length or 0):
        raise RequestEntityTooLarge
    return data


def _parsed(data: bytes) -> Any:
    try:
        return json.loads(
            data.decode(), object_pairs_hook=_once, parse_constant=_no_constant, parse_float=_no_fraction,
            parse_int=_whole,
        )  # fmt: skip
    except RecursionError:
        raise Malformed("the body is nested too deeply") from None
    except UnicodeDecodeError as error:
        raise Malformed(f"the body is not UTF-8: byte {error.start} is wrong") from None
    except ValueError as error:
        raise Malformed(f"the body is not valid JSON: {error}") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) == len(pairs):
        return result

    seen = set()
    for name, _ in pairs:
        if name in seen:
            raise ValueError(f"the name {echoed(ascii(name))} stands twice in one object")
        seen.add(name)
    return result


def _no_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is no JSON number")


def _no_fraction(text: str) -> NoReturn:
    raise ValueError(f"{text[:20]} is a fraction; all numbers here are whole")


def _whole(text: str) -> int:
    if len(text) > 20:
        raise ValueError(f"{text[:20]}... is too large a number")
    return int(text)


def _check(value: Any, path: tuple[str | int, ...], room: int) -> None:
    """Refuse what is nested too deeply, and text and numbers that no commit could keep."""
    if isinstance(value, dict | list):
        if room == 0:
            raise Malformed(
                f"the body is nested more than {config().max_depth} deep at {pointer(path)}"
            )
        for step, inner in value.items() if isinstance(value, dict) else enumerate(value):
            if isinstance(step, str) and not _is_text(step):
                raise Invalid(
                    Place(
                        pointer(path), "has a name with a lone surrogate, which is no Unicode text"
                    )
                )
            _check(inner, (*path, step), room - 1)
    elif isinstance(value, str):
        if not _is_text(value):
            raise Invalid(Place(pointer(path), "holds a lone surrogate, which is no Unicode text"))
    elif type(value) is int and not -_BIGGEST <= value <= _BIGGEST:
        raise Invalid(
            Place(pointer(path), f"must be a whole number from -{_BIGGEST} to {_BIGGEST}")
        )


def _is_text(text: str) -> bool:
    return text.isascii() or not any("\ud800" <= char <= "\udfff" for char in text)
