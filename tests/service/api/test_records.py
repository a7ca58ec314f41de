"""Records over HTTP: export and import of whole matches."""

import hashlib
from typing import Any

from redis import Redis
from werkzeug.test import TestResponse

from service.record import record
from service.record.verify.audit import verify_record
from tests.service.api.conftest import NDJSON, OPERATOR, Door, json


def sent(door: Door, content: bytes, kind: str = NDJSON, **more: Any) -> TestResponse:
    """Import a record as the operator."""
    return door.ask("POST", "/v1/records", OPERATOR, data=content, content_type=kind, **more)


def test_a_record_goes_out_and_in_by_the_door(ended: Door) -> None:
    """A record verifies offline with nothing unchecked, and is imported under the id of its match.

    If the match exists already, the import leaves it unchanged.
    """
    exported = ended.get("record")
    condition = {"If-None-Match": exported.headers["ETag"]}
    disposition = exported.headers["Content-Disposition"]
    report = verify_record(record.lines(exported.data)).report
    assert (report.wrong, report.unchecked) == (None, [])
    assert disposition == f'attachment; filename="{ended.match}.ndjson"'

    imported = sent(ended, exported.data)

    assert imported.status_code == 200
    assert json(imported)["match"] == ended.match
    assert ended.get("record", headers=condition).status_code == 304


def test_a_record_goes_on_after_any_version(ended: Door) -> None:
    """The rest after a version has the lines of the whole record, and an ETag of its own."""
    whole = ended.get("record")
    lines = record.lines(whole.data)
    for after in (1, len(lines) - 40, len(lines) - 1, len(lines), len(lines) + 1):
        rest = ended.get(f"record?after={after}")
        assert (rest.status_code, rest.mimetype) == (200, NDJSON)
        assert record.lines(rest.data) == lines[after:]
        assert rest.headers["ETag"] != whole.headers["ETag"]
    assert ended.get("record?after=-1").status_code == 422


def test_a_record_moves_to_an_empty_server(ended: Door, redis_url: str) -> None:
    """An imported match shows its outcome. Exported again, its record is the same to the byte."""
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
    key_id = hashlib.sha256(OPERATOR.encode()).hexdigest()[:16]
    assert after.pop("imported_by") == key_id
    assert after.pop("imported")
    assert after == before
