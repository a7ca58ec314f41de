"""The queues of RQ: jobs of matches that await the house or a bot, and jobs that people ask for.

The journal holds the truth. What is lost here the scheduler enqueues anew from its pending index.
"""

import logging
import os
import re
import secrets
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from typing import Any, cast

from redis import Redis
from redis.backoff import NoBackoff
from redis.client import Pipeline
from redis.exceptions import (
    ConnectionError as Unreachable,
    RedisError,
    ResponseError,
    TimeoutError as Unanswered,
)
from redis.retry import Retry as Reconnect
from rq import Queue
from rq.command import PUBSUB_CHANNEL_TEMPLATE
from rq.exceptions import DuplicateJobError
from rq.job import Job
from rq.serializers import JSONSerializer
from rq.worker_registration import WORKERS_BY_QUEUE_KEY

from service import tracing
from service.jobs.seal import CODE, Seal
from service.ledger.commit import is_match_id

_log = logging.getLogger(__name__)

HOUSE = "house"
BOTS = "bots"
EXHIBITIONS = "exhibitions"  # matches in which only bots sit
AUDITS = "audits"
ADVICE = "advice"

# The queue of the house in the first release. Its web processes may still put jobs there, so for
# one release a worker of the house takes them over.
FORMER_HOUSE = "scoring"

# The queue of whatever a match awaits. What has failed before is tried again where no human waits
# for a bot, so that it holds up no turn.
QUEUES = {
    "house": HOUSE,
    "bots": BOTS,
    "exhibition": EXHIBITIONS,
    "retry": EXHIBITIONS,
}

# What a job of each queue names as its function. These names are stored, so they stay as the first
# release wrote them. A worker knows its function by the queue.
FUNCTIONS = {
    HOUSE: "workers.scoring.act",
    BOTS: "workers.bots.play",
    EXHIBITIONS: "workers.bots.play",
    AUDITS: "workers.audits.run",
    ADVICE: "workers.advice.run",
}

# Seconds that a job of each queue may take; the house or a bot needs a fraction of one. A bot that
# hangs holds up the others only once: it is tried again as an exhibition.
TIMEOUTS = {HOUSE: 10, BOTS: 5, EXHIBITIONS: 10, AUDITS: 20, ADVICE: 5}
FAILURE_TTL = 1  # seconds that a failed job blocks one of the same id

# Queues in which a job must carry this service's code, since what comes of it is handed out. In the
# others a job without one may be of an earlier release, and only does what a match needs.
CODED = (AUDITS, ADVICE)

# Keys beside those of RQ.
SCHEDULER = "giornale:keeper"  # the name of the scheduler at work; stored under its former name
SCHEDULER_TTL = 5  # seconds
FAILURES = "giornale:failed"  # a hash: how many jobs of each queue have failed

MOST_AT_HAND = 1000  # jobs of matches that a process has still to enqueue

_ANSWER_SECONDS = 0.5  # a server that takes longer does not answer
_PAUSE_SECONDS = 0.5  # from one try to reach the server to the next
_START = secrets.token_hex(4)  # of this process: host and id may be those of one before it
_VERSION = re.compile("[0-9]{1,16}")
_COUNT = re.compile(b"[0-9]{1,19}")
_PREFIX = PUBSUB_CHANNEL_TEMPLATE % ""  # of the channels to which workers listen


class ServerRests(Unreachable):
    """The server did not answer a moment ago, so it was not asked now."""


class Breaker:
    """A circuit breaker: a server that does not answer is not asked again until it does.

    A thread tries it meanwhile, so no request waits for a try. Safe to share among threads.

    ping: asks the server anything; raises RedisError if it does not answer.
    """

    def __init__(self, ping: Callable[[], object], pause_seconds: float = _PAUSE_SECONDS) -> None:
        self._ping = ping
        self._pause_seconds = pause_seconds
        self._lock = threading.Lock()
        self._open = False

    @property
    def is_open(self) -> bool:
        """Whether questions are refused now."""
        return self._open

    @contextmanager
    def guard(self) -> Iterator[None]:
        """Ask the server within; raises ServerRests at once if it did not answer a moment ago."""
        if self._open:
            raise ServerRests("the server did not answer a moment ago")

        try:
            yield
        except (Unreachable, Unanswered):
            self._break()
            raise

    def _break(self) -> None:
        """Refuse questions from now on, and have a thread try until the server answers."""
        with self._lock:
            if self._open:
                return
            self._open = True

        threading.Thread(target=self._try_until_answered, name="breaker", daemon=True).start()

    def _try_until_answered(self) -> None:
        pause = threading.Event()
        while not self._is_answered():
            pause.wait(self._pause_seconds)

        self._open = False
        _log.info("the queues' server answers again")

    def _is_answered(self) -> bool:
        try:
            self._ping()
        except RedisError:
            return False
        return True


