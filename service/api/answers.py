"""JSON in and out at the edge: strict in, plain bytes out."""

import json
from typing import Any, NoReturn

import orjson
from flask import Response, current_app, request

from service.errors import Invalid, Place

JSON = "application/json"


def answer(value: Any, status: int = 200, headers: dict[str, str] | None = None, kind: str = JSON) -> Response:
    """Return a JSON answer."""
    response = Response(orjson.dumps(value), status, headers, mimetype=kind)
    response.headers.setdefault("Cache-Control", "private, no-cache")
    return response


def body() -> dict[str, Any]:
    """Return the request's body, a JSON object.

    Raises Invalid for what is no JSON (RFC 8259), says a name twice, nests too deeply, or holds NaN or a fraction.
    """
    if request.mimetype not in (JSON, ""):
        raise Invalid(Place("", f"must be sent as {JSON}, not {request.mimetype}"))
    try:
        value = json.loads(
            request.get_data(), object_pairs_hook=_once, parse_constant=_no_constant, parse_float=_no_fraction
        )
    except RecursionError:
        raise Invalid(Place("", "is nested too deeply")) from None
    except ValueError as error:
        raise Invalid(Place("", f"is not valid JSON: {error}")) from None
    if not isinstance(value, dict):
        raise Invalid(Place("", "must be a JSON object"))
    most = current_app.config["GIORNALE"].max_depth
    if _depth(value, most) > most:
        raise Invalid(Place("", f"is nested more than {most} deep"))
    return value


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the name {twice[:40]!r} stands twice in one object")
    return result


def _no_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is no JSON number")


def _no_fraction(text: str) -> NoReturn:
    raise ValueError(f"{text[:20]} is a fraction; all numbers here are whole")


def _depth(value: Any, room: int) -> int:
    if room < 0 or not isinstance(value, dict | list):
        return 0
    inner = value.values() if isinstance(value, dict) else value
    return 1 + max((_depth(one, room - 1) for one in inner), default=0)
