"""The queues of RQ: jobs of matches that await the house or a bot, and jobs that people ask for.

The pending index of the journal is the truth, and the jobs are its hands: what is lost here the
scheduler puts here anew, since its match is still due.
"""

import logging
import os
import re
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
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
from rq.executions import ExecutionRegistry
from rq.job import Job, JobStatus
from rq.serializers import JSONSerializer

from service.base import tracing
from service.base.redis_urls import SENTINEL, kind_of, options_of, read_many, sentinels_of
from service.store.jobs.counters import Counter
from service.store.jobs.seal import CODE, Seal
from service.store.jobs.table import FAILURE_TTL, QUEUE_OF, QUEUES

_log = logging.getLogger(__name__)

# Keys beside those of RQ.
SCHEDULER = "giornale:keeper"  # the name of the scheduler at work; stored under its former name
SCHEDULER_TTL = 5  # seconds
HERE = "giornale:here:"  # and a match: a sorted set of the seats that are here, by when they were

MOST_AT_HAND = 1000  # jobs of matches that a process has still to enqueue

_ANSWER_SECONDS = 0.5  # a server that takes longer does not answer
_PAUSE_SECONDS = 0.5  # from one try to reach the server to the next
_KEPT_LONGER = 60  # seconds that RQ keeps the list of a job's executions after the job's time
_START = secrets.token_hex(4)  # of this process: host and id may be those of one before it
_COUNT = re.compile(b"[0-9]{1,19}")
_SEAT = re.compile(b"[0-9]")
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
        self._trying = threading.Lock()  # held until the server answers

    @property
    def is_open(self) -> bool:
        """Whether questions are refused now."""
        return self._trying.locked()

    @contextmanager
    def guard(self) -> Iterator[None]:
        """Ask the server within; raises ServerRests at once if it did not answer a moment ago."""
        if self.is_open:
            raise ServerRests("the server did not answer a moment ago")

        try:
            yield
        except (Unreachable, Unanswered):
            if self._trying.acquire(blocking=False):
                self._start_trying()
            raise

    def _start_trying(self) -> None:
        """Try in a thread; if the system gives none, the next question is the next try."""
        try:
            threading.Thread(target=self._try, name="breaker", daemon=True).start()
        except RuntimeError:
            self._trying.release()

    def _try(self) -> None:
        """Try until the server answers, and let questions pass then."""
        while True:
            with suppress(RedisError):
                self._ping()
                break
            time.sleep(self._pause_seconds)

        self._trying.release()
        _log.info("the queues' server answers again")


def _client_of(url: str) -> Redis:
    """Return a client of the server that a URL names, or that its Sentinels name at the time."""
    # Only a connection that broke is tried anew: a server that does not answer at once would not
    # answer the second time either.
    usual: dict[str, Any] = {
        "socket_connect_timeout": _ANSWER_SECONDS,
        "socket_timeout": _ANSWER_SECONDS,
        "retry": Reconnect(NoBackoff(), 1, supported_errors=(Unreachable,)),
        "protocol": 2,
    }
    if kind_of(url) != SENTINEL:
        return Redis.from_url(url, **usual)

    many = read_many(url)
    options = options_of(many, usual)
    watched: Redis = sentinels_of(many, options, usual).master_for(many.service, **options)
    return watched


