"""Attacks by way of records: imports sent by strangers or a careless operator."""

import hashlib
from collections.abc import Iterator
from io import BytesIO
from itertools import count
from typing import Any

import pytest
from werkzeug.test import TestResponse

from service.matches.context import Context
from service.matches.opening import OpenRequest, open_new
from service.matches.records import export
from service.store.journal.memory import memory_journal
from tests.attacks.conftest import THREE_BOTS, play_out, post_record
from tests.attacks.forging import NO_PARTS, misshapen
from tests.service.api.conftest import NDJSON, OPERATOR, Door, Make, json, opened, problem

PAST = 1_600_000_000_000  # in the year 2020
MEBIBYTE = 2**20
RECORDS = "/v1/records"
DELETION = f"/v1/matches/{'a' * 26}"


@pytest.fixture(scope="module")
def squatter() -> list[bytes]:
    """The record of a match of bots, played on a server of a stranger's, in the year 2020."""
    ticks: Iterator[int] = count(PAST, 1000)
    ctx = Context(
        journal=memory_journal(),
        secret=b"e" * 32,
        clock=lambda: next(ticks),
        enqueue=lambda *_: None,
    )
    match = open_new(ctx, OpenRequest("calimala", THREE_BOTS)).loaded.id
    play_out(ctx, match)
    return list(export(ctx, match, None))


def listed(door: Door, query: str = "") -> list[dict[str, Any]]:
    """Return the matches of a list, the newest first."""
    matches: list[dict[str, Any]] = json(door.get(f"/v1/matches{query}"))["matches"]
    return matches


@pytest.mark.parametrize("who", ["", OPERATOR], ids=["nobody", "somebody"])
def test_a_stranger_imports_nothing(make_door: Make, squatter: list[bytes], who: str) -> None:
    """Without an operator's token in the settings, import is off. The refusal names the command."""
    door = make_door()
    answer = post_record(door, squatter, who)

    assert problem(answer) == (403, "feature-off")
    assert "giornale import" in json(answer)["detail"]
    assert listed(door) == []


NOT_THE_OPERATORS = {
    "another-scheme": (f"Basic {OPERATOR}", 401),
    "empty": ("Bearer", 401),
    "too-short": (f"Bearer {OPERATOR[:-1]}", 403),
    "no-ascii": ("Bearer \xe9\xff", 403),
}


@pytest.mark.parametrize(
    ("header", "status"), NOT_THE_OPERATORS.values(), ids=list(NOT_THE_OPERATORS)
)
def test_another_token_is_refused_before_the_body_is_read(
    door: Door, squatter: list[bytes], header: str, status: int
) -> None:
    """Any other value than the operator's token is refused, for an import and for a deletion.

    tests/service/api/test_refusals.py shows the refused tokens.
    """
    headers = {"Authorization": header}
    record = b"".join(squatter)

    for method, path in (("POST", RECORDS), ("DELETE", DELETION)):
        body = BytesIO(record)
        answer = door.ask(
            method,
            path,
            headers=headers,
            input_stream=body,
            content_length=len(record),
            content_type=NDJSON,
        )
        assert answer.status_code == status, answer.text
        assert OPERATOR not in answer.text
        assert body.tell() == 0
    assert listed(door) == []


def test_an_imported_record_is_listed_by_its_time_of_import(
    door: Door, squatter: list[bytes]
) -> None:
    """A record of 2020 stands between the matches opened before and after its import.

    The match tells the time of its import, as the list does, and names the operator's key.
    """
    before = opened(door).match
    imported = json(post_record(door, squatter))["match"]
    after = opened(door).match

    for query in ("", "?game=calimala"):
        matches = listed(door, query)
        ids = [match["match"] for match in matches]
        marked = [match["match"] for match in matches if "imported" in match]

        assert ids == [after, imported, before]
        assert marked == [imported]

    door.match = imported
    document = json(door.get())
    key_digest = hashlib.sha256(OPERATOR.encode()).hexdigest()

    assert document["created"] < "2021" < document["imported"]
    assert document["imported"] == matches[1]["imported"]
    assert document["imported_by"] == key_digest[:16]


def test_a_record_and_its_lines_have_a_greatest_size(door: Door) -> None:
    """A record has 4 MiB at most, and a line 1 MiB."""
    too_large = b"x\n" * (2 * MEBIBYTE) + b"x"
    long_line = b'{"data":"' + b"x" * MEBIBYTE + b'"}\n'

    assert post_record(door, [too_large]).status_code == 413
    assert named_fault(post_record(door, [long_line])) == ("line_too_long", 1)


def test_a_record_of_too_many_lines_is_refused(
    door: Door, squatter: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The refusal names the first commit beyond the limit."""
    monkeypatch.setattr("service.matches.records.MOST_RECORD_COMMITS", 5)

    assert named_fault(post_record(door, squatter)) == ("too_many_commits", 6)


@pytest.mark.parametrize("part", NO_PARTS, ids=repr)
def test_a_misshapen_revelation_is_refused(door: Door, squatter: list[bytes], part: Any) -> None:
    """For each wrong value in place of a revealed part, the answer names the last commit."""
    answer = post_record(door, misshapen(squatter, part))

    assert named_fault(answer) == ("unreadable", len(squatter))
    assert listed(door) == []


def named_fault(answer: TestResponse) -> tuple[str, int]:
    """Return the fault of a record from a refusal: the code and the first bad commit."""
    assert problem(answer) == (422, "bad-record")
    document = json(answer)
    return document["code"], document["commit"]


def test_a_broken_chain_is_found_before_the_play_is_worked_out(
    door: Door, squatter: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wrong hash, a gap, a cut line and an empty record are found without deciding a move."""
    monkeypatch.setattr(
        "service.record.verify.audit.redecide",
        lambda *_: pytest.fail("the play was worked out"),
    )
    spoilt = squatter.copy()
    spoilt[3] = squatter[3].replace(b'"actor":"seat:', b'"actor":"Seat:')
    left_out = [*squatter[:3], *squatter[4:]]
    cut_off = [*squatter[:-1], squatter[-1][:-1]]

    assert named_fault(post_record(door, spoilt)) == ("hash_differs", 4)
    assert named_fault(post_record(door, left_out)) == ("out_of_order", 4)
    assert named_fault(post_record(door, cut_off))[1] == len(squatter)
    assert named_fault(post_record(door, [])) == ("empty", 0)


def test_one_import_at_a_time(
    door: Door, squatter: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """During an import another is refused with a time to come back. After its end one succeeds."""
    answers_meanwhile: list[TestResponse] = []

    def import_another_and_fail(*_args: Any) -> Any:
        monkeypatch.undo()
        answers_meanwhile.append(post_record(door, squatter))
        raise RuntimeError("enough")

    monkeypatch.setattr("service.matches.records.verify_record", import_another_and_fail)
    failed = post_record(door, squatter)
    after = post_record(door, squatter)

    [meanwhile] = answers_meanwhile
    assert meanwhile.status_code == 429
    assert meanwhile.headers["Retry-After"] == "5"
    assert (failed.status_code, after.status_code) == (500, 201)
