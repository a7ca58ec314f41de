"""Audits, receipts and the keys of receipts over HTTP, for any caller."""

from collections.abc import Callable
from typing import Any

import pytest

from service.capabilities.audits import jobs as audit_jobs
from service.record.record import check_receipt
from service.store.jobs.counters import FAILED_JOBS
from service.store.jobs.requests import KEEP_SECONDS
from service.store.jobs.table import ADVICE, AUDITS
from tests.service.api.conftest import OPERATOR, Door, json, moved, opened, waiting, work
from workers import jobs as worker_jobs

SIGNED = ("match", "version", "hash", "time")


@pytest.fixture
def audited(ended: Door, as_worker: None) -> Door:
    """The ended match, which this process may audit as a worker would."""
    return ended


def test_every_receipt_is_right(ended: Door) -> None:
    """Commits of several actors have right receipts, and the match has the last of them.

    The list of keys has public parts alone, and caches may store it.
    """
    listed = ended.get("/v1/keys")
    keys = json(listed)["keys"]
    for key in keys:
        assert set(key) == {"id", "algorithm", "public", "from", "until"}
    assert listed.headers["Cache-Control"].startswith("public")

    match = json(ended.get())
    commits = [json(ended.get(f"commits/{version}")) for version in (1, 2, match["version"])]

    for commit in (*commits, match):
        receipt = commit["receipt"]
        check_receipt(receipt, keys)
        assert [receipt[name] for name in SIGNED[1:3]] == [commit[name] for name in SIGNED[1:3]]
    assert match["receipt"] == commits[-1]["receipt"]


def test_an_audit_is_asked_for_worked_on_and_told(audited: Door) -> None:
    """The answer is 202 with a Location until a worker is done, then the report.

    Two requests are one job. For an earlier version there is only a stored report.
    """
    last = json(audited.get())["version"]
    assert audited.get(f"audits/{last}").status_code == 404
    assert waiting(audited, AUDITS) == 0, "reading starts nothing"

    first = audited.post("audits", None)
    where = first.headers["Location"]

    assert first.status_code == 202
    assert json(first)["report"] is None
    assert where == f"/v1/matches/{audited.match}/audits/{last}"
    assert json(audited.get(where)) == json(audited.post("audits", None)) == json(first)
    assert waiting(audited, AUDITS) == 1

    work(audited, AUDITS)
    completed = audited.get(where)

    assert completed.status_code == 200
    assert json(completed)["report"]["ok"] is True
    again = audited.post("audits", None)
    assert (again.status_code, json(again)) == (200, json(completed))
    assert again.headers["Location"] == where
    assert waiting(audited, AUDITS) == 0

    refused = audited.get("audits/3")
    assert refused.status_code == 404
    assert "audit" in json(refused)["detail"]

    worker_jobs.audit(audited.match, 3)

    assert json(audited.get("audits/3"))["report"]["ok"] is True


@pytest.mark.parametrize(("path", "queue"), [("audits", AUDITS), ("advice", ADVICE)])
def test_reading_leaves_a_job_that_a_worker_is_taking(door: Door, path: str, queue: str) -> None:
    """For a moment the job is neither queued nor running.

    GET is answered 202, and the job stays.
    """
    opened(door, advice=True)
    where = door.post(path, None, "seat:0").headers["Location"]
    queues = door.services.queues
    [job_id] = queues.queues[queue].job_ids
    queues.redis.lpop(queues.queues[queue].key)

    assert door.get(where, "seat:0").status_code == 202
    assert queues.queues[queue].fetch_job(job_id) is not None


def test_a_later_request_is_answered_by_the_audit_under_way(door: Door) -> None:
    """A match has one audit at a time. A later request gets the address of the earlier one."""
    opened(door)
    where = door.post("audits", None).headers["Location"]
    door.move("seat:0")

    again = door.post("audits", None)

    assert (again.status_code, again.headers["Location"]) == (202, where)
    assert door.get(where).status_code == 202
    assert door.get("audits/2").status_code == 404
    assert waiting(door, AUDITS) == 1


@pytest.mark.parametrize(("path", "queue"), [("audits", AUDITS), ("advice", ADVICE)])
def test_nobody_works_for_a_match_that_is_gone(
    door: Door, as_worker: None, path: str, queue: str
) -> None:
    """A job asked for before the deletion is dropped and is no failure.

    Only the note of the request stays, for ten minutes at most.
    """
    opened(door, advice=True)
    assert door.post(path, None, "seat:0").status_code == 202
    assert door.delete("", OPERATOR).status_code == 204

    work(door, queue)

    assert waiting(door, queue) == 0
    assert door.services.queues.counts(FAILED_JOBS)[queue] == 0
    redis = door.services.queues.redis
    [note] = redis.keys("giornale:sealed:*")
    assert str(note).count("giornale:sealed:asked:") == 1
    assert 0 < redis.ttl(note) <= KEEP_SECONDS


def test_an_audit_tells_how_far_it_is(audited: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between request and report the answer gives the number of checked commits."""
    monkeypatch.setattr(audit_jobs, "NOTE_SECONDS", -1)
    where = audited.post("audits", None).headers["Location"]
    progress: list[int] = []
    note: Callable[..., None] = audit_jobs.keep_audit

    def note_and_ask(*arguments: Any) -> None:
        note(*arguments)
        progress.append(json(audited.get(where))["done"])

    monkeypatch.setattr(audit_jobs, "keep_audit", note_and_ask)
    version = json(audited.get())["version"]

    worker_jobs.audit(audited.match, version)

    assert progress == [*range(1, version + 1), version]


def test_an_audit_under_way_is_told_though_the_match_moved_on(match: Door) -> None:
    """GET of the Location is answered 202, not 404, until the job is done.

    Meanwhile a request for the next audit is answered by the one under way.
    """
    where = match.post("audits", None).headers["Location"]

    moved(match, 2)

    assert match.get(where).status_code == 202
    assert match.get("audits/2").status_code == 404
    assert match.get("audits/3").status_code == 404
    again = match.post("audits", None)
    assert (again.status_code, again.headers["Location"]) == (202, where)
    assert waiting(match, AUDITS) == 1, "one job a match"
