"""Attacks on the queues: jobs from a stranger, and more audits than can be done."""

import json as plain_json
import logging
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from redis import Redis
from rq.job import Job

from service.base.errors import Overloaded
from service.capabilities.audits import jobs
from service.matches import automation
from service.store.jobs.counters import FAILED_JOBS
from service.store.jobs.queues import SCHEDULER, Queues, open_queue
from service.store.jobs.seal import CODE, Seal
from service.store.jobs.table import ADVICE, AUDITS, BOTS, HOUSE, QUEUES
from tests.running import PATIENCE
from tests.service.api.conftest import Door, json, opened
from workers import process
from workers.allowed_job import AllowedJob
from workers.app import open_lane
from workers.lost_jobs import LostJobs
from workers.worker import make_worker

MATCH = "a" * 26
ACT = QUEUES[HOUSE].function
Call = list[Any]
GOOD_CALL: Call = [ACT, None, [MATCH], {}]
OTHER_MATCH = "b" * 26


@pytest.fixture
def queues(redis_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Queues]:
    """Empty queues, and a context that no job may ask for."""
    monkeypatch.setattr(process, "ctx", lambda: pytest.fail("a poisoned job was done"))
    own_queues = Queues(redis_url, b"s" * 32)
    yield own_queues
    own_queues.redis.close()


def poison(queues: Queues, name: str, call: Call | bytes, **fields: str) -> None:
    """Put a job into a queue as anybody with access to its Redis can.

    fields: further fields of the job. `job_id` is its id.
    """
    job_id = fields.pop("job_id", "poison")
    content = call if isinstance(call, bytes) else plain_json.dumps(call).encode()
    job: Any = {
        "data": zlib.compress(content),
        "origin": name,
        "status": "queued",
        "created_at": "2026-01-01T00:00:00Z",
        **fields,
    }
    queues.redis.hset(f"rq:job:{job_id}", mapping=job)
    queues.redis.rpush(queues.queues[name].key, job_id)


def work(queues: Queues, name: str) -> None:
    """Let a worker do everything in a queue."""
    make_worker(open_lane(name, queues)).work(burst=True, logging_level=None)


def refusal(queues: Queues, name: str, caplog: pytest.LogCaptureFixture) -> str:
    """Let a worker refuse the one job of a queue. Return the reason. RQ keeps nothing of it."""
    with caplog.at_level(logging.WARNING):
        work(queues, name)

    [line] = [line for line in caplog.records if line.name == "workers.worker"]
    assert line.message == "job refused"
    assert not queues.redis.keys("rq:job:*")
    assert not queues.redis.keys("*:intermediate")
    return str(vars(line)["reason"])


CALLS: dict[str, tuple[str, Call | bytes]] = {
    "another-function": (HOUSE, ["os.system", None, ["touch {marker}"], {}]),
    "another-queues-function": (HOUSE, [QUEUES[BOTS].function, None, [MATCH], {}]),
    "a-method-of-an-instance": (HOUSE, [ACT, MATCH, [MATCH], {}]),
    "keyword-arguments": (HOUSE, [ACT, None, [], {"match": MATCH}]),
    "no-match": (HOUSE, [ACT, None, ["../../etc/passwd"], {}]),
    "a-match-with-a-line-end": (HOUSE, [ACT, None, [MATCH + "\n"], {}]),
    "two-matches": (HOUSE, [ACT, None, [MATCH, MATCH], {}]),
    "a-list-for-a-match": (HOUSE, [ACT, None, [[MATCH]], {}]),
    "an-audit-without-version": (AUDITS, [QUEUES[AUDITS].function, None, [MATCH], {}]),
    "an-audit-of-version-true": (AUDITS, [QUEUES[AUDITS].function, None, [MATCH, True], {}]),
    "an-audit-of-version-0": (AUDITS, [QUEUES[AUDITS].function, None, [MATCH, 0], {}]),
    "advice-without-a-seat": (ADVICE, [QUEUES[ADVICE].function, None, [MATCH, 3], {}]),
    "advice-on-seat-true": (ADVICE, [QUEUES[ADVICE].function, None, [MATCH, 3, True], {}]),
    "advice-on-a-seat-that-no-match-has": (
        ADVICE,
        [QUEUES[ADVICE].function, None, [MATCH, 3, 16], {}],
    ),
    "advice-for-version-0": (ADVICE, [QUEUES[ADVICE].function, None, [MATCH, 0, 1], {}]),
    "no-call": (HOUSE, [ACT]),
    "no-json": (HOUSE, b"\x80\x04cos\nsystem\n."),
}


