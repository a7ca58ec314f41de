"""Whether the queues are there, and workers and a keeper at them."""

from redis.exceptions import RedisError

from service.health.checks.subject import OK, Subject
from service.jobs.queues import QUEUES


def workers(subject: Subject) -> dict[str, str]:
    """Say what is wrong with the queues, with each kind of worker, and with the keeper."""
    try:
        alive = subject.queues.workers()
        keeper = subject.queues.keeper()
    except RedisError:
        return {"queues": "the queues cannot be reached"}

    found = {"queues": OK}
    for name in QUEUES.values():
        found[f"worker_{name}"] = OK if alive[name] else f"no {name} worker runs"
    found["keeper"] = OK if keeper else "no keeper runs"
    return found
