"""Attacks on the queues: jobs that somebody else has put there, and more audits than anybody can do."""

import json as plain
import logging
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rq.job import Job

from service.errors import Overloaded
from service.jobs import audits as jobs
from service.jobs.queues import AUDITS, BOTS, FUNCTIONS, SCORING, TIMEOUT, Queues, open_queue
from service.matches import house
from tests.service.api.conftest import Door, app, desk, door, json, match
from workers import context
from workers.allowed_jobs import AllowedJob
from workers.worker import make_worker

__all__ = ["app", "desk", "door", "match"]  # the fixtures of the door

MATCH = "a" * 26
ACT = FUNCTIONS[SCORING]
Call = list[Any]


@pytest.fixture
def queues(redis_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Queues]:
    """Empty queues, and a desk that no job may ask for."""
    monkeypatch.setattr(context, "desk", lambda: pytest.fail("a poisoned job was done"))
    made = Queues(redis_url)
    yield made
    made.redis.close()


def poison(
    queues: Queues, name: str, call: Call | bytes, job_id: str = "poison", **more: str
) -> str:
    """Put a job into a queue as whoever can write to its Redis can."""
    data = call if isinstance(call, bytes) else plain.dumps(call).encode()
    fields: Any = {
        "data": zlib.compress(data),
        "origin": name,
        "status": "queued",
        "created_at": "2026-01-01T00:00:00Z",
        **more,
    }
    queues.redis.hset(f"rq:job:{job_id}", mapping=fields)
    queues.redis.rpush(queues.queues[name].key, job_id)
    return job_id


def work(queues: Queues, name: str) -> None:
    """Let a worker do all that stands in a queue."""
    make_worker(name, queues.redis).work(burst=True, logging_level=None)


CALLS: dict[str, tuple[str, Call | bytes]] = {
    "another-function": (SCORING, ["os.system", None, ["touch {marker}"], {}]),
    "another-queues-function": (SCORING, [FUNCTIONS[BOTS], None, [MATCH], {}]),
    "a-method-of-an-instance": (SCORING, [ACT, MATCH, [MATCH], {}]),
    "keyword-arguments": (SCORING, [ACT, None, [], {"match": MATCH}]),
    "no-match": (SCORING, [ACT, None, ["../../etc/passwd"], {}]),
    "a-match-with-a-line-end": (SCORING, [ACT, None, [MATCH + "\n"], {}]),
    "two-matches": (SCORING, [ACT, None, [MATCH, MATCH], {}]),
    "a-list-for-a-match": (SCORING, [ACT, None, [[MATCH]], {}]),
    "an-audit-without-version": (AUDITS, [FUNCTIONS[AUDITS], None, [MATCH], {}]),
    "an-audit-of-version-true": (AUDITS, [FUNCTIONS[AUDITS], None, [MATCH, True], {}]),
    "an-audit-of-version-0": (AUDITS, [FUNCTIONS[AUDITS], None, [MATCH, 0], {}]),
    "no-call": (SCORING, [ACT]),
    "no-json": (SCORING, b"\x80\x04cos\nsystem\n."),
}


@pytest.mark.parametrize(("name", "call"), CALLS.values(), ids=CALLS)
def test_a_poisoned_job_is_refused_and_dropped(
    queues: Queues, tmp_path: Path, caplog: pytest.LogCaptureFixture, name: str, call: Call | bytes
) -> None:
    """Whoever can write to the queues' Redis makes the worker call nothing but its queue's function for a match."""
    marker = tmp_path / "marker"
    if isinstance(call, list):
        call = plain.loads(plain.dumps(call).replace("{marker}", str(marker)))
    poison(queues, name, call)
    with caplog.at_level(logging.WARNING):
        work(queues, name)
    assert not marker.exists()
    assert [record.message for record in caplog.records if record.name == "workers.worker"] == [
        "a job was refused"
    ]
    assert not queues.redis.keys("rq:job:*") + queues.redis.keys("*:intermediate")


CALLBACK = "tests.attacks.test_queues.called_back"
EXTRAS = {
    "success": {"success_callback_name": CALLBACK},
    "failure": {"failure_callback_name": CALLBACK},
    "stopped": {"stopped_callback_name": CALLBACK},
    "webhook": {
        "webhooks": plain.dumps([{"url": "http://127.0.0.1:9/", "statuses": ["finished"]}])
    },
}


