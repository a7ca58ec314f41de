"""Liveness, readiness and metrics over HTTP."""

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


def _flag(raw: str) -> bool:
    if raw not in ("", "true", "false"):
        raise ValueError("must be true, false or empty")
    return raw != "false"


_FLAG = {"type": "string", "enum": ["", "true", "false"]}
VERBOSE = Parameter(
    "verbose",
    "Report every check, not only the failed ones.",
    _flag,
    _FLAG,
    default=False,
)
READING = Parameter(
    "reading",
    "Check only if matches can be read.",
    _flag,
    _FLAG,
    default=False,
)


@health.get("/livez")
@operation(
    "isAlive",
    "Check the liveness",
    tag="service",
    tokens="none",
    answers={200: AnswerSpec("The process serves.", answers.Live)},
)
def live() -> Response:
    """Confirm that this process serves requests."""
    return answer({"status": OK})


@health.get("/readyz")
@operation(
    "isReady",
    "Check the readiness",
    tag="service",
    tokens="none",
    parameters=(VERBOSE, READING),
    answers={
        200: AnswerSpec("Matches can move on, or with `reading` be read.", answers.Ready),
        503: AnswerSpec("Matches cannot move on, or with `reading` be read.", answers.Ready),
    },
)
def ready(verbose: bool, reading: bool) -> Response:
    """Report if matches can move on, and the faults if they cannot.

    The journal must be writable and safe. The queues, every kind of worker and the scheduler must
    be there. Other faults are reported under `warnings`: taking the server out of service would not
    help. A load balancer asks with `reading`, so that matches can be read while no match can move
    on.
    """
    readiness = services().readable() if reading else services().readiness()
    faults = readiness.faults

    value: answers.Ready = {"status": "unready" if faults else "ok"}
    if verbose:
        value["checks"] = readiness.required | readiness.advisory
    elif faults:
        value["checks"] = faults
    if readiness.warnings:
        value["warnings"] = readiness.warnings
    return answer(value, 503 if faults else 200)


@health.get("/metrics")
@operation(
    "getMetrics",
    "Read the metrics",
    tag="service",
    tokens="none",
    answers={
        200: AnswerSpec(
            "Metrics in the text format of Prometheus.", answers.Live, media=(PROMETHEUS,)
        )
    },
)
def measures() -> Response:
    """Return the metrics of the service.

    The metrics cover the web processes, the workers, the journal, the queues, the log and the disk.
    """
    _measure_waiting()
    exposition = metrics.exposition() + services().surroundings.exposition()
    return Response(exposition, content_type=_PROMETHEUS_VERSION)


def _measure_waiting() -> None:
    """Set the gauges of waiting work.

    Without the journal all gauges keep their values. Without the queues only the numbers of queued
    jobs keep their values.
    """
    try:
        totals = automation.totals(ctx())
        metrics.PENDING.set(totals.waiting)
        metrics.PENDING_AGE.set(totals.longest_wait / 1000)
        metrics.PARKED.set(totals.parked)
        for name, depth in queues().depths().items():
            metrics.QUEUED.labels(name).set(depth)
    except (JournalError, RedisError):
        return