@pytest.mark.parametrize(("name", "call"), CALLS.values(), ids=CALLS)
def test_a_poisoned_job_is_refused_and_dropped(
    queues: Queues, tmp_path: Path, caplog: pytest.LogCaptureFixture, name: str, call: Call | bytes
) -> None:
    """A worker calls nothing but its queue's function for a match, however the job came there."""
    marker = tmp_path / "marker"
    if isinstance(call, list):
        text = plain_json.dumps(call).replace("{marker}", str(marker))
        call = plain_json.loads(text)

    poison(queues, name, call)

    assert refusal(queues, name, caplog)
    assert not marker.exists()


WEBHOOKS = [{"url": "http://127.0.0.1:9/", "statuses": ["ended"]}]
CALLBACK = "tests.attacks.test_queues.called_back"
EXTRAS = {
    "success": {"success_callback_name": CALLBACK},
    "failure": {"failure_callback_name": CALLBACK},
    "stopped": {"stopped_callback_name": CALLBACK},
    "webhook": {"webhooks": plain_json.dumps(WEBHOOKS)},
}


def no_webhooks(job: Job, *_: object, **_named: object) -> None:
    """Fail if a job has anything to send."""
    assert not job.webhooks


@pytest.mark.parametrize("extra", EXTRAS.values(), ids=EXTRAS)
def test_no_callbacks_of_a_job_are_called(
    queues: Queues, monkeypatch: pytest.MonkeyPatch, extra: dict[str, str]
) -> None:
    """The function of the queue is called for the match, and nothing around it is even imported."""
    matches: list[str] = []
    imported: list[str] = []
    monkeypatch.setattr(process, "ctx", lambda: None)
    monkeypatch.setattr(automation, "act", lambda _ctx, match: matches.append(match))
    monkeypatch.setattr("rq.job.import_attribute", imported.append)
    monkeypatch.setattr("rq.job.Job.send_webhooks", no_webhooks)
    poison(queues, HOUSE, GOOD_CALL, **extra)

    work(queues, HOUSE)

    assert (matches, imported) == ([MATCH], [])


SEAL = Seal(b"s" * 32)  # of the service that is attacked
ADVISED: Call = [QUEUES[ADVICE].function, None, [MATCH, 3, 0], {}]
AUDITED: Call = [QUEUES[AUDITS].function, None, [MATCH, 3], {}]

# A queue, one of its calls, and a stranger's code for it.
CODES: dict[str, tuple[str, Call, object]] = {
    "advice-without-a-code": (ADVICE, ADVISED, None),
    "an-audit-without-a-code": (AUDITS, AUDITED, None),
    "a-made-up-code": (ADVICE, ADVISED, "ab" * 32),
    "no-text": (ADVICE, ADVISED, 7),
    "the-code-of-another-seat": (ADVICE, ADVISED, SEAL.code(ADVICE, "poison", [MATCH, 3, 1])),
    "the-code-of-another-job": (ADVICE, ADVISED, SEAL.code(ADVICE, "advice", [MATCH, 3, 0])),
    "a-wrong-code-where-none-is-needed": (HOUSE, GOOD_CALL, "ab" * 32),
}


@pytest.mark.parametrize(("name", "call", "code"), CODES.values(), ids=CODES)
def test_a_job_that_the_service_has_not_made_is_refused(
    queues: Queues, caplog: pytest.LogCaptureFixture, name: str, call: Call, code: object
) -> None:
    """Otherwise anybody with access to the queues could have any seat advised."""
    meta = {} if code is None else {CODE: code}
    poison(queues, name, call, meta=plain_json.dumps(meta))

    assert refusal(queues, name, caplog) == "it was not made by this service"


