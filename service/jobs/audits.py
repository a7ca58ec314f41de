"""Audits as jobs. What is known of an audit is kept beside the queues for KEEP_SECONDS."""

from typing import cast

import orjson

from service.errors import Overloaded
from service.jobs.queues import AUDITS, Queues
from service.ledger.canonical import Json

KEEP_SECONDS = 600
MOST_WAITING = 100  # jobs
RETRY_SECONDS = 10


def ask(queues: Queues, match_id: str, version: int) -> None:
    """Have a match audited up to a version, unless an audit of the match waits or is at work.

    Raises RedisError, and Overloaded if too many matches wait to be audited.
    """
    job_id = _job_id(match_id)
    is_new = queues.arguments_of(AUDITS, job_id) is None

    if is_new and queues.depth(AUDITS) >= MOST_WAITING:
        reason = f"{MOST_WAITING} matches wait to be audited already"
        raise Overloaded(f"{reason}; ask again later", RETRY_SECONDS)

    queues.enqueue(AUDITS, job_id, match_id, version)


def under_way(queues: Queues, match_id: str, version: int) -> bool:
    """Return whether the audit of a match up to a version waits or is at work.

    Raises RedisError.
    """
    return queues.arguments_of(AUDITS, _job_id(match_id)) == [match_id, version]


def note(
    queues: Queues, match_id: str, version: int, done: int, report: Json | None = None
) -> None:
    """Note how many commits were checked and, at the end, the report; raises RedisError."""
    content = orjson.dumps({"done": done, "report": report})
    queues.redis.set(_key(match_id, version), content, ex=KEEP_SECONDS)


def known(queues: Queues, match_id: str, version: int) -> Json:
    """Return what was noted last: `done`, and `report`, which is None until the end.

    Raises RedisError.
    """
    content = cast("bytes | None", queues.redis.get(_key(match_id, version)))
    if not content:
        return {"done": 0, "report": None}

    noted: Json = orjson.loads(content)
    return noted


def _job_id(match_id: str) -> str:
    """Return the id of a match's audit: one at a time, whatever the version."""
    return f"audit-{match_id}"


def _key(match_id: str, version: int) -> str:
    return f"giornale:audit:{match_id}:{version}"