class Queues:
    """The queues of one Redis database; safe to share between threads.

    Others may write there: a value that cannot be read, of whatever type, counts as none.

    secret: the service's own.   seal: what only this service can read and make.
    left_behind: jobs that workers had begun and did not end, as this process has found them: id,
        and the worker's name, "" for one that lives and hangs.
    """

    def __init__(self, url: str, secret: bytes) -> None:
        self.seal = Seal(secret)
        self.redis = _client_of(url)
        self.queues = {name: open_queue(name, self.redis) for name in QUEUES}
        self.left_behind: deque[tuple[str, str]] = deque(maxlen=MOST_AT_HAND)
        self._breaker = Breaker(self.redis.ping)

    def enqueue(self, match_id: str, version: int, awaiting: str) -> None:
        """Have a worker do what a match awaits: "house", "bots", "exhibition" or "retry".

        The same twice is one job. Never raises for a queue that is down: the match stays pending,
        and the scheduler enqueues it later.
        """
        job_id = job_id_of(match_id, version, awaiting)

        try:
            self.put(QUEUE_OF[awaiting], job_id, match_id)
        except RedisError as error:
            level = logging.DEBUG if isinstance(error, ServerRests) else logging.WARNING
            details = {"job": job_id, "error": type(error).__name__}
            _log.log(level, "the queue is down", extra=details)

    def put(self, name: str, job_id: str, *arguments: str | int) -> None:
        """Put a job into a queue, unless a job of this id waits or is at work.

        Raises RedisError.
        """
        if self.is_at_hand(name, job_id):
            _log.debug("already asked", extra={"job": job_id})
            return

        code = {CODE: self.seal.code(name, job_id, arguments)}
        with self._breaker.guard(), suppress(DuplicateJobError):
            self.queues[name].enqueue(
                QUEUES[name].function,
                *arguments,
                job_id=job_id,
                unique=True,
                description=job_id,
                result_ttl=0,
                failure_ttl=FAILURE_TTL,
                meta=code | (tracing.job_meta() or {}),
            )

    def is_at_hand(self, name: str, job_id: str) -> bool:
        """Return whether a job waits or is at work, or has failed just now; forget a lost one.

        Lost is what a dead worker had popped or begun, and what its worker should have ended long
        ago. A job that is taken for lost and is not does no harm: done twice, it appends once.
        Raises RedisError.
        """
        key, fields = Job.key_for(job_id), ("status", "worker_name")
        with self._breaker.guard():
            status, worker = unless_wrong_type(lambda: self.redis.hmget(key, fields), (b"", None))
            if status is None:
                return False
            if status == JobStatus.STARTED.encode():
                return self._is_at_work(name, job_id, text_of(worker or b""))

            is_queued = status == JobStatus.QUEUED.encode()
            waits = is_queued and self._place(name, job_id) is not None
            has_failed = status == JobStatus.FAILED.encode()
            return waits or has_failed or not self._forget(name, job_id)

    def _place(self, name: str, job_id: str) -> int | None:
        """Return how many jobs wait in a queue before one, None if that does not wait there."""
        key = self.queues[name].key
        place: int | None = unless_wrong_type(lambda: self.redis.lpos(key, job_id), None)
        return place

    def _is_at_work(self, name: str, job_id: str, worker: str) -> bool:
        """Return whether a worker is at work on a job that it has begun; forget the job if not."""
        [(_, listeners)] = self.redis.pubsub_numsub(PUBSUB_CHANNEL_TEMPLATE % worker)
        seconds_kept = self.redis.ttl(ExecutionRegistry(job_id, self.redis).key)
        if listeners and seconds_kept > _KEPT_LONGER:
            return True

        # What has lain there for minutes without a worker says nothing of its match.
        is_evidence = listeners or seconds_kept > 0
        if self._forget(name, job_id) and is_evidence:
            self.left_behind.append((job_id, "" if listeners else worker))
        return False

    def _forget(self, name: str, job_id: str) -> bool:
        """Remove all that RQ keeps of a lost job; return whether it was there.

        It was not if another process was faster.
        """
        queue = self.queues[name]
        registry = ExecutionRegistry(job_id, self.redis).key
        executions = unless_wrong_type(lambda: self.redis.zrange(registry, 0, -1), ())

        with self.redis.pipeline() as pipeline:
            pipeline.delete(Job.key_for(job_id))
            pipeline.delete(registry)
            pipeline.lrem(queue.intermediate_queue_key, 0, job_id)
            for one in executions:
                pipeline.zrem(queue.started_job_registry.key, f"{job_id}:".encode() + one)
            was_there, *_others = pipeline.execute(raise_on_error=False)

        if was_there:
            _log.warning("a job was lost", extra={"job": job_id})
        return bool(was_there)

    def arguments_of(self, name: str, job_id: str) -> list[str | int] | None:
        """Return the arguments of a job that waits or is at work, None if there is none.

        Raises RedisError.
        """
        if not self.is_at_hand(name, job_id):
            return None
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
            waiting: int = unless_wrong_type(lambda: self.queues[name].count, 0)
        return waiting

    def depths(self) -> dict[str, int]:
        """Return how many jobs wait in each queue; raises RedisError."""
        return {name: self.depth(name) for name in QUEUES}

    def workers(self) -> dict[str, list[str]]:
        """Return the names of each queue's living workers; raises RedisError.

        Each worker listens to its channel, and Redis forgets the listener as soon as its
        process dies. Heartbeats would tell so only minutes later.
        """
        with self._breaker.guard():
            channels = cast("list[bytes]", self.redis.pubsub_channels(f"{_PREFIX}*"))
        listening = sorted(text_of(channel).removeprefix(_PREFIX) for channel in channels)

        living: dict[str, list[str]] = {}
        for name in QUEUES:
            beginning = _beginning(name, self.redis)
            living[name] = [worker for worker in listening if worker.startswith(beginning)]
        return living

    def count(self, counter: Counter, outcome: str = "") -> None:
        """Add 1 to a counter, to the number of `outcome` if it has outcomes; raises RedisError."""
        with self._breaker.guard():
            if counter.outcomes:
                self.redis.hincrby(counter.key, outcome, 1)
            else:
                self.redis.incr(counter.key)

    def counts(self, counter: Counter) -> dict[str, int]:
        """Return the numbers of a counter by outcome, since the queues' Redis was emptied.

        Raises RedisError.
        """
        names = list(counter.outcomes)
        with self._breaker.guard():
            numbers = unless_wrong_type(
                lambda: self.redis.hmget(counter.key, names), [None] * len(names)
            )
        return {name: _count_in(number) for name, number in zip(names, numbers, strict=True)}

    def total(self, counter: Counter) -> int:
        """Return the number of a counter without outcomes; raises RedisError."""
        with self._breaker.guard():
            return _count_in(unless_wrong_type(lambda: self.redis.get(counter.key), None))

    def note_here(self, seats: Mapping[str, Sequence[int]], seconds: int) -> dict[str, list[int]]:
        """Note that seats of matches are here; return which of each match were in so many seconds.

        Nothing else is kept, and this no longer than so many seconds. Raises RedisError.
        """
        now = time.time()
        with self.pipeline() as pipeline:
            for match_id, here in seats.items():
                key = HERE + match_id
                pipeline.zadd(key, dict.fromkeys(map(str, here), now))
                pipeline.zremrangebyscore(key, "-inf", now - seconds)
                pipeline.expire(key, seconds)
                pipeline.zrange(key, 0, -1)
            answers = pipeline.execute(raise_on_error=False)

        found = zip(seats, answers[3::4], strict=True)
        return {match_id: _seats_in(members) for match_id, members in found}

    def forget_here(self, match_id: str, seat: int) -> None:
        """Forget the last sign of a seat, whose holder is another now; raises RedisError."""
        with self._breaker.guard():
            unless_wrong_type(lambda: self.redis.zrem(HERE + match_id, str(seat)), 0)

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
        # The thread starts now: later the system may give none, and calls would pile up in line.
        self.flush()

    def enqueue(self, match_id: str, version: int, awaiting: str) -> None:
        """Have a worker do what a match awaits, soon; never waits and never raises."""
        if not self._places.acquire(blocking=False):
            _log.warning("a job was dropped", extra={"match": match_id})
            return

        # The trace of the request goes with the job.
        run = copy_context().run
        try:
            future = self._thread.submit(run, self._enqueue, match_id, version, awaiting)
        except RuntimeError:  # the process ends
            self._places.release()
        else:
            future.add_done_callback(self._free_place)

    def flush(self) -> None:
        """Wait until all that was given before is enqueued."""
        self._thread.submit(int).result()

    def _free_place(self, _done: Future[None]) -> None:
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


