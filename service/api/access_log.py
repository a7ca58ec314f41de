"""Access log: of every request a measure, and one line of log."""

import logging
from collections.abc import Callable, Mapping
from functools import cache
from typing import NamedTuple

from prometheus_client import Histogram

from service.base import metrics

_LOGGER = "giornale.request"
_log = logging.getLogger(_LOGGER)

NO_OPERATION = "other"
# What compression writes into an ETag.
_CODING = "gzip"

Emit = Callable[[str, int, str, Mapping[str, object]], None]
"""emit(logger, level, message, details): how a line is logged."""


class Answered(NamedTuple):
    """What is kept of a request and its answer.

    operation: how the contract calls what was asked for; NO_OPERATION for a page, or nothing.
    match: the id in the path, "" for none.   etag: "" for none.
    repeated: whether an earlier request with the same key was answered so.
    quiet: whether the line is left out while all is well.
    """

    request_id: str
    seconds: float
    operation: str
    method: str
    status: int
    match: str
    etag: str
    repeated: bool
    quiet: bool


def emit_now(logger: str, level: int, message: str, details: Mapping[str, object]) -> None:
    """Log a line as any other one."""
    logging.getLogger(logger).log(level, message, extra=details)


class AccessLog:
    """Where every request leaves its line and its measure."""

    def __init__(self, emit: Emit = emit_now) -> None:
        self._emit = emit

    def write(self, answered: Answered) -> None:
        """Measure and log a request."""
        _measure_of(answered.operation, answered.status).observe(answered.seconds)
        if answered.repeated:
            metrics.REPEATS.inc()

        is_quiet = answered.quiet and answered.status < 400
        level = logging.DEBUG if is_quiet else logging.INFO
        if _log.isEnabledFor(level):
            self._emit(_LOGGER, level, "request", _details(answered))


@cache  # as many as there are operations and statuses
def _measure_of(operation: str, status: int) -> Histogram:
    """Return the measure of an operation's answers of a status."""
    return metrics.REQUESTS.labels(operation, status)


def _details(answered: Answered) -> dict[str, object]:
    """Return what is logged of a request: never its headers, its query or its body."""
    details: dict[str, object] = {
        "request_id": answered.request_id,
        "method": answered.method,
        "operation": answered.operation,
        "status": answered.status,
        "ms": round(answered.seconds * 1000, 2),
    }

    if answered.match:
        details["match"] = answered.match
    if answered.match and answered.operation != NO_OPERATION:
        version, caller = _version_and_caller(answered.etag)
        details["version"] = version
        details["caller"] = caller
    return details


def _version_and_caller(etag: str) -> tuple[str | None, str | None]:
    """Return what the ETag of a match says: its version, and who sees it so."""
    version, *marks = etag.strip('"').split(";")
    caller = marks[0] if marks and marks[0] != _CODING else None
    return version or None, caller
