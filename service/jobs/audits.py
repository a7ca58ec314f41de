"""Audits as jobs: asked for, under way, done; what is known of one lies for a while beside the queue."""

from typing import cast

import orjson

from service.errors import Overloaded
from service.jobs.queues import AUDITS, Queues
from service.ledger.canonical import Json

KEEP_SECONDS = 600
MOST_WAITING = 100  # jobs
RETRY_SECONDS = 10


def ask(queues: Queues, match: str, version: int) -> None:
    """Have a match audited up to a version, unless an audit of the match is under way.

    Raises RedisError, and Overloaded if too many matches wait to be audited.
    """
    job_id = _job_id(match)
    if queues.asked(AUDITS, job_id) is None and queues.depth(AUDITS) >= MOST_WAITING:
        raise Overloaded(
            f"{MOST_WAITING} matches wait to be audited already; ask again later", RETRY_SECONDS
        )
    queues.ask(AUDITS, job_id, match, version)


def under_way(queues: Queues, match: str, version: int) -> bool:
    """Return whether the audit of a match up to a version waits or is at work; raises RedisError."""
    return queues.asked(AUDITS, _job_id(match)) == [match, version]


def note(queues: Queues, match: str, version: int, done: int, report: Json | None = None) -> None:
    """Keep how many commits were checked and, at the end, the report; raises RedisError."""
    queues.redis.set(
        _key(match, version), orjson.dumps({"done": done, "report": report}), ex=KEEP_SECONDS
    )


def known(queues: Queues, match: str, version: int) -> Json:
    """Return what was noted last: `done` and `report`, None while there is none; raises RedisError."""
    data = cast("bytes | None", queues.redis.get(_key(match, version)))
    noted: Json = orjson.loads(data) if data else {"done": 0, "report": None}
    return noted


def _job_id(match: str) -> str:
    """Return the id of a match's audit: one at a time, whatever the version."""
    return f"audit-{match}"


def _key(match: str, version: int) -> str:
    return f"giornale:audit:{match}:{version}"
