"""The queues of RQ: jobs of pending matches, and jobs on request.

Jobs of matches are hints. The journal's pending index decides which matches need work, and the
scheduler enqueues a match again if its job was lost.

States of a job id, as `is_at_hand` finds them:

    absent    no job, or one that RQ has removed at its end
    queued    the id is in the list of its queue
    running   begun by a worker that listens to its channel, within the job's time (see `lost`)
    failed    ended by an error. The job blocks its id for FAILURE_TTL
    lost      neither in the list nor running: its worker died, or the job's timeout passed some
              seconds ago (GRACE_SECONDS in workers/worker.py)

`put` enqueues an absent or lost job, and leaves any other job alone. RQ refuses a second job of the
same id. Threads of web processes, schedulers and workers may call `put` at the same time. A job
that a worker is just taking looks lost for a moment and may be enqueued twice. That is harmless: a
job done twice appends once.

A worker is killed at a job:

1. Redis forgets the listener of its channel. The job's entry still says "started".
2. The match stays pending, so the scheduler calls `enqueue` for it again.
3. `_is_at_work` finds no listener. `_forget` removes the entry. If RQ still stored the job's
   executions, the process that removed the entry notes the job in `left_behind`.
4. `put` enqueues a new job.

The server of the queues does not answer: `Breaker` refuses all requests to it until a ping in a
thread succeeds. `enqueue` drops its jobs meanwhile, and the scheduler enqueues the matches later.
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
HERE = "giornale:here:"  # + match: sorted set of present seats, by the time of the last sign

MOST_AT_HAND = 1000  # unfinished calls of an EnqueueThread; also entries of `left_behind`

_ANSWER_SECONDS = 0.5  # timeout of a connection and of a reply
_PAUSE_SECONDS = 0.5  # between pings of a server that does not answer
_KEPT_LONGER = 60  # seconds that RQ stores a job's executions after the job's time is over
_START = secrets.token_hex(4)  # another process may have had the same host and id before
_COUNT = re.compile(b"[0-9]{1,19}")
_SEAT = re.compile(b"[0-9]")
_PREFIX = PUBSUB_CHANNEL_TEMPLATE % ""  # of the channels of workers


class ServerRests(Unreachable):
    """A request was refused, because the server did not answer a moment ago."""


class Breaker:
    """A circuit breaker: once a server does not answer, requests are refused until it does.

    A thread pings it meanwhile, so no request waits for an attempt. Safe to share among threads.

    ping: any request to the server. Raises RedisError if it does not answer.
    """

    def __init__(self, ping: Callable[[], object], pause_seconds: float = _PAUSE_SECONDS) -> None:
        self._ping = ping
        self._pause_seconds = pause_seconds
        self._trying = threading.Lock()  # locked until the server answers

    @property
    def is_open(self) -> bool:
        """True if requests are refused now."""
        return self._trying.locked()

    @contextmanager
    def guard(self) -> Iterator[None]:
        """Send requests within the block. Raises ServerRests at once while the breaker is open."""
        if self.is_open:
            raise ServerRests("the server did not answer a moment ago")

        try:
            yield
        except (Unreachable, Unanswered):
            if self._trying.acquire(blocking=False):
                self._start_trying()
            raise

    def _start_trying(self) -> None:
        """Ping in a thread. If the system refuses a thread, the next request tries again."""
        try:
            threading.Thread(target=self._try, name="breaker", daemon=True).start()
        except RuntimeError:
            self._trying.release()

    def _try(self) -> None:
        """Ping until the server answers, and close the breaker then."""
        while True:
            with suppress(RedisError):
                self._ping()
                break
            time.sleep(self._pause_seconds)

        self._trying.release()
        _log.info("queue server answered again")


def _client_of(url: str) -> Redis:
    """Return a client of the server in a URL, or of the master that its Sentinels name."""
    # Retry only after a broken connection. After a timeout the server would not answer the second
    # time either.
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
    """The queues of one Redis database. Safe to share between threads.

    Other programs may write to the database, so reads treat an unreadable value, or a value of a
    wrong type, as missing.

    secret: the service's own.   seal: encrypts values and signs jobs with the secret.
    left_behind: the lost jobs noted by this process: id of the job, and name of the worker, "" for
        a worker that lives and hangs.
    """

    def __init__(self, url: str, secret: bytes) -> None:
        self.seal = Seal(secret)
        self.redis = _client_of(url)
        self.queues = {name: open_queue(name, self.redis) for name in QUEUES}
        self.left_behind: deque[tuple[str, str]] = deque(maxlen=MOST_AT_HAND)
        self._breaker = Breaker(self.redis.ping)

    def enqueue(self, match_id: str, version: int, awaiting: str) -> None:
        """Enqueue a pending match.

        awaiting: "house", "bots", "exhibition" or "retry".

        Calls with the same arguments share a job id, so they enqueue one job at a time. A queue
        that is down raises nothing: the match stays pending, and the scheduler enqueues it later.
        """
        job_id = job_id_of(match_id, version, awaiting)

        try:
            self.put(QUEUE_OF[awaiting], job_id, match_id)
        except RedisError as error:
            level = logging.DEBUG if isinstance(error, ServerRests) else logging.WARNING
            details = {"job": job_id, "error": type(error).__name__}
            _log.log(level, "job not queued", extra=details)

    def put(self, name: str, job_id: str, *arguments: str | int) -> None:
        """Put a job into a queue, unless a job of this id is queued, running or just failed.

        Raises RedisError.
        """
        if self.is_at_hand(name, job_id):
            _log.debug("job not queued: it exists already", extra={"job": job_id})
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
        """Return True if a job is queued, running or just failed. Remove a lost one.

        A job is lost if a dead worker had popped or begun it, or if its time is over. If a job is
        wrongly taken for lost, no harm is done: a job done twice appends once. Raises RedisError.
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
        """Return the index of a job in its queue. None if the queue does not have the job."""
        key = self.queues[name].key
        place: int | None = unless_wrong_type(lambda: self.redis.lpos(key, job_id), None)
        return place

    def _is_at_work(self, name: str, job_id: str, worker: str) -> bool:
        """Return True if a worker is at work on a begun job. Otherwise remove it as lost."""
        [(_, listeners)] = self.redis.pubsub_numsub(PUBSUB_CHANNEL_TEMPLATE % worker)
        seconds_kept = self.redis.ttl(ExecutionRegistry(job_id, self.redis).key)
        if listeners and seconds_kept > _KEPT_LONGER:
            return True

        # Blame the match only for a fresh crash. An old entry is no evidence against it.
        is_evidence = listeners or seconds_kept > 0
        if self._forget(name, job_id) and is_evidence:
            self.left_behind.append((job_id, "" if listeners else worker))
        return False

    def _forget(self, name: str, job_id: str) -> bool:
        """Remove all entries of a lost job in RQ. Return False if another process was faster."""
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
            _log.warning("job lost", extra={"job": job_id})
        return bool(was_there)

    def arguments_of(self, name: str, job_id: str) -> list[str | int] | None:
        """Return the arguments of a job, None unless `is_at_hand`. Raises RedisError.

        Also None if the stored job is unreadable.
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
        """Yield a pipeline to the queues' server. Raises RedisError."""
        with self._breaker.guard(), self.redis.pipeline(transaction=transaction) as pipeline:
            yield pipeline

    def depth(self, name: str) -> int:
        """Return the number of queued jobs of a queue. Raises RedisError."""
        with self._breaker.guard():
            waiting: int = unless_wrong_type(lambda: self.queues[name].count, 0)
        return waiting

    def depths(self) -> dict[str, int]:
        """Return the number of queued jobs by queue. Raises RedisError."""
        return {name: self.depth(name) for name in QUEUES}

    def workers(self) -> dict[str, list[str]]:
        """Return the names of the living workers by queue. Raises RedisError.

        Each worker listens to its channel, and Redis forgets the listener as soon as its process
        dies. Heartbeats would show a death minutes later.
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
        """Add 1 to a counter. Raises RedisError.

        outcome: the outcome to count. Ignored for a counter without outcomes.
        """
        with self._breaker.guard():
            if counter.outcomes:
                self.redis.hincrby(counter.key, outcome, 1)
            else:
                self.redis.incr(counter.key)

    def counts(self, counter: Counter) -> dict[str, int]:
        """Return the numbers of a counter by outcome, counted since Redis was last emptied.

        Raises RedisError.
        """
        names = list(counter.outcomes)
        with self._breaker.guard():
            numbers = unless_wrong_type(
                lambda: self.redis.hmget(counter.key, names), [None] * len(names)
            )
        return {name: _count_in(number) for name, number in zip(names, numbers, strict=True)}

    def total(self, counter: Counter) -> int:
        """Return the number of a counter without outcomes. Raises RedisError."""
        with self._breaker.guard():
            return _count_in(unless_wrong_type(lambda: self.redis.get(counter.key), None))

    def note_here(self, seats: Mapping[str, Sequence[int]], seconds: int) -> dict[str, list[int]]:
        """Note seats of matches as present. Return each match's seats noted within `seconds`.

        Older notes are removed. All notes of a match expire `seconds` after its last note. Raises
        RedisError.
        """
        now = time.time()
        with self.pipeline() as pipeline:
            for match_id, here in seats.items():
                key = HERE + match_id
                pipeline.zadd(key, dict.fromkeys(map(str, here), now))
                pipeline.zremrangebyscore(key, "-inf", now - seconds)
                pipeline.expire(key, seconds)
                pipeline.zrange(key, 0, -1)
            replies = pipeline.execute(raise_on_error=False)

        members_by_match = zip(seats, replies[3::4], strict=True)
        return {match_id: _seats_in(members) for match_id, members in members_by_match}

    def forget_here(self, match_id: str, seat: int) -> None:
        """Remove the note of a seat after a change of its holder. Raises RedisError."""
        with self._breaker.guard():
            unless_wrong_type(lambda: self.redis.zrem(HERE + match_id, str(seat)), 0)

    def scheduler_beat(self, name: str) -> None:
        """Note that the scheduler of this name is at work. Raises RedisError."""
        with self._breaker.guard():
            self.redis.set(SCHEDULER, name, ex=SCHEDULER_TTL)

    def scheduler(self) -> str | None:
        """Return the name of the scheduler at work in the last SCHEDULER_TTL seconds.

        Return None if no scheduler was at work. Raises RedisError.
        """
        with self._breaker.guard():
            name = unless_wrong_type(lambda: self.redis.get(SCHEDULER), None)
        return text_of(name) if isinstance(name, bytes) else None

    def ping(self) -> None:
        """Raise RedisError if the queues cannot be reached."""
        with self._breaker.guard():
            self.redis.ping()


class EnqueueThread:
    """A thread that enqueues matches for the requests of a process, in their order.

    Calls beyond the limit are dropped: the scheduler finds the matches in the pending index. Python
    lets the thread finish before the process ends.

    enqueue: called for each match. It never raises.   most_at_hand: limit of unfinished calls.
    """

    def __init__(
        self, enqueue: Callable[[str, int, str], None], most_at_hand: int = MOST_AT_HAND
    ) -> None:
        self._enqueue = enqueue
        self._places = threading.BoundedSemaphore(most_at_hand)
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="enqueue")
        # Start the thread now: later the system may refuse one, and calls would pile up.
        self.flush()

    def enqueue(self, match_id: str, version: int, awaiting: str) -> None:
        """Enqueue a pending match soon. Never waits and never raises."""
        if not self._places.acquire(blocking=False):
            _log.warning("job dropped: backlog full", extra={"match": match_id})
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
        """Wait until all earlier calls are done."""
        self._thread.submit(int).result()

    def _free_place(self, _done: Future[None]) -> None:
        self._places.release()


def unless_wrong_type(question: Callable[[], object], otherwise: object) -> Any:
    """Return the reply of Redis, `otherwise` if the value has another type."""
    try:
        return question()
    except ResponseError as error:
        if "WRONGTYPE" not in str(error):
            raise
        return otherwise


def text_of(value: bytes) -> str:
    """Decode UTF-8. Invalid bytes become U+FFFD, so a corrupted value matches no real name."""
    return value.decode(errors="replace")


def _count_in(value: object) -> int:
    """Return the number in a counter's value, 0 for anything else."""
    return int(value) if isinstance(value, bytes) and _COUNT.fullmatch(value) else 0


