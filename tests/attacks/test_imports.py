"""Attacks by way of records: what strangers or a careless operator send to be taken in."""

import hashlib
from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest

from service.journal.memory import memory_journal
from service.matches.context import Context
from service.matches.opening import OpenRequest, open_new
from service.matches.records import export
from tests.attacks.bots import THREE_BOTS, play_out
from tests.attacks.forging import NO_PARTS, misshapen
from tests.attacks.operators import OPERATOR, post_bytes, post_record
from tests.service.api.conftest import NDJSON, Door, json, opened, problem

PAST = 1_600_000_000_000  # in the year 2020
FUTURE = 4_000_000_000_000  # in the year 2096
MEBIBYTE = 2**20


def forged_elsewhere(began: int) -> list[bytes]:
    """Return the record of a match of bots, played on a server of one's own.

    began: what the clock of that server says at first, in milliseconds since the epoch.
    """
    ticks: Iterator[int] = count(began, 1000)
    ctx = Context(
        journal=memory_journal(),
        secret=b"e" * 32,
        clock=lambda: next(ticks),
        wake=lambda *_: None,
    )

    match = open_new(ctx, OpenRequest("calimala", THREE_BOTS)).loaded.id
    play_out(ctx, match)
    return list(export(ctx, match, None))


@pytest.fixture(scope="module")
def squatter() -> list[bytes]:
    """The record of a match that a stranger has played alone, in the year 2020 as they say."""
    return forged_elsewhere(PAST)


def listed(door: Door, query: str = "") -> list[dict[str, Any]]:
    """Return the matches that a list shows, the newest first."""
    matches: list[dict[str, Any]] = json(door.get(f"/v1/matches{query}"))["matches"]
    return matches


@pytest.mark.parametrize("who", ["", OPERATOR], ids=["nobody", "somebody"])
def test_a_stranger_imports_nothing(door: Door, squatter: list[bytes], who: str) -> None:
    """Without an operator's token the operation is off for everybody.

    The answer says how it is turned on.
    """
    answer = post_record(door, squatter, who)

    assert problem(answer) == (403, "forbidden")
    assert "GIORNALE_OPERATOR_TOKEN" in json(answer)["detail"]
    assert "giornale import" in json(answer)["detail"]
    assert listed(door) == []


@pytest.mark.parametrize(
    ("method", "path"),
    [
        pytest.param("POST", "/v1/records", id="import"),
        pytest.param("DELETE", f"/v1/matches/{'a' * 26}", id="deletion"),
    ],
)
@pytest.mark.parametrize(
    ("header", "status"),
    [
        pytest.param(None, 401, id="missing"),
        pytest.param(f"Basic {OPERATOR}", 401, id="another-scheme"),
        pytest.param("Bearer", 401, id="empty"),
        pytest.param(f"Bearer {OPERATOR[:-1]}", 403, id="too-short"),
        pytest.param(f"Bearer {OPERATOR}o", 403, id="too-long"),
        pytest.param("Bearer \xe9\xff", 403, id="no-ascii"),
        pytest.param(f"Bearer gio_{'a' * 26}_{'a' * 43}", 403, id="a-seat's"),
    ],
)
def test_only_the_operators_token_opens(
    operated: Door,
    squatter: list[bytes],
    method: str,
    path: str,
    header: str | None,
    status: int,
) -> None:
    """Whatever else stands in the header is refused before the body is looked at."""
    headers = {} if header is None else {"Authorization": header}
    body = b"".join(squatter)

    answer = operated.ask(method, path, headers=headers, data=body, content_type=NDJSON)

    assert answer.status_code == status, answer.text
    assert OPERATOR not in answer.text
    assert listed(operated) == []


def test_a_match_from_the_future_is_not_taken(operated: Door) -> None:
    """A record whose times are still to come is refused: it would stand on top of every list."""
    answer = post_record(operated, forged_elsewhere(FUTURE))

    assert answer.status_code == 422
    assert json(answer)["code"] == "future"
    assert listed(operated) == []


@pytest.mark.parametrize("query", ["", "?game=calimala"], ids=["all", "of-its-game"])
def test_a_record_stands_in_the_list_where_it_was_imported(
    operated: Door, squatter: list[bytes], query: str
) -> None:
    """Whatever times a record claims, matches that are opened later stand above it."""
    before = opened(operated, seed=None).match
    imported = json(post_record(operated, squatter))["match"]
    after = opened(operated, seed=None).match

    matches = listed(operated, query)

    ids = [match["id"] for match in matches]
    marked_as_imported = [match["id"] for match in matches if "imported" in match]
    assert ids == [after, imported, before]
    assert marked_as_imported == [imported]


