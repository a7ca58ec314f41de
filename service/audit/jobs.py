"""Audits as jobs: asked for, under way, done; what is known of one lies for a while beside the queue."""

from typing import cast

import orjson

from service.jobs import AUDITS, Queues
from service.journal.codec import Json

KEEP_SECONDS = 600


def ask(queues: Queues, match: str, version: int) -> None:
    """Have a match audited up to a version, unless that is under way; raises RedisError."""
    queues.ask(AUDITS, f"audit-{match}-{version}", match, version)


def note(queues: Queues, match: str, version: int, done: int, report: Json | None = None) -> None:
    """Keep how many commits were checked and, at the end, the report; raises RedisError."""
    queues.redis.set(_key(match, version), orjson.dumps({"done": done, "report": report}), ex=KEEP_SECONDS)


def known(queues: Queues, match: str, version: int) -> Json:
    """Return what was noted last: `done` and `report`, None while there is none; raises RedisError."""
    data = cast("bytes | None", queues.redis.get(_key(match, version)))
    noted: Json = orjson.loads(data) if data else {"done": 0, "report": None}
    return noted


def _key(match: str, version: int) -> str:
    return f"giornale:audit:{match}:{version}"
