"""Is it alive, is it ready."""

from flask import Blueprint, Response, current_app
from redis.exceptions import RedisError

from service.api.answers import answer
from service.api.context import desk
from service.jobs import Queues
from service.journal.port import JournalError

health = Blueprint("health", __name__)


@health.get("/livez")
def live() -> Response:
    """Answer that this process serves."""
    return answer({"status": "ok"})


@health.get("/readyz")
def ready() -> Response:
    """Answer whether matches can move on: journal writable and safe, every kind of worker alive."""
    checks = {"journal": _journal(), **_workers(), "pending": _pending()}
    well = all(check == "ok" for check in checks.values())
    return answer({"status": "ok" if well else "unready", "checks": checks}, 200 if well else 503)


def _journal() -> str:
    try:
        desk().journal.ping()
        return "; ".join(desk().journal.check()) or "ok"
    except JournalError as error:
        return str(error)


def _workers() -> dict[str, str]:
    queues: Queues = current_app.extensions["queues"]
    try:
        alive = queues.workers()
        keeper = queues.keeper()
    except RedisError:
        return {"queues": "the queues cannot be reached"}
    checks = {f"worker_{name}": "ok" if names else f"no {name} worker runs" for name, names in alive.items()}
    return {"queues": "ok", **checks, "keeper": "ok" if keeper else "no keeper runs"}


def _pending() -> str:
    try:
        oldest = desk().journal.pending(desk().clock(), 1)
    except JournalError:
        return "unknown"
    age = desk().clock() - oldest[0].since if oldest else 0
    return "ok" if age < 10_000 else f"a match has waited for the house or a bot for {age // 1000} s"
