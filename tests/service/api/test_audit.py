"""Records, audits, keys and the erasure of names through the door, as anybody may use them."""

import hashlib
from collections.abc import Callable
from typing import Any

import pytest

from service.api.http.intake import MOST_BYTES
from service.jobs import audits as jobs
from service.jobs.queues import AUDITS
from service.ledger import record
from service.ledger.receipts import check_receipt
from service.matches import house
from service.verify.audit import verify_record
from tests.service.api.conftest import OPERATOR, THREE, Door, json, opened
from workers import audits, context
from workers.bots import choose
from workers.worker import make_worker

BOTS = [{"kind": "bot", "level": "random"}] * 3
NDJSON = "application/x-ndjson"


@pytest.fixture
def ended(door: Door) -> Door:
    """A match of bots that has been played to its end."""
    opened(door, seats=BOTS)
    while json(door.get())["status"] == "running":
        house.play_bots(door.desk, door.match, choose)
        door.house()
    return door


def test_a_move_is_answered_with_a_receipt_that_the_keys_bear_out(match: Door) -> None:
    """The answer holds a signed receipt of the very commit; a repeat gets it, too."""
    headers = {"Idempotency-Key": "once"}
    move = match.moves("seat:0")[0]
    made = json(match.post("moves", move, "seat:0", headers=headers))
    keys = json(match.get("/v1/keys"))["keys"]
    check_receipt(made["receipt"], keys)
    assert {name: made["receipt"][name] for name in ("match", "version", "hash", "time")} == {
        name: made[name] for name in ("match", "version", "hash", "time")
    }
    assert json(match.post("moves", move, "seat:0", headers=headers))["receipt"] == made["receipt"]


def test_nobody_sees_a_private_key(match: Door) -> None:
    """The list of keys holds public parts alone and may be kept by caches."""
    answer = match.get("/v1/keys")
    assert [set(key) for key in json(answer)["keys"]] == [
        {"id", "algorithm", "public", "from", "until"}
    ]
    assert answer.headers["Cache-Control"].startswith("public")


def test_a_record_goes_out_and_in_by_the_door(ended: Door) -> None:
    """What is exported verifies offline, and is taken in again: the same match, once."""
    answer = ended.get("record")
    assert answer.mimetype == NDJSON
    assert verify_record(record.lines(answer.data)).report.unchecked == []
    assert ended.get("record", headers={"If-None-Match": answer.headers["ETag"]}).status_code == 304
    again = ended.ask("POST", "/v1/records", OPERATOR, data=answer.data, content_type=NDJSON)
    assert (again.status_code, json(again)["match"]) == (200, ended.match)


def test_a_record_moves_to_an_empty_server(ended: Door) -> None:
    """Taken in elsewhere, a match shows its outcome, and exported again it is the same to the byte."""
    content, before = ended.get("record").data, json(ended.get())
    ended.desk.journal._redis.flushall()  # type: ignore[attr-defined]
    ended.desk.shelf.drop(ended.match)
    answer = ended.ask("POST", "/v1/records", OPERATOR, data=content, content_type=NDJSON)
    assert (answer.status_code, answer.headers["Location"]) == (201, f"/v1/matches/{ended.match}")
    assert ended.get("record").data == content
    after = json(ended.get())
    by = hashlib.sha256(OPERATOR.encode()).hexdigest()[:16]
    assert after.pop("imported")["by"] == by
    assert after == before


@pytest.mark.parametrize(
    ("change", "status", "kind", "commit"),
    [
        pytest.param(
            lambda data: data.replace(b"seat:1", b"seat:2", 1),
            422,
            "bad-record",
            True,
            id="changed",
        ),
        pytest.param(lambda data: data[:-1], 422, "bad-record", True, id="cut"),
        pytest.param(lambda data: data[:0], 422, "bad-record", True, id="empty"),
        pytest.param(
            lambda data: data[:1] * (MOST_BYTES + 1), 413, "too-large", False, id="too-large"
        ),
    ],
)
def test_a_bad_record_is_refused_with_its_place(
    ended: Door, change: Callable[[bytes], bytes], status: int, kind: str, commit: bool
) -> None:
    """The problem names the first bad commit and what is wrong with it."""
    answer = ended.ask(
        "POST", "/v1/records", OPERATOR, data=change(ended.get("record").data), content_type=NDJSON
    )
    problem = json(answer)
    assert (answer.status_code, problem["type"]) == (status, f"/problems/{kind}")
    assert ({"commit", "code"} <= problem.keys()) is commit


def test_a_record_is_no_json(ended: Door) -> None:
    """Another media type is refused as such."""
    assert (
        ended.ask(
            "POST", "/v1/records", OPERATOR, data=b"{}", content_type="application/json"
        ).status_code
        == 415
    )


def test_a_record_before_the_end_is_redacted_for_its_reader(match: Door) -> None:
    """The public gets no secret part, a seat its own, and both verify as far as they go."""
    match.move("seat:0")
    for who, audiences in (("", set()), ("seat:1", {"seat:1"}), ("owner", set())):
        lines = record.lines(match.get("record", who).data)
        held = {audience for line in lines for audience in record.read_line(line)[0]["secrets"]}
        assert held <= audiences
        assert verify_record(lines).report.wrong is None


