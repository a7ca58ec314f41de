"""Access log: a metric and a log line for each request that the admission lets in."""

import logging
from collections.abc import Callable, Mapping
from functools import cache
from typing import NamedTuple

from prometheus_client import Histogram

from service.base import metrics

_LOGGER = "giornale.request"
_log = logging.getLogger(_LOGGER)

NO_OPERATION = "other"
# Words that compression writes into an ETag.
_CODINGS = {"zstd", "br", "gzip"}

Emit = Callable[[str, int, str, Mapping[str, object]], None]
"""emit(logger, level, message, details): how a line is logged."""


class Answered(NamedTuple):
    """The data of a request and its answer for the log.

    operation: the operation's name in the contract. NO_OPERATION without an operation.
    match: id of the match in the path, "" for none.   etag: ETag of the answer, "" for none.
    repeated: True if an earlier request with the same idempotency key got the same answer.
    quiet: True if the line has the level DEBUG, unless the status is 400 or more.
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
    """Log a line at once, by the module `logging`."""
    logging.getLogger(logger).log(level, message, extra=details)


class AccessLog:
    """The writer of log lines and metrics."""

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


@cache  # bounded by the number of operations and statuses
def _measure_of(operation: str, status: int) -> Histogram:
    """Return the histogram of an operation's answers with one status."""
    return metrics.REQUESTS.labels(operation, status)


def _details(answered: Answered) -> dict[str, object]:
    """Return the logged details, without the headers, the query and the body of the request."""
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
    """Return version and caller from the ETag of a match."""
    version, *marks = etag.strip('"').split(";")
    caller = marks[0] if marks and marks[0] not in _CODINGS else None
    return version or None, caller
