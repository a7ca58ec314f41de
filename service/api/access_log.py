"""What is kept of every request: a measure, the name of its span, one line of log."""

import logging
from collections.abc import Callable, Mapping
from functools import cache
from time import perf_counter
from typing import Any, NamedTuple

from prometheus_client import Histogram

from service import metrics, tracing
from service.api.http.rate_limits import Visit

_LOGGER = "giornale.request"
_log = logging.getLogger(_LOGGER)

Say = Callable[[str, int, str, Mapping[str, Any]], None]
"""say(logger, level, message, details): how the line of a request is logged."""

# Those who ask again and again whether all is well: not counted, and not logged while it is.
WATCHERS = frozenset({"health.live", "health.ready", "health.measures"})
# One look at a page asks for dozens of files, which cost next to nothing and are then kept by the
# browser. They neither use up what its reader may ask of the API nor fill the log.
STATIC = frozenset({"shells.static", "shells.icon"})
QUIET = WATCHERS | STATIC

NO_OPERATION = "other"


class Answered(NamedTuple):
    """What is kept of an answer.

    operation: how the contract calls what was asked for; NO_OPERATION for a page, or nothing.
    match: the id in the path, None for none.   etag: "" for none.
    repeated: whether an earlier request with the same key was answered so.
    quiet: whether the request came to one of QUIET.
    """

    operation: str
    method: str
    status: int
    match: str | None = None
    etag: str = ""
    repeated: bool = False
    quiet: bool = False


def say_at_once(logger: str, level: int, message: str, details: Mapping[str, Any]) -> None:
    """Log a line as any other one."""
    logging.getLogger(logger).log(level, message, extra=details)


def note(visit: Visit, answered: Answered, say: Say) -> None:
    """Measure, name and log the request that an answer is for."""
    seconds = perf_counter() - visit.began

    tracing.name_request(answered.operation)
    _measure_of(answered.operation, answered.status).observe(seconds)
    if answered.repeated:
        metrics.REPEATS.inc()

    is_quiet = answered.quiet and answered.status < 400
    level = logging.DEBUG if is_quiet else logging.INFO
    if _log.isEnabledFor(level):
        say(_LOGGER, level, "request", _details(visit, answered, seconds))


@cache  # as many as there are operations and statuses
def _measure_of(operation: str, status: int) -> Histogram:
    """Return the measure of an operation's answers of a status."""
    return metrics.REQUESTS.labels(operation, status)


def _details(visit: Visit, answered: Answered, seconds: float) -> dict[str, Any]:
    """Return what is logged of a request: never its headers, its query or its body."""
    details: dict[str, Any] = {
        "request_id": visit.request_id,
        "method": answered.method,
        "operation": answered.operation,
        "status": answered.status,
        "ms": round(seconds * 1000, 2),
    }

    if answered.match is not None:
        details["match"] = answered.match
    if answered.match is not None and answered.operation != NO_OPERATION:
        version, caller = _version_and_caller(answered.etag)
        details["version"] = version
        details["caller"] = caller
    return details


def _version_and_caller(etag: str) -> tuple[str | None, str | None]:
    """Return what the ETag of a match says: its version, and who sees it so."""
    version, *marks = etag.strip('"').split(";")
    caller = marks[0] if marks else None
    return version or None, caller
