"""Jobs that somebody asks for: each is done once, and what came of it is kept beside the queues.

It is kept sealed, since it may tell of cards, and is told to whoever may ask.
"""

from typing import NamedTuple

from service.errors import Overloaded
from service.jobs.queues import Queues, unless_wrong_type
from service.ledger.canonical import Json

KEEP_SECONDS = 600


class Asked(NamedTuple):
    """A job that somebody asks for."""

    queue: str
    job_id: str
    arguments: tuple[str | int, ...]


class Limit(NamedTuple):
    """How many jobs of a queue may wait.

    waiting: what is said of so many, such as "players wait for advice".
    retry_seconds: after how long to ask again then.
    """

    most: int
    waiting: str
    retry_seconds: int


def ask_once(queues: Queues, asked: Asked, limit: Limit) -> None:
    """Put a job into its queue, unless one of its id waits or is at work.

    Raises RedisError, and Overloaded if too many wait.
    """
    if queues.arguments_of(asked.queue, asked.job_id) is not None:
        return

    if queues.depth(asked.queue) >= limit.most:
        reason = f"{limit.most} {limit.waiting} already"
        raise Overloaded(f"{reason}; ask again later", limit.retry_seconds)
    queues.enqueue(asked.queue, asked.job_id, *asked.arguments)


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
