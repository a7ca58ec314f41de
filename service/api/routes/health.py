"""Is it alive, is it ready, how does it fare."""

from flask import Blueprint, Response, current_app
from redis.exceptions import RedisError

from service import metrics
from service.api.contract.operations import Answer, operation
from service.api.contract.parameters import Parameter
from service.api.http.answers import answer
from service.api.http.context import desk
from service.health.surroundings import Surroundings
from service.jobs.queues import QUEUES, Queues
from service.journal.port import JournalError
from service.matches import waiting

health = Blueprint("health", __name__)

PROMETHEUS = "text/plain"
_PATIENCE_MS = 10_000


def _verbose(given: str) -> bool:
    if given not in ("", "true", "false"):
        raise ValueError("must be true, false or empty")
    return given != "false"


VERBOSE = Parameter(
    "verbose",
    "Tell every check, not only what is wrong.",
    _verbose,
    {"type": "string", "enum": ["", "true", "false"]},
    default=False,
)


@health.get("/livez")
@operation(
    "isAlive", "Is it alive?", tag="service", tokens="none", answers={200: Answer("It is.", "Live")}
)
def live() -> Response:
    """Answer that this process serves."""
    return answer({"status": "ok"})


@health.get("/readyz")
@operation(
    "isReady", "Is it ready?", tag="service", tokens="none", parameters=(VERBOSE,),
    answers={200: Answer("Matches can move on.", "Ready"), 503: Answer("They cannot.", "Ready")},
)  # fmt: skip
def ready(verbose: bool) -> Response:
    """Answer whether matches can move on, and what is wrong if they cannot.

    The journal is writable and safe, the queues are there, and so are every kind of worker and the keeper. What is
    merely slow is told under `warnings`: that makes nothing better if the server is taken out of service for it.
    """
    checks = {"journal": _journal(), **_workers()}
    pending = _pending()
    broken = {name: check for name, check in checks.items() if check != "ok"}

    told: dict[str, object] = {"status": "unready" if broken else "ok"}
    if verbose:
        told["checks"] = {**checks, "pending": pending}
    elif broken:
        told["checks"] = broken
    if pending != "ok":
        told["warnings"] = {"pending": pending}
    return answer(told, 503 if broken else 200)


@health.get("/metrics")
@operation(
    "getMetrics", "How does it fare?", tag="service", tokens="none",
    answers={200: Answer("Measures as Prometheus reads them.", "Live", media=(PROMETHEUS,))},
)  # fmt: skip
def measures() -> Response:
    """Answer what is measured, over all web processes: latencies, conflicts, repeats, replays, what waits, streams."""
    _measure_waiting()
    surroundings: Surroundings = current_app.extensions["surroundings"]
    return Response(
        metrics.exposition() + surroundings.exposition(),
        content_type="text/plain; version=0.0.4; charset=utf-8",
    )


def _measure_waiting() -> None:
    try:
        metrics.PENDING.set(waiting.count_waiting(desk()))
        metrics.PENDING_AGE.set(waiting.longest_wait(desk()) / 1000)
        queues: Queues = current_app.extensions["queues"]
        for name, depth in queues.depths().items():
            metrics.QUEUED.labels(name).set(depth)
    except (JournalError, RedisError):
        return


def _journal() -> str:
    try:
        return "; ".join(waiting.journal_faults(desk())) or "ok"
    except JournalError:
        return "the journal cannot be written"


def _workers() -> dict[str, str]:
    queues: Queues = current_app.extensions["queues"]
    try:
        alive = queues.workers()
        keeper = queues.keeper()
    except RedisError:
        return {"queues": "the queues cannot be reached"}
    checks = {
        f"worker_{name}": "ok" if alive[name] else f"no {name} worker runs"
        for name in QUEUES.values()
    }
    return {"queues": "ok", **checks, "keeper": "ok" if keeper else "no keeper runs"}


def _pending() -> str:
    try:
        age = waiting.longest_wait(desk())
    except JournalError:
        return "unknown"
    return (
        "ok"
        if age < _PATIENCE_MS
        else f"a match has waited for the house or a bot for {age // 1000} s"
    )
