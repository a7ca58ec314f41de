"""Audits, receipts and the erasure of names through the door, as anybody may use them."""

from collections.abc import Callable
from typing import Any

import pytest

from service.jobs import requests as jobs_requests
from service.jobs.queues import AUDITS
from service.ledger.record import check_receipt
from service.matches import lifecycle
from tests.service.api.conftest import OPERATOR, Door, json
from workers import jobs as worker_jobs, process
from workers.worker import make_worker

SIGNED = ("match", "version", "hash", "time")


def keys_of(door: Door) -> Any:
    """Return the keys that receipts are checked against."""
    return json(door.get("/v1/keys"))["keys"]


def check_receipt_of(commit: dict[str, Any], keys: Any) -> None:
    """Fail unless a commit's receipt is right and of this very commit."""
    receipt = commit["receipt"]
    check_receipt(receipt, keys)
    for name in SIGNED:
        assert receipt[name] == commit[name]


@pytest.fixture
def as_worker(ended: Door, monkeypatch: pytest.MonkeyPatch) -> Door:
    """The ended match, which this process may audit as a worker would."""
    parts = (ended.ctx, ended.services.queues)
    monkeypatch.setattr(process, "_context_and_queues", lambda: parts)
    return ended


def test_nobody_sees_a_private_key(match: Door) -> None:
    """The list of keys holds public parts alone and may be kept by caches."""
    answer = match.get("/v1/keys")

    [key] = json(answer)["keys"]

    assert set(key) == {"id", "algorithm", "public", "from", "until"}
    assert answer.headers["Cache-Control"].startswith("public")


def test_a_move_is_answered_with_a_receipt(match: Door) -> None:
    """The answer holds a signed receipt of the very commit; a repeat gets it, too."""
    headers = {"Idempotency-Key": "once"}
    move = match.moves("seat:0")[0]

    made = json(match.post("moves", move, "seat:0", headers=headers))
    again = json(match.post("moves", move, "seat:0", headers=headers))

    keys = keys_of(match)
    check_receipt_of(made, keys)
    assert again["receipt"] == made["receipt"]


def test_any_commit_has_a_receipt(ended: Door) -> None:
    """The house's and the bots' commits have one too."""
    keys = keys_of(ended)
    last_version = json(ended.get())["version"]

    for version in (1, 2, last_version):
        commit = json(ended.get(f"commits/{version}"))
        check_receipt_of(commit, keys)


def test_a_match_has_the_receipt_of_its_last_commit(ended: Door) -> None:
    """Whoever keeps it can prove how far the match had come."""
    match = json(ended.get())
    receipt = match["receipt"]

    check_receipt(receipt, keys_of(ended))
    assert receipt["hash"] == match["hash"]
    assert receipt["version"] == match["version"]


def test_a_receipt_by_another_key_has_another_etag(ended: Door) -> None:
    """Who holds an old receipt is not told that nothing has changed; both receipts are right."""
    first = ended.get("commits/2")
    held = {"If-None-Match": first.headers["ETag"]}

    assert ended.get("commits/2", headers=held).status_code == 304

    assert ended.ctx.signer is not None

    ended.ctx.signer.rotate()
    second = ended.get("commits/2", headers=held)

    assert second.status_code == 200

    keys = keys_of(ended)
    check_receipt(json(first)["receipt"], keys)
    check_receipt(json(second)["receipt"], keys)


def test_an_audit_is_asked_for_worked_on_and_told(as_worker: Door) -> None:
    """202 and a Location while a worker is at it, then the report; asking twice is one job."""
    queues = as_worker.services.queues

    first = as_worker.get("audit")
    where = first.headers["Location"]

    assert first.status_code == 202
    assert json(first)["report"] is None
    assert as_worker.get(where).status_code == 202
    assert queues.depths()[AUDITS] == 1

    make_worker(AUDITS, queues).work(burst=True, logging_level=None)

    done = as_worker.get(where)

    assert done.status_code == 200
    assert json(done)["report"]["ok"] is True
    assert json(as_worker.get("audit"))["done"] == json(done)["version"]


def test_nobody_audits_a_match_that_is_gone(as_worker: Door) -> None:
    """What was asked before it was deleted is dropped, and is no failure."""
    queues = as_worker.services.queues
    as_worker.get("audit")
    lifecycle.delete(as_worker.ctx, as_worker.match, OPERATOR)

    make_worker(AUDITS, queues).work(burst=True, logging_level=None)

    assert queues.depths()[AUDITS] == 0
    assert queues.failures()[AUDITS] == 0
    assert queues.redis.keys("giornale:sealed:audit:*") == []


def test_an_audit_tells_how_far_it_is(as_worker: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between question and report the answer says how many commits have been checked."""
    monkeypatch.setattr(worker_jobs, "NOTE_SECONDS", -1)
    told: list[int] = []
    note: Callable[..., None] = jobs_requests.keep_audit

    def note_and_ask(*arguments: Any) -> None:
        note(*arguments)
        told.append(json(as_worker.get("audit"))["done"])

    monkeypatch.setattr(jobs_requests, "keep_audit", note_and_ask)
    version = json(as_worker.get())["version"]

    worker_jobs.audit(as_worker.match, version)

    each_commit = list(range(1, version + 1))

    assert told == [*each_commit, version]


def test_an_earlier_version_is_not_audited_anew(as_worker: Door) -> None:
    """A match is audited as it is now; of an earlier version only a kept report is told."""
    refused = as_worker.get("audit/3")
    assert refused.status_code == 404
    assert "audit" in json(refused)["detail"]

    worker_jobs.audit(as_worker.match, 3)

    assert json(as_worker.get("audit/3"))["report"]["ok"] is True


def test_an_audit_under_way_is_told_though_the_match_moved_on(match: Door) -> None:
    """Whoever asks again where Location said gets progress, not a 404, until the job is done."""
    where = match.get("audit").headers["Location"]

    match.move("seat:0")

    assert match.get(where).status_code == 202
    assert match.get("audit").status_code == 202
    assert match.services.queues.depths()[AUDITS] == 1, "one job a match"
