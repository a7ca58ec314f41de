"""JSON answers."""

from collections.abc import Mapping
from typing import Any

import orjson
from flask import Response

JSON = "application/json"


def answer(
    value: Any,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    kind: str = JSON,
) -> Response:
    """Return a JSON answer; its names are sorted, so equal values give equal bytes.

    headers: they stand beside Content-Type and Cache-Control, or in their place.
    """
    all_headers = {"Content-Type": kind, "Cache-Control": "private, no-cache"}
    if headers:
        all_headers.update(headers)
    return Response(orjson.dumps(value, option=orjson.OPT_SORT_KEYS), status, all_headers)


def json_line(value: Any) -> bytes:
    """Return a value as a line of NDJSON; its names stay in the order in which they stand."""
    return orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE)


def nothing(status: int = 204) -> Response:
    """Return an answer without a body that nobody may keep."""
    return Response(status=status, headers={"Cache-Control": "no-store"})
