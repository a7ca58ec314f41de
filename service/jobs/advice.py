"""Advice as jobs. What was advised is kept beside the queues, for the seat's last question alone.

It tells of the seat's cards: whoever hands it out must know that the seat's holder asks.
"""

from typing import cast

import orjson

from service.errors import Overloaded
from service.jobs.queues import ADVICE, Queues
from service.ledger.canonical import Json

KEEP_SECONDS = 600
MOST_WAITING = 20  # jobs
RETRY_SECONDS = 5


def ask(queues: Queues, match_id: str, version: int, seat: int) -> None:
    """Have a bot think for a seat at a version, unless it is asked for that already.

    Raises RedisError, and Overloaded if too many wait for advice.
    """
    job_id = f"advice-{match_id}-{seat}-{version}"
    is_new = queues.arguments_of(ADVICE, job_id) is None

    if is_new and queues.depth(ADVICE) >= MOST_WAITING:
        reason = f"{MOST_WAITING} players wait for advice already"
        raise Overloaded(f"{reason}; ask again later", RETRY_SECONDS)

    queues.enqueue(ADVICE, job_id, match_id, version, seat)


def note(queues: Queues, match_id: str, seat: int, commit_hash: str, advice: Json) -> None:
    """Keep what a seat was advised after the commit with a hash, in place of all before.

    Raises RedisError.
    """
    content = orjson.dumps({"hash": commit_hash, "advice": advice})
    queues.redis.set(_key(match_id, seat), content, ex=KEEP_SECONDS)


def known(queues: Queues, match_id: str, seat: int, commit_hash: str) -> Json | None:
    """Return what a seat was advised after the commit with a hash, None if nothing is kept.

    Raises RedisError.
    """
    content = cast("bytes | None", queues.redis.get(_key(match_id, seat)))
    if not content:
        return None

    noted: Json = orjson.loads(content)
    advice: Json = noted["advice"]
    return advice if noted["hash"] == commit_hash else None


def _key(match_id: str, seat: int) -> str:
    return f"giornale:advice:{match_id}:{seat}"
