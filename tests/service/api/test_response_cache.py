"""A stored response is what would be answered anew, for a reader who may see it now."""

import logging
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from unittest.mock import Mock

import pytest
from redis import Redis
from werkzeug.test import TestResponse

from service.api import response_cache
from service.api.app import create_app
from service.api.http.context import AppServices, RequestState
from service.api.http.stream_limit import PIECE_BYTES, StreamLimit
from service.api.request_scope import RequestScope
from service.api.response_cache import CachedResponse, CachedResponses, Key, ResponseCache
from service.api.wsgi import Environ, StartResponse
from service.journal.errors import JournalUnavailable
from service.keys import tokens
from service.matches.validators import HistoryValidator
from tests.service.api.conftest import (
    NDJSON,
    OPERATOR,
    Door,
    Make,
    door_maker,
    json,
    moved,
    opened,
    problem,
    tag,
)
from tests.service.journal.copies import copy_of_server, put_back_on_server

OF_THE_REQUEST = {"X-Request-Id", "RateLimit"}
LIST = "/v1/matches"
PATHS = [
    "state",
    "state?version=2",
    "states?limit=2",
    "commits",
    "commits?limit=2",
    "commits?actor=seat:0",
    "record",
    LIST,
    f"{LIST}?limit=1&status=running",
]
CALLERS = ["", "seat:0", "seat:1", "owner"]


def without_its_own(answer: TestResponse) -> dict[str, str]:
    """Return the headers of an answer but those that every request has of its own."""
    return {name: value for name, value in answer.headers if name not in OF_THE_REQUEST}


def told(answer: TestResponse) -> tuple[int, dict[str, str], bytes]:
    """Return all of an answer but what every request has of its own."""
    return answer.status_code, without_its_own(answer), answer.data


def another_process(door: Door) -> Door:
    """Return the door of a process that has answered nothing yet."""
    app = create_app(door.services.config)
    return Door.of(app, tokens=door.tokens, match=door.match)


def stored(door: Door) -> CachedResponses:
    """Return what the application has stored."""
    scope = door.client.application.wsgi_app
    assert isinstance(scope, RequestScope)
    assert isinstance(scope.inner, ResponseCache)
    return scope.inner.stored


@pytest.fixture
def played(match: Door) -> Door:
    """A match in which each seat has made a move."""
    moved(match, 3)
    return match