def _count_in(value: object) -> int:
    """Return the number that HINCRBY has left, 0 for anything else."""
    return int(value) if isinstance(value, bytes) and _COUNT.fullmatch(value) else 0


def _seats_in(members: object) -> list[int]:
    """Return the seats that a sorted set holds, [] for anything else."""
    texts = members if isinstance(members, list) else []
    return sorted(int(text) for text in texts if _SEAT.fullmatch(text))


def job_id_of(match_id: str, version: int, awaiting: str) -> str:
    """Return the id of the job that does what a match awaits at a version."""
    return f"{awaiting}-{match_id}-{version}"


def match_of(job_id: str) -> tuple[str, int]:
    """Return the match and the version of an id that `job_id_of` has made."""
    _awaiting, match_id, version = job_id.split("-")
    return match_id, int(version)


def process_name() -> str:
    """Return what tells this process apart from all others: its host, its id, and its start."""
    return f"{os.uname().nodename}-{os.getpid()}-{_START}"


def worker_name(queue: str, connection: Redis, number: int) -> str:
    """Return the name of a queue's worker in this process, which has had so many before."""
    return f"{_beginning(queue, connection)}{process_name()}#{number}"


def process_of(worker: str) -> str:
    """Return what the names of all workers of a process have in common."""
    return worker.partition("#")[0]


def _beginning(queue: str, connection: Redis) -> str:
    """Return how the names of all workers of a queue begin: with queue and database."""
    return f"{queue}-db{connection.get_connection_kwargs().get('db', 0)}-"


def open_queue(name: str, connection: Redis, job_class: type[Job] = Job) -> Queue:
    """Return one queue; arguments travel as JSON, never as pickle."""
    return Queue(
        name,
        connection=connection,
        serializer=JSONSerializer,
        default_timeout=QUEUES[name].timeout,
        job_class=job_class,
    )