class Queues:
    """The queues of one Redis database; safe to share between threads.

    Others may write there: a value that cannot be read, of whatever type, counts as none.

    secret: the service's own.   seal: what only this service can read and make.
    """

    def __init__(self, url: str, secret: bytes) -> None:
        self.seal = Seal(secret)
        # Only a connection that broke is tried anew: a server that does not answer at once would
        # not answer the second time either.
        self.redis = Redis.from_url(
            url,
            socket_connect_timeout=_ANSWER_SECONDS,
            socket_timeout=_ANSWER_SECONDS,
            retry=Reconnect(NoBackoff(), 1, supported_errors=(Unreachable,)),
            protocol=2,
        )
        self.queues = {name: open_queue(name, self.redis) for name in FUNCTIONS}
        self._breaker = Breaker(self.redis.ping)

    def enqueue(self, match_id: str, version: int, awaiting: str) -> None:
        """Have a worker do what a match awaits: "house", "bots", "exhibition" or "retry".

        The same twice is one job. Never raises for a queue that is down: the match stays pending,
        and the scheduler enqueues it later.
        """
        job_id = job_id_of(match_id, version, awaiting)

        try:
            self.put(QUEUES[awaiting], job_id, match_id)
        except ServerRests:
            _log.debug("the queue is down", extra={"job": job_id})
        except RedisError as error:
            details = {"job": job_id, "error": type(error).__name__}
            _log.warning("the queue is down", extra=details)

    def put(self, name: str, job_id: str, *arguments: str | int) -> None:
        """Put a job into a queue, unless a job of this id waits or is at work.

        Raises RedisError.
        """
        try:
            with self._breaker.guard():
                self.queues[name].enqueue(
                    FUNCTIONS[name],
                    *arguments,
                    job_id=job_id,
                    unique=True,
                    description=job_id,
                    result_ttl=0,
                    failure_ttl=FAILURE_TTL,
                    meta=self._meta(name, job_id, arguments),
                )
        except DuplicateJobError:
            _log.debug("already asked", extra={"job": job_id})

    def _meta(self, name: str, job_id: str, arguments: tuple[str | int, ...]) -> dict[str, str]:
        """Return what travels with a job beside its arguments."""
        code = {CODE: self.seal.code(name, job_id, arguments)}
        return code | (tracing.job_meta() or {})

    def arguments_of(self, name: str, job_id: str) -> list[str | int] | None:
        """Return the arguments of a job that waits or is at work, None if there is none.

        Raises RedisError.
        """
        try:
            with self._breaker.guard():
                job = unless_wrong_type(lambda: self.queues[name].fetch_job(job_id), None)
            return None if job is None else list(job.args)
        except RedisError:
            raise
        except Exception:  # noqa: BLE001 - anything may be written there
            return None

    @contextmanager
    def pipeline(self, transaction: bool = True) -> Iterator[Pipeline]:
        """Yield a pipeline to the queues' server; raises RedisError."""
        with self._breaker.guard(), self.redis.pipeline(transaction=transaction) as pipeline:
            yield pipeline

    def depth(self, name: str) -> int:
        """Return how many jobs wait in a queue; raises RedisError."""
        with self._breaker.guard():
            return _count_waiting(self.queues[name])

    def depths(self) -> dict[str, int]:
        """Return how many jobs wait in each queue; raises RedisError."""
        with self._breaker.guard():
            return {name: _count_waiting(queue) for name, queue in self.queues.items()}

    def workers(self) -> dict[str, list[str]]:
        """Return the names of each queue's living workers; raises RedisError.

        Each worker listens to its channel, and Redis forgets the listener as soon as its
        process dies. Heartbeats would tell so only minutes later. What RQ has registered may be
        lost, so a worker whose name says that it works on this database needs no registration.
        """
        with self._breaker.guard():
            listening = self._listening()
            return {
                name: self._living_workers(queue, listening) for name, queue in self.queues.items()
            }

    def _listening(self) -> set[str]:
        """Return the names of all workers that listen, those of other databases too."""
        channels = cast("list[bytes]", self.redis.pubsub_channels(f"{_PREFIX}*"))
        return {text_of(channel).removeprefix(_PREFIX) for channel in channels}

    def _living_workers(self, queue: Queue, listening: set[str]) -> list[str]:
        """Return the names of the workers of a queue that listen."""
        place = WORKERS_BY_QUEUE_KEY % queue.name
        keys = unless_wrong_type(lambda: self.redis.smembers(place), ())
        registered = {text_of(key).rpartition(":")[2] for key in keys}
        own_beginning = worker_name(queue.name, self.redis, "")
        own = {name for name in listening if name.startswith(own_beginning)}
        return sorted(own | (registered & listening))

    def failures(self) -> dict[str, int]:
        """Return how many jobs of each queue have failed since the queues' Redis was emptied.

        Raises RedisError.
        """
        names = list(FUNCTIONS)
        nothing = [None] * len(names)
        with self._breaker.guard():
            counts = unless_wrong_type(lambda: self.redis.hmget(FAILURES, names), nothing)
        return {name: _count_in(count) for name, count in zip(names, counts, strict=True)}

    def scheduler_beat(self, name: str) -> None:
        """Note that the scheduler of this name is at work; raises RedisError."""
        with self._breaker.guard():
            self.redis.set(SCHEDULER, name, ex=SCHEDULER_TTL)

    def scheduler(self) -> str | None:
        """Return the name of the scheduler that was at work in the last SCHEDULER_TTL seconds.

        Raises RedisError.
        """
        with self._breaker.guard():
            name = unless_wrong_type(lambda: self.redis.get(SCHEDULER), None)
        return text_of(name) if isinstance(name, bytes) else None

    def ping(self) -> None:
        """Raise RedisError if the queues cannot be reached."""
        with self._breaker.guard():
            self.redis.ping()


