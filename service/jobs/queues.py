"""The queues. RQ is the hands, the journal is the truth: what is lost here the keeper wakes again."""

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

SCORING = "scoring"
BOTS = "bots"
EXHIBITIONS = "exhibitions"  # matches in which only bots sit
AUDITS = "audits"
QUEUES = {"house": SCORING, "bots": BOTS, "exhibition": EXHIBITIONS}
FUNCTIONS = {
    SCORING: "workers.scoring.act",
    BOTS: "workers.bots.play",
    EXHIBITIONS: "workers.bots.play",
    AUDITS: "workers.audits.run",
}
TIMEOUT = 20  # seconds a job may take; a house or a bot needs a fraction of one
FAILURE_TTL = (
    2  # seconds a failed job blocks its own wake: the pause between tries at a match that fails
)
KEEPER = "giornale:keeper"
KEEPER_TTL = 5
FAILURES = "giornale:failed"  # a hash: how many jobs of each queue have failed

_log = logging.getLogger(__name__)


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
        self.queues = {name: queue(name, self.redis) for name in FUNCTIONS}

    def wake(self, match: str, version: int, work: str) -> None:
        """Ask a worker to act for the house ("house") or the bots ("bots", "exhibition"); the same wake is one job.

        Never raises for a queue that is down: the match stays pending and the keeper wakes it later.
        """
        job_id = f"{work}-{match}-{version}"
        try:
            self.ask(QUEUES[work], job_id, match)
        except RedisError as error:
            _log.warning("the queue is down", extra={"job": job_id, "error": type(error).__name__})

    def ask(self, name: str, job_id: str, *arguments: str | int) -> None:
        """Put a job into a queue, unless a job of this id is there or at work; raises RedisError."""
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
                meta=tracing.carried(),
            )
        except DuplicateJobError:
            _log.debug("already asked", extra={"job": job_id})

    def asked(self, name: str, job_id: str) -> list[str | int] | None:
        """Return the arguments of a job that waits or is at work, None if there is none; raises RedisError."""
        try:
            job = self.queues[name].fetch_job(job_id)
            return None if job is None else list(job.args)
        except (
            DeserializationError,
            ValueError,
            TypeError,
            LookupError,
        ):  # somebody else has put it there
            return None

    def depth(self, name: str) -> int:
        """Return how many jobs wait in a queue; raises RedisError."""
        return self.queues[name].count

    def depths(self) -> dict[str, int]:
        """Return how many jobs wait in each queue; raises RedisError."""
        return {name: one.count for name, one in self.queues.items()}

    def workers(self) -> dict[str, list[str]]:
        """Return the names of each queue's living workers; raises RedisError.

        A worker listens to a channel of its own, and Redis forgets the listener the moment its process dies: heartbeats
        would tell minutes later.
        """
        return {name: self._alive(one) for name, one in self.queues.items()}

    def _alive(self, one: Queue) -> list[str]:
        names = sorted(key.rpartition(":")[2] for key in get_keys(one))
        counts = (
            self.redis.pubsub_numsub(*(PUBSUB_CHANNEL_TEMPLATE % name for name in names))
            if names
            else []
        )
        return [name for name, (_channel, count) in zip(names, counts, strict=True) if count]

    def failures(self) -> dict[str, int]:
        """Return how many jobs of each queue have failed since the queues' Redis was emptied; raises RedisError."""
        counts = self.redis.hmget(FAILURES, list(FUNCTIONS))
        return {name: int(count or 0) for name, count in zip(FUNCTIONS, counts, strict=True)}

    def keeper_beat(self, name: str) -> None:
        """Say that the keeper of this name is at work."""
        self.redis.set(KEEPER, name, ex=KEEPER_TTL)

    def keeper(self) -> str | None:
        """Return the name of the keeper that was at work in the last seconds; raises RedisError."""
        name = self.redis.get(KEEPER)
        return name.decode() if isinstance(name, bytes) else None

    def ping(self) -> None:
        """Raise RedisError if the queues cannot be reached."""
        self.redis.ping()


def queue(name: str, connection: Redis, job_class: type[Job] = Job) -> Queue:
    """Return one queue; arguments travel as JSON, never as pickle."""
    return Queue(
        name,
        connection=connection,
        serializer=JSONSerializer,
        default_timeout=TIMEOUT,
        job_class=job_class,
    )
