"""Is it alive, is it ready, how does it fare."""

from flask import Blueprint
from redis.exceptions import RedisError

from service.api.contract.operations import AnswerSpec, operation
from service.api.contract.parameters import Parameter
from service.api.health.checks import OK
from service.api.http.context import ctx, queues, services
from service.api.http.responses import Response, answer
from service.base import answers, metrics
from service.matches import automation
from service.store.journal.errors import JournalError

health = Blueprint("health", __name__)

PROMETHEUS = "text/plain"
_PROMETHEUS_VERSION = "text/plain; version=0.0.4; charset=utf-8"


def _flag(given: str) -> bool:
    if given not in ("", "true", "false"):
        raise ValueError("must be true, false or empty")
    return given != "false"


_FLAG = {"type": "string", "enum": ["", "true", "false"]}
VERBOSE = Parameter(
    "verbose",
    "Report every check, not only what is wrong.",
    _flag,
    _FLAG,
    default=False,
)
READING = Parameter(
    "reading",
    "Ask only whether matches can be read.",
    _flag,
    _FLAG,
    default=False,
)


@health.get("/livez")
@operation(
    "isAlive",
    "Is it alive?",
    tag="service",
    tokens="none",
    answers={200: AnswerSpec("It is.", answers.Live)},
)
def live() -> Response:
    """Answer that this process serves."""
    return answer({"status": OK})


@health.get("/readyz")
@operation(
    "isReady",
    "Is it ready?",
    tag="service",
    tokens="none",
    parameters=(VERBOSE, READING),
    answers={
        200: AnswerSpec("Matches can move on; or be read, if only that is asked.", answers.Ready),
        503: AnswerSpec("They cannot.", answers.Ready),
    },
)
def ready(verbose: bool, reading: bool) -> Response:
    """Answer whether matches can move on, and what is wrong if they cannot.

    The journal is writable and safe, the queues are there, and so are every kind of worker and the
    scheduler. What is merely slow is reported under `warnings`: taking the server out of service
    for it would make nothing better. A load balancer asks with `reading`, so that matches can be
    read while none can move on.
    """
    found = services().readable() if reading else services().readiness()
    faults = found.faults

    value: answers.Ready = {"status": "unready" if faults else "ok"}
    if verbose:
        value["checks"] = found.required | found.advisory
    elif faults:
        value["checks"] = faults
    if found.warnings:
        value["warnings"] = found.warnings
    return answer(value, 503 if faults else 200)


@health.get("/metrics")
@operation(
    "getMetrics",
    "How does it fare?",
    tag="service",
    tokens="none",
    answers={
        200: AnswerSpec("Measures as Prometheus reads them.", answers.Live, media=(PROMETHEUS,))
    },
)
def measures() -> Response:
    """Answer what is measured, over all web processes: latencies, conflicts,
    repeats, replays, what waits, streams.
    """
    _measure_waiting()
    exposition = metrics.exposition() + services().surroundings.exposition()
    return Response(exposition, content_type=_PROMETHEUS_VERSION)


def _measure_waiting() -> None:
    """Measure what waits; without the journal or the queues it stays as it was."""
    try:
        totals = automation.totals(ctx())
        metrics.PENDING.set(totals.waiting)
        metrics.PENDING_AGE.set(totals.longest_wait / 1000)
        metrics.PARKED.set(totals.parked)
        for name, depth in queues().depths().items():
            metrics.QUEUED.labels(name).set(depth)
    except (JournalError, RedisError):
        return
