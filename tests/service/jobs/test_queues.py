"""The queues: each job once, JSON inside, never in the way of a request."""

import json
import logging
import os
import signal
import subprocess
import sys
import time
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from redis.exceptions import RedisError

from service.jobs.queues import (
    ADVICE,
    AUDITS,
    BOTS,
    EXHIBITIONS,
    FUNCTIONS,
    SCORING,
    Queues,
    job_id_of,
    match_of,
    numbered,
    process_name,
    process_of,
    worker_name,
)
from service.process.valkey import Server
from tests.running import until

NOTHING_LISTENS = "redis://127.0.0.1:1/0"
MATCH = "m" * 26

# The same process twice: what was learnt at its start is learnt again.
PRINT_NAMES = """
import importlib
from service.jobs import queues
print(queues.process_name())
print(importlib.reload(queues).process_name())
"""

LONGEST_WAIT = 2.0  # seconds; a hundred jobs that are waited for would take fifty


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[Server]:
    """A server that a test may stop."""
    with Server(tmp_path) as server:
        yield server


@pytest.fixture
def queues(redis_url: str) -> Queues:
    """Empty queues on a real server."""
    return Queues(redis_url, b"s" * 32)


def test_same_job_twice_is_one(queues: Queues) -> None:
    """The web process and the scheduler may both enqueue it: it is done once."""
    queues.enqueue("m", 7, "house")
    queues.enqueue("m", 7, "house")

    assert queues.queues[SCORING].job_ids == ["house-m-7"]


@pytest.mark.parametrize(
    ("match", "version", "work", "depths"),
    [
        ("m", 8, "house", {SCORING: 2, BOTS: 0, EXHIBITIONS: 0, AUDITS: 0, ADVICE: 0}),
        ("n", 7, "house", {SCORING: 2, BOTS: 0, EXHIBITIONS: 0, AUDITS: 0, ADVICE: 0}),
        ("m", 7, "bots", {SCORING: 1, BOTS: 1, EXHIBITIONS: 0, AUDITS: 0, ADVICE: 0}),
        ("m", 7, "exhibition", {SCORING: 1, BOTS: 0, EXHIBITIONS: 1, AUDITS: 0, ADVICE: 0}),
    ],
    ids=["version", "match", "work", "exhibition"],
)
def test_another_version_match_or_work_is_another_job(
    queues: Queues, match: str, version: int, work: str, depths: dict[str, int]
) -> None:
    """Each work has its queue."""
    queues.enqueue("m", 7, "house")
    queues.enqueue(match, version, work)

    assert queues.depths() == depths


def test_job_is_json_by_dotted_path(queues: Queues) -> None:
    """A job holds a function's path and the match's id, readable without unpickling anything."""
    queues.enqueue("m", 7, "bots")

    call = queues.redis.hget("rq:job:bots-m-7", "data")
    assert isinstance(call, bytes)
    assert json.loads(zlib.decompress(call)) == [FUNCTIONS[BOTS], None, ["m"], {}]


def test_queue_that_is_down_does_not_fail_the_request(caplog: pytest.LogCaptureFixture) -> None:
    """The move is in the journal: the scheduler will enqueue the job, so the answer is no error."""
    with caplog.at_level(logging.WARNING):
        Queues(NOTHING_LISTENS, b"s" * 32).enqueue("m", 7, "house")

    assert caplog.messages == ["the queue is down"]


def test_worker_lives_as_long_as_it_listens(queues: Queues) -> None:
    """A registered worker counts only while its process holds its channel open."""
    for name in ("scoring-h-1", "scoring-h-2"):
        queues.redis.sadd("rq:workers:scoring", f"rq:worker:{name}")

    with queues.redis.pubsub() as listening:  # type: ignore[no-untyped-call]
        listening.subscribe("rq:pubsub:scoring-h-2")
        listening.get_message(timeout=5)
        living = queues.workers()

    assert living == {SCORING: ["scoring-h-2"], BOTS: [], EXHIBITIONS: [], AUDITS: [], ADVICE: []}


def test_worker_lives_though_the_server_has_lost_all_it_held(queues: Queues) -> None:
    """Its name says that it works on this database; that of another service's worker does not."""
    names = [
        worker_name(BOTS, queues.redis, "h-1"),
        "bots-db9-h-2",
        "bots-h-3",
    ]
    with queues.redis.pubsub() as listening:  # type: ignore[no-untyped-call]
        for name in names:
            listening.subscribe(f"rq:pubsub:{name}")
            listening.get_message(timeout=5)
        queues.redis.flushall()
        living = queues.workers()

    assert living[BOTS] == names[:1]


@pytest.mark.parametrize(
    ("job_id", "woken"),
    [
        (job_id_of(MATCH, 7, "house"), (MATCH, 7)),
        (job_id_of(MATCH, 7, "retry"), (MATCH, 7)),
        (f"audit-{MATCH}", None),
        ("house-somebody-7", None),
        (f"house-{MATCH}", None),
        (f"house-{MATCH}-seven", None),
        ("", None),
    ],
)
def test_the_id_of_a_job_tells_its_match(job_id: str, woken: tuple[str, int] | None) -> None:
    """The scheduler knows by it which match a process died at, and at which version."""
    assert match_of(job_id) == woken


def test_every_worker_of_a_process_is_known_as_such() -> None:
    """Another process has another name, also one that has its host and its number again."""
    workers = [numbered(process_name(), number) for number in (0, 1, 12)]
    assert {process_of(worker) for worker in workers} == {process_name()}

    command = [sys.executable, "-c", PRINT_NAMES]
    first, second = subprocess.run(
        command, capture_output=True, text=True, check=True
    ).stdout.split()
    assert first != second


def test_a_server_that_hangs_is_waited_for_once(
    own_server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    """The first question takes half a second, the others are refused at once; then all is well."""
    queues = Queues(own_server.url, b"s" * 32)
    queues.ping()
    os.kill(own_server.pid, signal.SIGSTOP)
    try:
        began = time.monotonic()
        for version in range(100):
            queues.enqueue(MATCH, version, "bots")
        with pytest.raises(RedisError):
            queues.workers()
        seconds = time.monotonic() - began
    finally:
        os.kill(own_server.pid, signal.SIGCONT)

    assert seconds < LONGEST_WAIT
    assert caplog.messages == ["the queue is down"], "it is logged once, not for every job"

    until(lambda: answers(queues), "the queues to be asked again")
    queues.enqueue(MATCH, 7, "bots")
    assert queues.depth(BOTS) >= 1
    queues.redis.close()


def answers(queues: Queues) -> bool:
    """Return whether the queues are asked and answer."""
    try:
        queues.ping()
    except RedisError:
        return False
    return True


def test_scheduler_is_known_by_its_last_beat(queues: Queues) -> None:
    """The name of the scheduler is there after a beat and vanishes by itself."""
    assert queues.scheduler() is None

    queues.scheduler_beat("scheduler-h-3")

    assert queues.scheduler() == "scheduler-h-3"
    assert 0 < queues.redis.ttl("giornale:keeper") <= 5
