"""Attacks with records: strangers who import, and records that are too much or too good."""

import hashlib
from typing import Any

import pytest
from werkzeug.test import TestResponse

from tests.attacks.importing import FUTURE, OPERATOR, PAST, forged_elsewhere, send_record
from tests.service.api.conftest import NDJSON, Door, json, opened, problem


@pytest.fixture(scope="module")
def squatter() -> list[bytes]:
    """The record of a match that a stranger has played alone, in the year 2020 as they say."""
    return forged_elsewhere(PAST)


def listed(door: Door, query: str = "") -> list[dict[str, Any]]:
    """Return the public matches."""
    matches: list[dict[str, Any]] = json(door.get(f"/v1/matches{query}"))["matches"]
    return matches


def fault(answer: TestResponse) -> tuple[str, int]:
    """Return what is wrong with a record, and in which commit."""
    assert answer.status_code == 422
    return json(answer)["code"], json(answer)["commit"]


@pytest.mark.parametrize("who", ["", OPERATOR], ids=["nobody", "somebody"])
def test_a_stranger_imports_nothing(door: Door, squatter: list[bytes], who: str) -> None:
    """Where no operator's token is set the operation is off for everybody.

    The answer says how it is turned on.
    """
    answer = send_record(door, squatter, who)
    assert problem(answer) == (403, "forbidden")
    assert "GIORNALE_OPERATOR_TOKEN" in json(answer)["detail"]
    assert "giornale import" in json(answer)["detail"]
    assert listed(door) == []


HEADERS = [
    pytest.param(None, 401, id="missing"),
    pytest.param("Basic " + OPERATOR, 401, id="another-scheme"),
    pytest.param("Bearer", 401, id="empty"),
    pytest.param("Bearer " + OPERATOR[:-1], 403, id="too-short"),
    pytest.param("Bearer " + OPERATOR + "o", 403, id="too-long"),
    pytest.param("Bearer \xe9\xff", 403, id="no-ascii"),
    pytest.param(f"Bearer gio_{'a' * 26}_{'a' * 43}", 403, id="a-seat's"),
]


@pytest.mark.parametrize(
    "request_line",
    [
        pytest.param("POST /v1/records", id="import"),
        pytest.param(f"DELETE /v1/matches/{'a' * 26}", id="delete"),
    ],
)
@pytest.mark.parametrize(("header", "status"), HEADERS)
def test_only_the_operators_token_opens(
    operated: Door, squatter: list[bytes], request_line: str, header: str | None, status: int
) -> None:
    """Whatever else stands in the header is refused, and nothing is imported."""
    method, path = request_line.split()
    headers = {} if header is None else {"Authorization": header}
    body = b"".join(squatter)
    answer = operated.ask(method, path, headers=headers, data=body, content_type=NDJSON)
    assert answer.status_code == status, answer.text
    assert OPERATOR not in answer.text
    assert listed(operated) == []


def test_a_match_from_the_future_is_not_taken(operated: Door) -> None:
    """A record whose times are still to come is refused: it would stand on top of every list."""
    answer = send_record(operated, forged_elsewhere(FUTURE))
    assert answer.status_code == 422
    assert json(answer)["code"] == "future"
    assert listed(operated) == []


@pytest.mark.parametrize("query", ["", "?game=calimala"], ids=["all", "of-a-game"])
def test_a_record_stands_in_the_list_where_it_was_imported(
    operated: Door, squatter: list[bytes], query: str
) -> None:
    """Whatever times it claims, later matches stand above it; the list says it was imported."""
    before = opened(operated, seed=None).match
    imported = json(send_record(operated, squatter))["match"]
    after = opened(operated, seed=None).match

    matches = listed(operated, query)
    assert [match["id"] for match in matches] == [after, imported, before]
    assert ["imported" in match for match in matches] == [False, True, False]


def test_an_imported_match_says_when_and_by_whose_key(
    operated: Door, squatter: list[bytes]
) -> None:
    """It was played in 2020, as its record says, and imported later."""
    operated.match = json(send_record(operated, squatter))["match"]
    shown = json(operated.get())
    [in_list] = listed(operated)
    digest = hashlib.sha256(OPERATOR.encode()).hexdigest()

    assert shown["created"] < "2021" < shown["imported"]["at"]
    assert shown["imported"]["at"] == in_list["imported"]
    assert shown["imported"]["by"] == digest[:16]


def test_a_record_must_say_that_it_is_one(operated: Door, squatter: list[bytes]) -> None:
    """The operator's request, too, is refused as a media type that any page can post."""
    body = b"".join(squatter)
    answer = operated.ask("POST", "/v1/records", OPERATOR, data=body, content_type="text/plain")
    assert answer.status_code == 415
    assert NDJSON in json(answer)["detail"]


def test_a_record_too_large_is_refused_before_it_is_held(operated: Door) -> None:
    """A record has 4 MiB at most."""
    answer = send_record(operated, [b"x\n" * 2**21, b"x"])
    assert answer.status_code == 413


def test_a_line_too_long_is_refused(operated: Door) -> None:
    """A line has 1 MiB at most."""
    line = b'{"data":"' + b"x" * 2**20 + b'"}\n'
    assert fault(send_record(operated, [line])) == ("line_too_long", 1)


def test_a_record_of_too_many_lines_is_refused(
    operated: Door, squatter: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has no more commits than a match may have."""
    monkeypatch.setattr("service.matches.records.MOST_RECORD_COMMITS", 5)
    assert fault(send_record(operated, squatter)) == ("too_many_commits", 6)


def test_a_commit_that_was_changed_is_found_before_the_play(
    operated: Door, squatter: list[bytes]
) -> None:
    """The first look finds a broken chain line by line, before the play is worked out."""
    changed = squatter[3].replace(b'"actor":"seat:', b'"actor":"Seat:')
    assert changed != squatter[3]
    spoiled = [*squatter[:3], changed, *squatter[4:]]
    assert fault(send_record(operated, spoiled)) == ("hash_differs", 4)


def test_a_commit_that_is_missing_is_found_before_the_play(
    operated: Door, squatter: list[bytes]
) -> None:
    """The first look finds a gap, too."""
    without_the_fourth = [*squatter[:3], *squatter[4:]]
    assert fault(send_record(operated, without_the_fourth)) == ("out_of_order", 4)


def test_one_import_at_a_time(
    operated: Door, squatter: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """While one is worked out another is told to come back."""
    meanwhile: list[TestResponse] = []

    def send_another_and_fail(*_args: Any) -> Any:
        monkeypatch.undo()
        meanwhile.append(send_record(operated, squatter))
        raise RuntimeError("enough")

    monkeypatch.setattr("service.matches.records.verify_record", send_another_and_fail)
    assert send_record(operated, squatter).status_code == 500

    [refused] = meanwhile
    assert refused.status_code == 429
    assert refused.headers["Retry-After"] == "5"
    assert send_record(operated, squatter).status_code == 201
