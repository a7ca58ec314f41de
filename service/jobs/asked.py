"""Jobs that somebody asks for: each is done once, and what came of it is kept beside the queues."""

from typing import NamedTuple, cast

import orjson

from service.errors import Overloaded
from service.jobs.queues import Queues
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
        pipeline.set(key, orjson.dumps(value), ex=KEEP_SECONDS)
        pipeline.execute()


def kept(queues: Queues, key: str) -> Json | None:
    """Return what is kept under a key, None if nothing is; raises RedisError."""
    with queues.pipeline(transaction=False) as pipeline:
        pipeline.get(key)
        [content] = cast("list[bytes | None]", pipeline.execute())
    if content is None:
        return None

    value: Json = orjson.loads(content)
    return value
