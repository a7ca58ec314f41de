"""Records through the door: whole matches out and in."""

import hashlib
from collections.abc import Callable
from typing import Any

import pytest
from redis import Redis
from werkzeug.test import TestResponse

from service.ledger import record
from service.verify.audit import verify_record
from tests.service.api.conftest import NDJSON, OPERATOR, Door, json, problem


def sent(door: Door, content: bytes, kind: str = NDJSON, **more: Any) -> TestResponse:
    """Import a record as the operator."""
    return door.ask("POST", "/v1/records", OPERATOR, data=content, content_type=kind, **more)


def test_a_record_that_was_exported_verifies(ended: Door) -> None:
    """Nothing in it is left unchecked, offline."""
    exported = ended.get("record")

    report = verify_record(record.lines(exported.data)).report
    assert exported.mimetype == NDJSON
    assert report.wrong is None
    assert report.unchecked == []


def test_a_record_goes_out_and_in_by_the_door(ended: Door) -> None:
    """Where the match is there already, it is the same match, once."""
    exported = ended.get("record")
    held = {"If-None-Match": exported.headers["ETag"]}

    imported = sent(ended, exported.data)

    assert imported.status_code == 200
    assert json(imported)["match"] == ended.match
    assert ended.get("record", headers=held).status_code == 304


def test_a_record_moves_to_an_empty_server(ended: Door, redis_url: str) -> None:
    """Taken in elsewhere, a match shows its outcome; exported again it is the same to the byte."""
    content = ended.get("record").data
    before = json(ended.get())
    with Redis.from_url(redis_url) as client:
        client.flushall()
    ended.ctx.cache.heads.drop(ended.match)

    answer = sent(ended, content)
    assert answer.status_code == 201
    assert answer.headers["Location"] == f"/v1/matches/{ended.match}"
    assert ended.get("record").data == content

    after = json(ended.get())
    imported = after.pop("imported")
    key_id = hashlib.sha256(OPERATOR.encode()).hexdigest()[:16]
    assert imported["by"] == key_id
    assert after == before


BAD: dict[str, Callable[[bytes], bytes]] = {
    "changed": lambda content: content.replace(b"seat:1", b"seat:2", 1),
    "cut": lambda content: content[:-1],
    "empty": lambda content: b"",  # noqa: ARG005
}


@pytest.mark.parametrize("change", BAD.values(), ids=BAD)
def test_a_bad_record_is_refused_with_its_place(
    ended: Door, change: Callable[[bytes], bytes]
) -> None:
    """The problem names the first bad commit and what is wrong with it."""
    content = ended.get("record").data

    answer = sent(ended, change(content))

    assert problem(answer) == (422, "bad-record")
    assert "commit" in json(answer)
    assert "code" in json(answer)


@pytest.mark.parametrize(
    ("who", "audiences"), [("", set()), ("seat:1", {"seat:1"}), ("owner", set())]
)
def test_a_record_before_the_end_is_redacted_for_its_reader(
    match: Door, who: str, audiences: set[str]
) -> None:
    """The public gets no secret part, a seat its own, and both verify as far as they go."""
    match.move("seat:0")

    lines = record.lines(match.get("record", who).data)

    shown: set[str] = set()
    for line in lines:
        entry, *_ = record.read_line(line)
        shown.update(entry["secrets"])

    assert shown <= audiences
    assert verify_record(lines).report.wrong is None


def test_a_record_is_kept_under_the_id_of_its_match(match: Door) -> None:
    """A browser stores it as a file with a name that tells what it is."""
    kept = match.get("record").headers["Content-Disposition"]
    assert kept == f'attachment; filename="{match.match}.ndjson"'