def test_an_imported_match_says_when_and_by_whose_key(
    operated: Door, squatter: list[bytes]
) -> None:
    """The match says when it was imported, as the list does, and names the key by its digest."""
    operated.match = json(post_record(operated, squatter))["match"]

    document = json(operated.get())
    [in_list] = listed(operated)

    key_digest = hashlib.sha256(OPERATOR.encode()).hexdigest()[:16]
    imported = document["imported"]
    assert document["created"] < "2021" < imported["at"]
    assert imported["at"] == in_list["imported"]
    assert imported["by"] == key_digest


def test_a_record_must_say_that_it_is_one(operated: Door, squatter: list[bytes]) -> None:
    """The operator's request, too, is refused as whatever media type any page can post."""
    answer = operated.ask(
        "POST",
        "/v1/records",
        OPERATOR,
        data=b"".join(squatter),
        content_type="text/plain",
    )

    assert answer.status_code == 415
    assert NDJSON in json(answer)["detail"]


def test_a_record_too_large_is_refused_before_it_is_held(operated: Door) -> None:
    """A record has 4 MiB at most; one byte more is too much."""
    too_large = b"x\n" * (2 * MEBIBYTE) + b"x"

    answer = post_bytes(operated, too_large)

    assert answer.status_code == 413


def test_a_line_too_long_is_refused(operated: Door) -> None:
    """A line has 1 MiB at most."""
    long_line = b'{"data":"' + b"x" * MEBIBYTE + b'"}\n'

    answer = post_bytes(operated, long_line)

    assert answer.status_code == 422
    assert named_fault(answer) == ("line_too_long", 1)


@pytest.mark.parametrize("part", NO_PARTS, ids=repr)
def test_a_misshapen_revelation_is_refused(
    operated: Door, squatter: list[bytes], part: Any
) -> None:
    """Whatever is put in place of a revealed part, the answer names the commit that is wrong."""
    answer = post_record(operated, misshapen(squatter, part))

    assert answer.status_code == 422
    assert named_fault(answer) == ("unreadable", len(squatter))
    assert listed(operated) == []


def named_fault(answer: Any) -> tuple[str, int]:
    """Return what an answer says is wrong with a record: the code and the first bad commit."""
    document = json(answer)
    return document["code"], document["commit"]


def test_a_record_of_too_many_lines_is_refused(
    operated: Door, squatter: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has no more commits than a match may have."""
    monkeypatch.setattr("service.matches.records.MOST_RECORD_COMMITS", 5)

    answer = post_record(operated, squatter)

    assert answer.status_code == 422
    assert named_fault(answer) == ("too_many_commits", 6)


@pytest.fixture
def unplayed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody may work out the play of a record."""
    monkeypatch.setattr(
        "service.verify.audit.redecide",
        lambda *_: pytest.fail("the play was worked out"),
    )


@pytest.mark.usefixtures("unplayed")
def test_a_changed_line_is_found_before_the_play_is_worked_out(
    operated: Door, squatter: list[bytes]
) -> None:
    """The first look finds the line whose hash does not fit."""
    spoilt = squatter.copy()
    spoilt[3] = squatter[3].replace(b'"actor":"seat:', b'"actor":"Seat:')

    assert named_fault(post_record(operated, spoilt)) == ("hash_differs", 4)


@pytest.mark.usefixtures("unplayed")
def test_a_missing_line_is_found_before_the_play_is_worked_out(
    operated: Door, squatter: list[bytes]
) -> None:
    """The first look finds the line that does not follow the one before."""
    cut = [*squatter[:3], *squatter[4:]]

    assert named_fault(post_record(operated, cut)) == ("out_of_order", 4)


def test_one_import_at_a_time(
    operated: Door, squatter: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """While one is worked out another is told to come back; after it another is taken in."""
    answers_meanwhile: list[Any] = []

    def import_another_and_fail(*_args: Any) -> Any:
        monkeypatch.undo()
        answers_meanwhile.append(post_record(operated, squatter))
        raise RuntimeError("enough")

    monkeypatch.setattr("service.matches.records.verify_record", import_another_and_fail)
    failed = post_record(operated, squatter)
    after = post_record(operated, squatter)

    [meanwhile] = answers_meanwhile
    assert meanwhile.status_code == 429
    assert meanwhile.headers["Retry-After"] == "5"
    assert failed.status_code == 500
    assert after.status_code == 201