class EnqueueThread:
    """A thread that enqueues what a process's requests have made matches await.

    It keeps the order, and drops what is too much: the scheduler finds it in the pending index.
    Python lets it finish before the process ends.

    enqueue: what it calls; never raises.   most_at_hand: how many calls may wait.
    """

    def __init__(
        self, enqueue: Callable[[str, int, str], None], most_at_hand: int = MOST_AT_HAND
    ) -> None:
        self._enqueue = enqueue
        self._places = threading.BoundedSemaphore(most_at_hand)
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="enqueue")

    def enqueue(self, match_id: str, version: int, awaiting: str) -> None:
        """Have a worker do what a match awaits, soon; never waits and never raises."""
        if not self._places.acquire(blocking=False):
            _log.warning("a job was dropped", extra={"match": match_id})
            return

        # The trace of the request goes with the job.
        context = copy_context()
        try:
            self._thread.submit(context.run, self._enqueue_now, match_id, version, awaiting)
        except RuntimeError:  # the process ends
            self._places.release()

    def flush(self) -> None:
        """Wait until all that was given before is enqueued."""
        self._thread.submit(int).result()

    def _enqueue_now(self, match_id: str, version: int, awaiting: str) -> None:
        try:
            self._enqueue(match_id, version, awaiting)
        finally:
            self._places.release()


def unless_wrong_type(question: Callable[[], object], otherwise: object) -> Any:
    """Return what Redis answers; `otherwise` where there is a value of another type."""
    try:
        return question()
    except ResponseError as error:
        if "WRONGTYPE" not in str(error):
            raise
        return otherwise


def text_of(value: bytes) -> str:
    """Return a text of Redis; what is none has marks in it, so it names nothing that there is."""
    return value.decode(errors="replace")


def _count_waiting(queue: Queue) -> int:
    waiting: int = unless_wrong_type(lambda: queue.count, 0)
    return waiting


def _count_in(value: object) -> int:
    """Return the number that HINCRBY has left, 0 for anything else."""
    return int(value) if isinstance(value, bytes) and _COUNT.fullmatch(value) else 0


def job_id_of(match_id: str, version: int, awaiting: str) -> str:
    """Return the id of the job that does what a match awaits at a version."""
    return f"{awaiting}-{match_id}-{version}"


def match_of(job_id: str) -> tuple[str, int] | None:
    """Return the match that awaits a job, and the version it does so at; None for other jobs."""
    awaiting, _, rest = job_id.partition("-")
    match_id, _, version = rest.partition("-")
    if awaiting not in QUEUES or not is_match_id(match_id) or not _VERSION.fullmatch(version):
        return None
    return match_id, int(version)


def worker_name(queue: str, connection: Redis, process: str) -> str:
    """Return the name of a queue's worker: queue, database, and what tells its process apart."""
    database = connection.get_connection_kwargs().get("db", 0)
    return f"{queue}-db{database}-{process}"


def process_name() -> str:
    """Return what tells this process apart from all others: its host, its id, and its start."""
    return f"{os.uname().nodename}-{os.getpid()}-{_START}"


def numbered(process: str, number: int) -> str:
    """Return what tells a worker apart from those that its process has had before."""
    return f"{process}#{number}"


def process_of(worker: str) -> str:
    """Return what the names of all workers of a process have in common."""
    return worker.partition("#")[0]


def open_queue(name: str, connection: Redis, job_class: type[Job] = Job) -> Queue:
    """Return one queue; arguments travel as JSON, never as pickle."""
    return Queue(
        name,
        connection=connection,
        serializer=JSONSerializer,
        default_timeout=TIMEOUTS[name],
        job_class=job_class,
    )