def _seats_in(members: object) -> list[int]:
    """Return the seats in the members of a sorted set, [] for anything else."""
    texts = members if isinstance(members, list) else []
    return sorted(int(text) for text in texts if _SEAT.fullmatch(text))


def job_id_of(match_id: str, version: int, awaiting: str) -> str:
    """Return the id of the job for the pending work of a match at a version."""
    return f"{awaiting}-{match_id}-{version}"


def match_of(job_id: str) -> tuple[str, int]:
    """Return the match and the version in an id of `job_id_of`."""
    _awaiting, match_id, version = job_id.split("-")
    return match_id, int(version)


def process_name() -> str:
    """Return a unique name of this process: its host, its id, and a random part."""
    return f"{os.uname().nodename}-{os.getpid()}-{_START}"


def worker_name(queue: str, connection: Redis, number: int) -> str:
    """Return the name of a queue's worker in this process.

    number: count of earlier workers in this process.
    """
    return f"{_beginning(queue, connection)}{process_name()}#{number}"


def process_of(worker: str) -> str:
    """Return the common part of the names of all workers of a process."""
    return worker.partition("#")[0]


def _beginning(queue: str, connection: Redis) -> str:
    """Return the common beginning of the names of a queue's workers: queue and database."""
    return f"{queue}-db{connection.get_connection_kwargs().get('db', 0)}-"


def open_queue(name: str, connection: Redis, job_class: type[Job] = Job) -> Queue:
    """Return one queue. Arguments are JSON, never pickle."""
    return Queue(
        name,
        connection=connection,
        serializer=JSONSerializer,
        default_timeout=QUEUES[name].timeout,
        job_class=job_class,
    )
