"""Jobs that people ask for, each done once, and their results.

Results are kept beside the queues for a while, sealed, since they may name hidden cards.
"""

from typing import NamedTuple

from service.base.errors import Overloaded
from service.record.commit import Json
from service.store.jobs.queues import Queues, unless_wrong_type

KEEP_SECONDS = 600


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