@pytest.fixture
def without_flask(played: Door, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return what forbids requests to come to Flask from now on."""

    def fail(*_: Any) -> Any:
        raise AssertionError("the request has come to Flask")

    app = played.client.application
    return lambda: monkeypatch.setattr(app, "full_dispatch_request", fail)


@pytest.mark.parametrize("path", PATHS)
def test_an_answer_told_again_is_the_same(played: Door, without_flask: Any, path: str) -> None:
    """The second answer has the same status, headers and body, and does not come to Flask.

    So it is plain, compressed, and 304 for whoever holds the answer.
    """
    held = {"If-None-Match": tag(played.get(path, "seat:0"))}
    asked = [{"Accept-Encoding": "identity"}, {"Accept-Encoding": "gzip"}, held]
    first = [played.get(path, "seat:0", headers=headers) for headers in asked]
    first_told = [told(answer) for answer in first]  # what is long is kept when it has been read
    without_flask()

    again = [played.get(path, "seat:0", headers=headers) for headers in asked]

    assert [answer.status_code for answer in again] == [200, 200, 304]
    assert [told(answer) for answer in again] == first_told
    ids = {answer.headers["X-Request-Id"] for answer in first + again}
    assert len(ids) == len(first + again)


@pytest.mark.parametrize("path", [*PATHS, "commits#lines"])
def test_each_caller_is_told_what_that_caller_may_see(played: Door, path: str) -> None:
    """However often and in what order others have asked, the answer is that of a new process."""
    path, _, as_lines = path.partition("#")
    headers = {"Accept": NDJSON} if as_lines else {}
    for _ in range(2):
        for who in CALLERS:
            answer = played.get(path, who, headers=headers)
            anew = another_process(played).get(path, who, headers=headers)
            assert told(answer) == told(anew)


def test_a_move_is_seen_at_once(played: Door) -> None:
    """Whatever was kept, the next answer is that of a new process, also when another one moved."""
    for path in PATHS:
        played.get(path, "seat:0")
    moved(another_process(played), 1)
    afresh = another_process(played)

    for path in PATHS:
        assert told(played.get(path, "seat:0")) == told(afresh.get(path, "seat:0")), path


@pytest.mark.parametrize("path", ["state?version=2", "states?limit=2", "commits?limit=2"])
def test_the_past_stays_when_the_match_goes_on(played: Door, without_flask: Any, path: str) -> None:
    """What later moves do not change is told again after them."""
    first = played.get(path, "seat:0")
    moved(played, 1)
    without_flask()

    again = played.get(path, "seat:0")

    assert told(again) == told(first)


@pytest.mark.parametrize("path", ["state", "state?version=1", "record"])
def test_a_token_that_was_revoked_is_told_nothing(played: Door, path: str) -> None:
    """Whether the token counts is asked at each request."""
    assert played.get(path, "seat:0").status_code == 200
    holder_field = tokens.field(played.tokens["seat:0"])
    played.ctx.journal.metadata.put(played.match, {holder_field: None})

    assert problem(played.get(path, "seat:0")) == (401, "unauthorized")


@pytest.mark.parametrize("path", ["state", "state?version=1", "record"])
def test_a_deleted_match_is_forgotten(played: Door, path: str) -> None:
    """It is gone at once, and nothing of it is kept."""
    played.get(path)
    assert played.delete("", OPERATOR).status_code == 204

    assert problem(played.get(path)) == (410, "match-deleted")
    assert stored(played).matches() == set()


def test_a_journal_that_went_back_is_noticed(played: Door, redis_url: str) -> None:
    """Nothing is told of a history that the journal has lost, though its versions are there."""
    match = opened(another_process(played))
    match.client = played.client
    with Redis.from_url(redis_url) as client:
        older = copy_of_server(client)
        for seat in range(3):
            match.move(f"seat:{seat}")
        for path in PATHS:
            match.get(path, "seat:0")
        put_back_on_server(client, older)

    for seat in range(3):
        another_process(match).move(f"seat:{seat}", 1)

    for path in PATHS:
        afresh = another_process(match).get(path, "seat:0")
        assert told(match.get(path, "seat:0")) == told(afresh), path


def test_a_new_match_is_listed_at_once(played: Door) -> None:
    """The list is looked at anew when something was written."""
    before = json(played.get(LIST))["matches"]

    other = opened(another_process(played))

    assert [one["id"] for one in json(played.get(LIST))["matches"]] == [
        other.match,
        *(one["id"] for one in before),
    ]


def test_the_list_is_looked_at_once_after_a_write(
    played: Door, without_flask: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If what was written is nothing of the list, one look is enough to know it."""
    played.get(LIST)
    look = Mock(wraps=played.ctx.journal.index.listing)
    monkeypatch.setattr(played.ctx.journal.index, "listing", look)
    played.ctx.journal.metadata.put_snapshot(played.match, b"{}")
    without_flask()

    for _ in range(3):
        assert played.get(LIST).status_code == 200

    assert look.call_count == 1


@pytest.mark.usefixtures("one_window")
def test_requests_told_again_are_counted(redis_url: str, tmp_path: Path) -> None:
    """They use up what a caller may ask, and are refused beyond that."""
    make: Make = door_maker(redis_url, tmp_path)
    match = opened(make(RATE_LIMIT="5", ALLOW_SEED="true"))

    answers = [match.get("state", "seat:0") for _ in range(8)]

    told_allowances = [answer.headers["RateLimit"].split(";")[1] for answer in answers]
    assert told_allowances[1:] == [f"r={left}" for left in (4, 3, 2, 1, 0, 0, 0)]
    assert problem(answers[-1]) == (429, "rate-limited")


def test_requests_told_again_are_logged_alike(
    played: Door, caplog: pytest.LogCaptureFixture
) -> None:
    """The line of the log names operation, match, version and caller as before."""
    with caplog.at_level(logging.INFO, "giornale.request"):
        played.get("state", "seat:0")
        played.get("state", "seat:0")

    first, again = caplog.records[-2:]
    for name in ("method", "operation", "status", "match", "version", "caller"):
        assert getattr(again, name) == getattr(first, name)


def test_a_journal_that_is_away_tells_nothing(
    played: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An answer that cannot be borne out is not told."""
    played.get("state", "seat:0")

    def is_away(*_: Any) -> Any:
        raise JournalUnavailable("away")

    for name in ("overviews", "tail"):
        monkeypatch.setattr(played.ctx.journal.events, name, is_away)

    assert problem(played.get("state", "seat:0")) == (503, "journal-unavailable")


def test_what_is_waited_for_is_not_told_again(played: Door) -> None:
    """A long poll is answered anew, and strict reading of parameters stays."""
    assert played.get("state?wait=0", "seat:0").status_code == 200
    assert problem(played.get("state?wait=no", "seat:0")) == (422, "invalid-request")

    assert stored(played).matches() == set()


def test_a_long_answer_is_told_whole(played: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is too long to be kept is sent to its end, each time."""
    whole = played.get("record").data
    stored(played).forget(played.match)
    monkeypatch.setattr("service.api.response_cache.LONGEST", 100)

    for _ in range(2):
        answer = played.get("record")
        assert answer.data == whole
        answer.close()
    assert stored(played).matches() == set()
    assert played.services.stream_limit.take("anybody") is not None


def test_a_record_told_again_takes_a_permit(played: Door) -> None:
    """One who reads it slowly holds one; one who has none left is refused as before."""
    limit = played.services.stream_limit
    whole = played.get("record").data
    free = limit.each
    slow = [played.get("record", buffered=False) for _ in range(free)]

    assert problem(played.get("record")) == (429, "too-many-streams")

    for answer in slow:
        answer.close()
    assert played.get("record").data == whole


def response_of(match: str, body: bytes) -> CachedResponse:
    """Return a response about a match."""
    validator = HistoryValidator(match, "", None, version=1, hash="", lasts=False, head="")
    return CachedResponse(validator, "getState", "200 OK", [], body)


def key_of(path: str) -> Key:
    """Return a key for a path."""
    return Key(path, "", "", "", "", gzip=False)


def test_what_is_kept_is_bounded() -> None:
    """The oldest answers make room, and one that is asked for is not old."""
    store = CachedResponses(most_bytes=4 * (response_cache.OVERHEAD + 1000))
    for number in range(4):
        store.put(key_of(f"m{number}"), response_of(f"m{number}", b"x" * 900))
    assert store.get(key_of("m0")) is not None

    for number in range(4, 6):
        store.put(key_of(f"m{number}"), response_of(f"m{number}", b"x" * 900))

    assert store.matches() == {"m0", "m3", "m4", "m5"}


def test_an_answer_that_is_kept_anew_takes_no_more_room() -> None:
    """The older answer to the same request goes."""
    store = CachedResponses(most_bytes=2 * (response_cache.OVERHEAD + 1000))
    store.put(key_of("other"), response_of("other", b"x" * 900))
    for _ in range(5):
        store.put(key_of("same"), response_of("same", b"x" * 900))

    assert store.matches() == {"other", "same"}


LONG = bytes(1_000_000)


class Asked:
    """A question for a body, and its answer: the status and the pieces."""

    def __init__(self, limit: StreamLimit, body: bytes, method: str = "GET") -> None:
        def inner(_environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
            start_response("200 OK", [])
            return [body]

        services = SimpleNamespace(
            ctx=SimpleNamespace(cache=SimpleNamespace(holders=())),
            stream_limit=limit,
            config=SimpleNamespace(path_prefix=""),
        )
        self.status = ""
        environ: Environ = {"REQUEST_METHOD": method, "PATH_INFO": "/docs"}
        RequestState("id", began=0, token=None, address="192.0.2.1").attach(environ)
        cache = ResponseCache(inner, cast("AppServices", services))
        self.pieces: Any = cache(environ, self._start)

    def _start(self, status: str, _headers: object, *_error: object) -> None:
        self.status = status


def test_a_long_body_holds_a_permit_until_it_was_read() -> None:
    """It comes in pieces; meanwhile another is refused, and gets the permit afterwards."""
    limit = StreamLimit(1, 1)
    first = Asked(limit, LONG)
    assert Asked(limit, LONG).status == "503 SERVICE UNAVAILABLE"

    pieces = list(first.pieces)
    assert b"".join(pieces) == LONG
    assert {len(piece) for piece in pieces[:-1]} == {PIECE_BYTES}

    first.pieces.close()
    assert Asked(limit, LONG).status == "200 OK"


@pytest.mark.parametrize(
    ("body", "method"), [(b"short", "GET"), (LONG, "POST")], ids=["short", "changed"]
)
def test_what_is_short_or_was_changed_needs_no_permit(body: bytes, method: str) -> None:
    """It is sent in one piece, however many permits are taken."""
    limit = StreamLimit(1, 1)
    assert limit.take("somebody") is not None

    asked = Asked(limit, body, method)
    assert (asked.status, asked.pieces) == ("200 OK", [body])