def called_back(*_: object) -> None:
    """Prove that something was called."""
    pytest.fail("a callback was called")


@pytest.mark.parametrize("extra", EXTRAS.values(), ids=EXTRAS)
def test_a_job_with_callbacks_is_refused(
    queues: Queues, caplog: pytest.LogCaptureFixture, extra: dict[str, str]
) -> None:
    """The right function for a right match is not done either, if something else were called around it."""
    poison(queues, SCORING, [ACT, None, [MATCH], {}], **extra)
    with caplog.at_level(logging.WARNING):
        work(queues, SCORING)
    assert "a job was refused" in caplog.messages


def test_an_abandoned_job_calls_nothing_back(
    queues: Queues, monkeypatch: pytest.MonkeyPatch
) -> None:
    """RQ's own sweep of its registries would call the failure callback of whatever stands there."""
    imported: list[str] = []
    monkeypatch.setattr("rq.job.import_attribute", imported.append)
    poison(queues, SCORING, [ACT, None, [MATCH], {}], failure_callback_name=CALLBACK)
    queues.redis.delete(queues.queues[SCORING].key)
    queues.redis.zadd(
        queues.queues[SCORING].started_job_registry.key, {"poison:execution": time.time() - 60}
    )
    make_worker(SCORING, queues.redis).run_maintenance_tasks()  # type: ignore[no-untyped-call]
    assert imported == []


@pytest.mark.parametrize("field", ["status", "timeout", "retries_left"])
def test_a_job_that_cannot_be_read_ends_no_worker(
    queues: Queues, monkeypatch: pytest.MonkeyPatch, field: str
) -> None:
    """Nonsense in a job's fields is passed over, and the job behind it is done."""
    done: list[str] = []
    monkeypatch.setattr(context, "desk", lambda: None)
    monkeypatch.setattr(house, "act", lambda _desk, match: done.append(match))
    poison(queues, SCORING, [ACT, None, [MATCH], {}], **{field: "nonsense"})
    poison(queues, SCORING, [ACT, None, ["b" * 26], {}], job_id="good")
    work(queues, SCORING)
    assert done == ["b" * 26]


@pytest.mark.parametrize("timeout", ["-1", "1000000", ""])
def test_no_job_takes_the_worker_for_long(queues: Queues, timeout: str) -> None:
    """How long a job may take, and how often it is tried, is the service's to say and not the job's."""
    poison(
        queues,
        SCORING,
        [ACT, None, [MATCH], {}],
        timeout=timeout,
        retries_left="1000",
        result_ttl="-1",
    )
    job = open_queue(SCORING, queues.redis, AllowedJob).fetch_job("poison")
    assert isinstance(job, Job)
    assert (job.timeout, job.retries_left, job.result_ttl) == (TIMEOUT, 1, 0)


def test_every_version_of_a_match_is_one_job(match: Door) -> None:
    """Whoever asks for the audit of each version in turn makes one job, of the last version."""
    for _ in range(2):
        match.move("seat:0") if match.moves("seat:0") else match.move("seat:1")
    last = json(match.get())["version"]
    answers = [match.get(f"audit/{version}").status_code for version in range(1, last + 1)]
    assert answers == [404] * (last - 1) + [202]
    assert match.client.application.extensions["queues"].depths()[AUDITS] == 1


def test_a_flood_of_audits_is_bounded(match: Door) -> None:
    """When a hundred wait already, the next is told to come back later; one that waits is still told."""
    queues = match.client.application.extensions["queues"]
    assert match.get("audit").status_code == 202
    for number in range(1, jobs.MOST_WAITING):
        jobs.ask(queues, f"{number:026}".translate(str.maketrans("0189", "abcd")), 1)
    with pytest.raises(Overloaded):
        jobs.ask(queues, MATCH, 1)
    assert queues.depths()[AUDITS] == jobs.MOST_WAITING
    assert match.get("audit").status_code == 202

    queues.queues[AUDITS].remove(f"audit-{match.match}")
    queues.redis.delete(f"rq:job:audit-{match.match}")
    jobs.ask(queues, MATCH, 1)
    refused = match.get("audit")
    assert (refused.status_code, json(refused)["type"]) == (503, "/problems/overloaded")
    assert int(refused.headers["Retry-After"]) > 0
