"""Jobs that people ask for, each done once, and their results.

Results are kept beside the queues for a while, sealed, since they may name hidden cards.
"""

from typing import NamedTuple

from service.base import answers
from service.base.errors import Overloaded
from service.record.commit import Json
from service.store.jobs.queues import Queues, unless_wrong_type
from service.store.jobs.table import AUDITS

KEEP_SECONDS = 600

MOST_AUDITS_WAITING = 100  # jobs
AUDIT_RETRY_SECONDS = 10


class Limit(NamedTuple):
    """How many jobs of a queue may wait.

    waiting: what an error says of so many, such as "players wait for advice".
    retry_seconds: after how long to ask again then.
    """

    most: int
    waiting: str
    retry_seconds: int


def ask_once(queues: Queues, limit: Limit, queue: str, job_id: str, *arguments: str | int) -> None:
    """Put a job into a queue, unless one of its id waits or is at work.

    arguments: of the queue's function.   Raises RedisError, and Overloaded if too many wait.
    """
    if queues.is_at_hand(queue, job_id):
        return

    if queues.depth(queue) >= limit.most:
        reason = f"{limit.most} {limit.waiting} already"
        raise Overloaded(f"{reason}; ask again later", limit.retry_seconds)
    queues.put(queue, job_id, *arguments)


def keep(queues: Queues, key: str, value: Json) -> None:
    """Keep a value under a key for KEEP_SECONDS; raises RedisError."""
    with queues.pipeline(transaction=False) as pipeline:
        pipeline.set(key, queues.seal.close(key, value), ex=KEEP_SECONDS)
        pipeline.execute()


def kept(queues: Queues, key: str) -> Json | None:
    """Return what this service has kept under a key, None if it has not; raises RedisError."""
    with queues.pipeline(transaction=False) as pipeline:
        pipeline.get(key)
        [content] = unless_wrong_type(pipeline.execute, [None])
    return queues.seal.open(key, content) if isinstance(content, bytes) else None


# ---- audits ------------------------------------------------------------------------------------


def ask_audit(queues: Queues, match_id: str, version: int) -> None:
    """Have a match audited up to a version, unless an audit of the match waits or is at work.

    Raises RedisError, and Overloaded if too many matches wait to be audited.
    """
    limit = Limit(MOST_AUDITS_WAITING, "matches wait to be audited", AUDIT_RETRY_SECONDS)
    ask_once(queues, limit, AUDITS, _audit_job_id(match_id), match_id, version)


def audit_under_way(queues: Queues, match_id: str, version: int) -> bool:
    """Return whether the audit of a match up to a version waits or is at work.

    Raises RedisError.
    """
    return queues.arguments_of(AUDITS, _audit_job_id(match_id)) == [match_id, version]


def keep_audit(
    queues: Queues,
    match_id: str,
    version: int,
    done: int,
    report: answers.Report | None = None,
) -> None:
    """Note how many commits were checked and, at the end, the report; raises RedisError."""
    keep(queues, _audit_key(match_id, version), {"done": done, "report": report})


def known_audit(queues: Queues, match_id: str, version: int) -> Json:
    """Return what was noted last: `done`, and `report`, which is None until the end.

    Raises RedisError.
    """
    return kept(queues, _audit_key(match_id, version)) or {"done": 0, "report": None}


def _audit_job_id(match_id: str) -> str:
    """Return the id of a match's audit: one at a time, whatever the version."""
    return f"audit-{match_id}"


def _audit_key(match_id: str, version: int) -> str:
    return f"giornale:sealed:audit:{match_id}:{version}"
