"""The queues of RQ. The journal holds the truth: the keeper wakes again what is lost here."""

import logging

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry as Reconnect
from rq import Queue, Retry
from rq.command import PUBSUB_CHANNEL_TEMPLATE
from rq.exceptions import DeserializationError, DuplicateJobError
from rq.job import Job
from rq.serializers import JSONSerializer
from rq.worker_registration import get_keys

from service import tracing

_log = logging.getLogger(__name__)

SCORING = "scoring"
BOTS = "bots"
EXHIBITIONS = "exhibitions"  # matches in which only bots sit
AUDITS = "audits"

# The queue of each work that a match can wait for.
QUEUES = {"house": SCORING, "bots": BOTS, "exhibition": EXHIBITIONS}

# The function that a job of each queue calls, by its dotted path.
FUNCTIONS = {
    SCORING: "workers.scoring.act",
    BOTS: "workers.bots.play",
    EXHIBITIONS: "workers.bots.play",
    AUDITS: "workers.audits.run",
}

TIMEOUT = 20  # seconds that a job may take; the house or a bot needs a fraction of one
FAILURE_TTL = 2  # seconds that a failed job blocks its own wake: the pause before the next try

# Keys beside those of RQ.
KEEPER = "giornale:keeper"  # the name of the keeper at work
KEEPER_TTL = 5  # seconds
FAILURES = "giornale:failed"  # a hash: how many jobs of each queue have failed


class Queues:
    """The queues of one Redis database; safe to share between threads."""

    def __init__(self, url: str) -> None:
        self.redis = Redis.from_url(
            url,
            socket_connect_timeout=1,
            socket_timeout=2,
            retry=Reconnect(NoBackoff(), 1),
            protocol=2,
        )
        self.queues = {name: open_queue(name, self.redis) for name in FUNCTIONS}

    def wake(self, match_id: str, version: int, work: str) -> None:
        """Have a worker do a match's work: "house", "bots" or "exhibition".

        The same wake twice is one job. Never raises for a queue that is down: the match stays
        pending and the keeper wakes it later.
        """
        job_id = f"{work}-{match_id}-{version}"

        try:
            self.enqueue(QUEUES[work], job_id, match_id)
        except RedisError as error:
            details = {"job": job_id, "error": type(error).__name__}
            _log.warning("the queue is down", extra=details)

    def enqueue(self, name: str, job_id: str, *arguments: str | int) -> None:
        """Put a job into a queue, unless a job of this id waits or is at work.

        Raises RedisError.
        """
        try:
            self.queues[name].enqueue(
                FUNCTIONS[name],
                *arguments,
                job_id=job_id,
                unique=True,
                description=job_id,
                result_ttl=0,
                failure_ttl=FAILURE_TTL,
                retry=Retry(max=1),
                meta=tracing.job_meta(),
            )
        except DuplicateJobError:
            _log.debug("already asked", extra={"job": job_id})

    def arguments_of(self, name: str, job_id: str) -> list[str | int] | None:
        """Return the arguments of a job that waits or is at work, None if there is none.

        Raises RedisError.
        """
        try:
            job = self.queues[name].fetch_job(job_id)
            return None if job is None else list(job.args)
        except (DeserializationError, ValueError, TypeError, LookupError):
            # Somebody else has put it there.
            return None

    def depth(self, name: str) -> int:
        """Return how many jobs wait in a queue; raises RedisError."""
        return self.queues[name].count

    def depths(self) -> dict[str, int]:
        """Return how many jobs wait in each queue; raises RedisError."""
        return {name: queue.count for name, queue in self.queues.items()}

    def workers(self) -> dict[str, list[str]]:
        """Return the names of each queue's living workers; raises RedisError.

        A worker listens to a channel of its own, and Redis forgets the listener as soon as its
        process dies. Heartbeats would tell so only minutes later.
        """
        return {name: self._living_workers(queue) for name, queue in self.queues.items()}

    def _living_workers(self, queue: Queue) -> list[str]:
        """Return the names of the workers that are registered for a queue and listen."""
        registered = sorted(key.rpartition(":")[2] for key in get_keys(queue))
        if not registered:
            return []

        channels = [PUBSUB_CHANNEL_TEMPLATE % name for name in registered]
        listeners = self.redis.pubsub_numsub(*channels)  # a pair of channel and count for each
        return [
            name for name, (_channel, count) in zip(registered, listeners, strict=True) if count > 0
        ]

    def failures(self) -> dict[str, int]:
        """Return how many jobs of each queue have failed since the queues' Redis was emptied.

        Raises RedisError.
        """
        names = list(FUNCTIONS)
        counts = self.redis.hmget(FAILURES, names)
        return {name: int(count or 0) for name, count in zip(names, counts, strict=True)}

    def keeper_beat(self, name: str) -> None:
        """Note that the keeper of this name is at work; raises RedisError."""
        self.redis.set(KEEPER, name, ex=KEEPER_TTL)

    def keeper(self) -> str | None:
        """Return the name of the keeper that was at work in the last KEEPER_TTL seconds.

        Raises RedisError.
        """
        name = self.redis.get(KEEPER)
        return name.decode() if isinstance(name, bytes) else None

    def ping(self) -> None:
        """Raise RedisError if the queues cannot be reached."""
        self.redis.ping()


def open_queue(name: str, connection: Redis, job_class: type[Job] = Job) -> Queue:
    """Return one queue; arguments travel as JSON, never as pickle."""
    return Queue(
        name,
        connection=connection,
        serializer=JSONSerializer,
        default_timeout=TIMEOUT,
        job_class=job_class,
    )
