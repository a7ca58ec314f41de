"""Audits, receipts and the keys of receipts through the door, as anybody may use them."""

from collections.abc import Callable
from typing import Any

import pytest

from service.capabilities.audits import jobs as audit_jobs
from service.record.record import check_receipt
from service.store.jobs.counters import FAILED_JOBS
from service.store.jobs.table import ADVICE, AUDITS
from tests.service.api.conftest import OPERATOR, Door, json, moved, opened, waiting, work
from workers import jobs as worker_jobs

SIGNED = ("match", "version", "hash", "time")


@pytest.fixture
def audited(ended: Door, as_worker: None) -> Door:
    """The ended match, which this process may audit as a worker would."""
    return ended


def test_every_receipt_is_right(ended: Door) -> None:
    """That of a human's, a bot's and the house's commit, and that of the match: it is the last.

    The keys that are listed for checking hold public parts alone, and may be kept by caches.
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
    """202 and a Location while a worker is at it, then the report; asking twice is one job.

    A match is audited as it is now; of an earlier version only a kept report is told.
    """
    first = audited.get("audit")
    where = first.headers["Location"]

    assert first.status_code == 202
    assert json(first)["report"] is None
    assert audited.get(where).status_code == 202
    assert waiting(audited, AUDITS) == 1

    work(audited, AUDITS)
    done = audited.get(where)

    assert done.status_code == 200
    assert json(done)["report"]["ok"] is True
    assert json(audited.get("audit"))["done"] == json(done)["version"]

    refused = audited.get("audit/3")
    assert refused.status_code == 404
    assert "audit" in json(refused)["detail"]

    worker_jobs.audit(audited.match, 3)

    assert json(audited.get("audit/3"))["report"]["ok"] is True


@pytest.mark.parametrize(("path", "queue"), [("audit", AUDITS), ("advice", ADVICE)])
def test_nobody_works_for_a_match_that_is_gone(
    door: Door, as_worker: None, path: str, queue: str
) -> None:
    """What was asked before it was deleted is dropped, is no failure, and leaves nothing."""
    opened(door, advice=True)
    assert door.get(path, "seat:0").status_code == 202
    assert door.delete("", OPERATOR).status_code == 204

    work(door, queue)

    assert waiting(door, queue) == 0
    assert door.services.queues.counts(FAILED_JOBS)[queue] == 0
    assert door.services.queues.redis.keys("giornale:sealed:*") == []


def test_an_audit_tells_how_far_it_is(audited: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between question and report the answer says how many commits have been checked."""
    monkeypatch.setattr(audit_jobs, "NOTE_SECONDS", -1)
    told: list[int] = []
    note: Callable[..., None] = audit_jobs.keep_audit

    def note_and_ask(*arguments: Any) -> None:
        note(*arguments)
        told.append(json(audited.get("audit"))["done"])

    monkeypatch.setattr(audit_jobs, "keep_audit", note_and_ask)
    version = json(audited.get())["version"]

    worker_jobs.audit(audited.match, version)

    assert told == [*range(1, version + 1), version]


def test_an_audit_under_way_is_told_though_the_match_moved_on(match: Door) -> None:
    """Whoever asks again where Location said gets progress, not a 404, until the job is done.

    A question for the audit of each version in turn makes one job.
    """
    where = match.get("audit").headers["Location"]

    moved(match, 2)

    assert match.get(where).status_code == 202
    assert match.get("audit/2").status_code == 404
    assert match.get("audit/3").status_code == 202
    assert match.get("audit").status_code == 202
    assert waiting(match, AUDITS) == 1, "one job a match"
