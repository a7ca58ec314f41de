"""What is kept of every request: a measure, the name of its span, one line of log."""

import logging
from time import perf_counter
from typing import Any

from flask import Response, current_app, g, request

from service import metrics, tracing
from service.api.contract.operations import operation_of

_log = logging.getLogger("giornale.request")

# Those who ask again and again whether all is well: not counted, and not logged while it is.
WATCHERS = frozenset({"health.live", "health.ready", "health.measures"})
# One look at a page asks for dozens of files, which cost next to nothing and are then kept by the
# browser. They neither use up what its reader may ask of the API nor fill the log.
STATIC = frozenset({"shells.static", "shells.icon"})
QUIET = WATCHERS | STATIC

_NO_OPERATION = "other"


def end(response: Response) -> None:
    """Measure, name and log the request that an answer is for; it began at `g.began`."""
    seconds = perf_counter() - g.began
    operation = _operation_name()

    tracing.name_request(operation)
    metrics.REQUESTS.labels(operation, response.status_code).observe(seconds)
    if "Idempotent-Replayed" in response.headers:
        metrics.REPEATS.inc()

    is_quiet = request.endpoint in QUIET and response.status_code < 400
    level = logging.DEBUG if is_quiet else logging.INFO
    if _log.isEnabledFor(level):
        _log.log(level, "request", extra=_log_line(response, operation, seconds))


def _operation_name() -> str:
    """Return how the contract calls what is asked for; _NO_OPERATION for a page, or nothing."""
    operation = operation_of(current_app.view_functions.get(request.endpoint or ""))
    return operation.name if operation else _NO_OPERATION


def _log_line(response: Response, operation: str, seconds: float) -> dict[str, Any]:
    """Return what is logged of a request: never its headers, its query or its body."""
    line: dict[str, Any] = {
        "request_id": g.request_id,
        "method": request.method,
        "operation": operation,
        "status": response.status_code,
        "ms": round(seconds * 1000, 2),
    }

    match = (request.view_args or {}).get("match")
    if match is not None:
        line["match"] = match
    if match is not None and operation != _NO_OPERATION:
        version, caller = _version_and_caller(response.headers.get("ETag", ""))
        line["version"] = version
        line["caller"] = caller
    return line


def _version_and_caller(etag: str) -> tuple[str | None, str | None]:
    """Return what the ETag of a match says: its version, and who sees it so."""
    version, *marks = etag.strip('"').split(";")
    caller = marks[0] if marks else None
    return version or None, caller