def test_an_abandoned_job_calls_nothing_back(
    queues: Queues, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker's maintenance calls no failure callback. RQ's own would call that of any job."""
    imported: list[str] = []
    monkeypatch.setattr("rq.job.import_attribute", imported.append)
    poison(queues, HOUSE, GOOD_CALL, failure_callback_name=CALLBACK)

    # The job was begun a minute ago, and nobody does it.
    queue = queues.queues[HOUSE]
    queues.redis.delete(queue.key)
    queues.redis.zadd(queue.started_job_registry.key, {"poison:execution": time.time() - 60})
    make_worker(open_lane(HOUSE, queues)).run_maintenance_tasks()

    assert imported == []


@pytest.mark.parametrize("field", ["status", "created_at", "origin"])
def test_a_job_that_cannot_be_read_ends_no_worker(
    queues: Queues, monkeypatch: pytest.MonkeyPatch, field: str
) -> None:
    """Nonsense in a job's fields is passed over, and the job behind it is done."""
    matches: list[str] = []
    monkeypatch.setattr(process, "ctx", lambda: None)
    monkeypatch.setattr(automation, "act", lambda _ctx, match: matches.append(match))

    nonsense = {field: "nonsense"}
    poison(queues, HOUSE, GOOD_CALL, **nonsense)
    other_call: Call = [ACT, None, [OTHER_MATCH], {}]
    poison(queues, HOUSE, other_call, job_id="good")
    work(queues, HOUSE)

    assert matches == [OTHER_MATCH]


@pytest.mark.parametrize("timeout", ["-1", "1000000", "", "nonsense"])
def test_no_job_takes_the_worker_for_long(queues: Queues, timeout: str) -> None:
    """The service decides how long a job may take, and how often it is tried, not the job."""
    poison(queues, HOUSE, GOOD_CALL, timeout=timeout, retries_left="1000", result_ttl="-1")
    job = open_queue(HOUSE, queues.redis, AllowedJob).fetch_job("poison")

    assert isinstance(job, Job)
    assert job.timeout == QUEUES[HOUSE].timeout
    assert job.retries_left is None
    assert job.result_ttl == 0


# A function that puts a stranger's value into the queues' Redis. Its text is a match's id.
Plant = Callable[[Redis, str], object]
PLANTS: dict[str, Plant] = {
    "failures-that-are-no-numbers": lambda redis, _: redis.hset(FAILED_JOBS.key, BOTS, "many"),
    "more-failures-than-a-number-holds": lambda redis, _: redis.hset(
        FAILED_JOBS.key, BOTS, "9" * 400
    ),
    "failures-of-another-type": lambda redis, _: redis.set(FAILED_JOBS.key, "x"),
    "a-scheduler-without-a-name": lambda redis, _: redis.set(SCHEDULER, b"\xff"),
    "a-scheduler-of-another-type": lambda redis, _: redis.rpush(SCHEDULER, "x"),
    "workers-without-a-name": lambda redis, _: redis.sadd("rq:workers:bots", b"\xff"),
    "workers-of-another-type": lambda redis, _: redis.set("rq:workers:bots", "x"),
    "a-queue-of-another-type": lambda redis, _: redis.set("rq:queue:bots", "x"),
    "advice": lambda redis, match: redis.set(f"giornale:sealed:advice:{match}:0", "[]"),
    "advice-of-another-type": lambda redis, match: redis.rpush(
        f"giornale:sealed:advice:{match}:0", "x"
    ),
    "an-audit": lambda redis, match: redis.set(f"giornale:sealed:audit:{match}:1", "{}"),
    "a-job-of-another-type": lambda redis, match: redis.set(f"rq:job:audit-{match}", "x"),
    "a-job-without-data": lambda redis, match: redis.hset(f"rq:job:audit-{match}", "origin", "x"),
    "a-job-with-nonsense": lambda redis, match: redis.hset(
        f"rq:job:audit-{match}", mapping={"data": b"\xff", "origin": AUDITS, "timeout": "soon"}
    ),
    "a-job-nested-deeply": lambda redis, match: redis.hset(
        f"rq:job:audit-{match}", mapping={"data": "[" * 100_000, "origin": AUDITS}
    ),
}


@pytest.mark.whole
@pytest.mark.parametrize("plant", PLANTS.values(), ids=PLANTS)
def test_planted_values_in_the_queues_break_no_answer(door: Door, plant: Plant) -> None:
    """Unreadable values count as none: no 500, and metrics are told all the same."""
    advised = opened(door, advice=True)
    redis: Any = advised.services.queues.redis
    plant(redis, advised.match)

    with redis.pubsub() as listening:
        listening.subscribe(b"rq:pubsub:bots-\xff")
        listening.get_message(timeout=PATIENCE)
        metrics = advised.get("/metrics")
        ready = advised.get("/readyz")
        advice = advised.post("advice", None, "seat:0")
        audit = advised.post("audits", None)

    assert metrics.status_code == 200
    assert "giornale_queues_up 1.0" in metrics.text
    assert "queues" not in json(ready)["checks"]
    assert advice.status_code == 202
    assert audit.status_code == 202


BEGUN = f"rq:job:house-{MATCH}-7"
EXECUTIONS = f"rq:executions:house-{MATCH}-7"

# A stranger's values at the scheduler's keys of lost jobs.
LOST: dict[str, Plant] = {
    "a-job-of-another-type": lambda redis, _: redis.set(BEGUN, "x"),
    "a-job-that-was-stopped": lambda redis, _: redis.hset(BEGUN, "status", "stopped"),
    "a-status-that-is-none": lambda redis, _: redis.hset(BEGUN, "status", "nonsense"),
    "a-worker-without-a-name": lambda redis, _: redis.hset(BEGUN, "worker_name", b"\xff"),
    "no-worker": lambda redis, _: redis.hdel(BEGUN, "worker_name"),
    "an-execution-without-a-name": lambda redis, _: redis.zadd(EXECUTIONS, {b"\xff": 1}),
    "executions-of-another-type": lambda redis, _: redis.set(EXECUTIONS, "x"),
    "popped-jobs-of-another-type": lambda redis, _: redis.set("rq:queue:house:intermediate", "x"),
    "begun-jobs-of-another-type": lambda redis, _: redis.set("rq:wip:house", "x"),
}


@pytest.mark.parametrize("plant", LOST.values(), ids=LOST)
def test_planted_values_do_not_stop_the_scheduler(queues: Queues, plant: Plant) -> None:
    """A job neither waiting nor at work is put into its queue, beside any other values."""
    queues.redis.hset(BEGUN, mapping={"status": "started", "worker_name": "bots-h-1"})
    plant(queues.redis, MATCH)

    queues.enqueue(MATCH, 7, "house")

    assert queues.queues[HOUSE].job_ids == [f"house-{MATCH}-7"]


def test_a_queue_of_another_type_stops_no_scheduler(queues: Queues) -> None:
    """Neither adding a job to it nor the search for lost jobs raises anything."""
    queues.redis.set("rq:queue:house", "x")

    queues.enqueue(MATCH, 7, "house")

    assert LostJobs(queues).to_blame() == []


def test_a_flood_of_audits_is_bounded(match: Door) -> None:
    """If 100 audits wait, another is refused with 503. A request for a waiting one is not."""
    queues: Queues = match.services.queues
    assert match.post("audits", None).status_code == 202
    for number in range(1, jobs.MOST_AUDITS_WAITING):
        jobs.start_audit(queues, match_id(number), 1)

    with pytest.raises(Overloaded):
        jobs.start_audit(queues, MATCH, 1)
    assert queues.depths()[AUDITS] == jobs.MOST_AUDITS_WAITING
    assert match.post("audits", None).status_code == 202

    # Another match takes the place of the one that is asked for.
    queues.queues[AUDITS].remove(f"audit-{match.match}")
    queues.redis.delete(f"rq:job:audit-{match.match}")
    jobs.start_audit(queues, MATCH, 1)
    refused = match.post("audits", None)

    assert refused.status_code == 503
    assert json(refused)["type"] == "/problems/overloaded"
    assert int(refused.headers["Retry-After"]) > 0


def match_id(number: int) -> str:
    """Return an id of the right form for each number."""
    allowed_digits = str.maketrans("0189", "abcd")
    return f"{number:026}".translate(allowed_digits)
