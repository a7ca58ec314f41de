"""Jobs on request, and their results.

Results are stored in the queues' Redis for KEEP_SECONDS. The results are sealed, because they may
name hidden cards.
"""

from typing import NamedTuple

from service.base.errors import Overloaded
from service.record.commit import Json
from service.store.jobs.queues import Queues, unless_wrong_type

KEEP_SECONDS = 600


class Limit(NamedTuple):
    """The limit of queued jobs of a queue.

    waiting: a text about the queued jobs for the error, such as "players wait for advice".
    retry_seconds: pause before the next request, for the error.
    """

    most: int
    waiting: str
    retry_seconds: int


def ask_once(queues: Queues, limit: Limit, queue: str, job_id: str, *arguments: str | int) -> None:
    """Put a job into a queue, unless it is queued, running or just failed. Note the request.

    arguments: of the queue's function.
    Raises RedisError, and Overloaded if too many jobs are queued.
    """
    if not queues.is_at_hand(queue, job_id):
        if queues.depth(queue) >= limit.most:
            reason = f"{limit.most} {limit.waiting} already"
            raise Overloaded(f"{reason}. Ask again later", limit.retry_seconds)
        queues.put(queue, job_id, *arguments)
    store_sealed(queues, _request_key(job_id), {"arguments": list(arguments)})


def last_request(queues: Queues, job_id: str) -> list[str | int] | None:
    """Return the arguments of the last request for a job. None: no request within KEEP_SECONDS.

    Prefer this to a look at the job: a job that a worker is just taking looks lost for a moment.
    Raises RedisError.
    """
    note = load_sealed(queues, _request_key(job_id))
    return None if note is None else list(note["arguments"])


def _request_key(job_id: str) -> str:
    return f"giornale:sealed:asked:{job_id}"


def store_sealed(queues: Queues, key: str, value: Json) -> None:
    """Store a sealed value under a key for KEEP_SECONDS. Raises RedisError."""
    with queues.pipeline(transaction=False) as pipeline:
        pipeline.set(key, queues.seal.close(key, value), ex=KEEP_SECONDS)
        pipeline.execute()


def load_sealed(queues: Queues, key: str) -> Json | None:
    """Return this service's value under a key, None without one. Raises RedisError."""
    with queues.pipeline(transaction=False) as pipeline:
        pipeline.get(key)
        [content] = unless_wrong_type(pipeline.execute, [None])
    return queues.seal.open(key, content) if isinstance(content, bytes) else None