def test_an_audit_is_asked_for_worked_on_and_told(
    ended: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    """202 and a Location while a worker is at it, then the report; asking twice is one job."""
    queues = ended.client.application.extensions["queues"]
    monkeypatch.setattr(context, "_opened", lambda: (ended.desk, queues))
    first = ended.get("audit")
    where = first.headers["Location"]
    assert (first.status_code, json(first)["report"]) == (202, None)
    assert ended.ask("GET", where).status_code == 202
    assert queues.depths()[AUDITS] == 1
    make_worker(AUDITS, queues.redis).work(burst=True, logging_level=None)
    told = ended.ask("GET", where)
    assert told.status_code == 200
    assert json(told)["report"]["ok"] is True
    assert json(ended.get("audit"))["done"] == json(told)["version"]


def test_an_audit_tells_how_far_it_is(ended: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between question and report the answer says how many commits have been checked."""
    queues = ended.client.application.extensions["queues"]
    monkeypatch.setattr(context, "_opened", lambda: (ended.desk, queues))
    monkeypatch.setattr(audits, "NOTE_SECONDS", -1)
    seen: list[int] = []
    note = jobs.note

    def watched(*args: Any) -> None:
        note(*args)
        seen.append(json(ended.get("audit"))["done"])

    monkeypatch.setattr(jobs, "note", watched)
    version = json(ended.get())["version"]
    audits.run(ended.match, version)
    assert seen == [*range(1, version + 1), version]


def test_an_audit_is_for_those_who_may_see_the_match(door: Door) -> None:
    """A private match's record and audit are not there for strangers."""
    opened(door, seats=THREE, visibility="private")
    for path in ("record", "audit", "audit/1"):
        assert door.get(path).status_code == 404
        assert door.get(path, "spectator").status_code in (200, 202)
    assert door.get("audit/99", "owner").status_code == 404


def test_a_name_is_erased_by_its_bearer(lobby: Door) -> None:
    """DELETE takes the name away, again and again; history only grows by the word that it was done, once (M13)."""
    before = lobby.get("record").data
    assert lobby.ask("DELETE", "players/0").status_code == 401
    for who in ("seat:0", "owner"):
        assert lobby.ask("DELETE", "players/0", who).status_code == 204
    assert "name" not in json(lobby.get())["seats"][0]
    after = lobby.get("record").data
    assert after.startswith(before)
    told = json(lobby.get("commits/2"))
    assert (json(lobby.get())["version"], told["actor"]) == (2, "seat:0")
    assert told["events"] == [{"type": "name_erased", "seat": 0}]


def test_any_commit_has_a_receipt(ended: Door) -> None:
    """The house's and the bots' commits have one too, and so has the match's head."""
    keys, match = json(ended.get("/v1/keys"))["keys"], json(ended.get())
    for version in (1, 2, match["version"]):
        commit = json(ended.get(f"commits/{version}"))
        check_receipt(commit["receipt"], keys)
        assert {name: commit["receipt"][name] for name in ("match", "version", "hash", "time")} == {
            name: commit[name] for name in ("match", "version", "hash", "time")
        }
    check_receipt(match["receipt"], keys)
    assert (match["receipt"]["hash"], match["receipt"]["version"]) == (
        match["hash"],
        match["version"],
    )


def test_a_receipt_by_another_key_has_another_etag(ended: Door) -> None:
    """Who holds an old receipt is not told that nothing has changed; both receipts are right."""
    first = ended.get("commits/2")
    assert (
        ended.get("commits/2", headers={"If-None-Match": first.headers["ETag"]}).status_code == 304
    )
    assert ended.desk.signer is not None
    ended.desk.signer.rotate()
    second = ended.get("commits/2", headers={"If-None-Match": first.headers["ETag"]})
    assert second.status_code == 200
    keys = json(ended.get("/v1/keys"))["keys"]
    for answer in (first, second):
        check_receipt(json(answer)["receipt"], keys)


def test_a_private_match_shows_no_receipt_to_strangers(door: Door) -> None:
    """A receipt tells that a match exists: it is for those who may see it."""
    opened(door, seats=THREE, visibility="private")
    for path in ("", "commits/1"):
        assert door.get(path).status_code == 404
        assert door.get(path, "spectator").headers["Cache-Control"].startswith("private")
        assert json(door.get(path, "spectator"))["receipt"]["match"] == door.match


def test_an_earlier_version_is_not_audited_anew(
    ended: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A match is audited as it is now; of an earlier version only a report that is there already is told."""
    queues = ended.client.application.extensions["queues"]
    monkeypatch.setattr(context, "_opened", lambda: (ended.desk, queues))
    refused = ended.get("audit/3")
    assert refused.status_code == 404
    assert "audit" in json(refused)["detail"]
    audits.run(ended.match, 3)
    assert json(ended.get("audit/3"))["report"]["ok"] is True


def test_an_audit_under_way_is_told_though_the_match_moved_on(match: Door) -> None:
    """Whoever asks again where Location said gets progress, not a 404, until the job is done."""
    where = match.get("audit").headers["Location"]
    match.move("seat:0")
    assert match.ask("GET", where).status_code == 202
    assert match.get("audit").status_code == 202
    assert match.client.application.extensions["queues"].depths()[AUDITS] == 1, "one job a match"
