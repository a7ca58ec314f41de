"""Cached answers equal those of a new process."""

import logging
from collections.abc import Callable
from typing import Any, NamedTuple
from unittest.mock import Mock

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from service.api import response_cache
from service.api.http.limits import PIECE_BYTES, StreamLimit
from service.api.http.validators import HistoryValidator
from service.api.request_scope import RequestScope
from service.api.response_cache import CachedResponse, CachedResponses, CacheKey, ResponseCache
from service.store.journal.errors import JournalUnavailable
from service.store.keys import tokens
from tests.service.api.conftest import (
    OPERATOR,
    SETTINGS,
    Door,
    Histories,
    Make,
    moved,
    opened,
    problem,
    tag,
)
from tests.whole import whole_but

OF_THE_REQUEST = {"X-Request-Id", "RateLimit"}
LIST = "/v1/matches"
HUMANS = [{"kind": "human", "name": "Cosimo"}, {"kind": "human"}, {"kind": "human"}]


class Ask(NamedTuple):
    """A request about a match at version 4. The match's journal may go back to version 2.

    lasts: the answer stays the same while the match goes on, so it may be cached for a while.
    stored: the process caches the answer.
    """

    path: str
    lasts: bool = False
    stored: bool = False

    def of(self, door: Door, who: str, **headers: str) -> TestResponse:
        """Return the answer at a door."""
        return door.get(self.path, who, headers=headers)


ASKED: dict[str, Ask] = {
    "match": Ask(""),
    "state": Ask("state", stored=True),
    "state-at-a-version": Ask("state?version=2", lasts=True, stored=True),
    "state-at-a-later-version": Ask("state?version=3", lasts=True, stored=True),
    "state-at-a-moment": Ask("state?at=2", lasts=True),
    "moves": Ask("moves"),
    "states": Ask("states", stored=True),
    "states-full": Ask("states?limit=1", lasts=True, stored=True),
    "states-beyond-the-copy": Ask("states?limit=3", lasts=True, stored=True),
    "states-in-lines": Ask("states.ndjson", stored=True),
    "commit": Ask("commits/2", lasts=True),
    "commits": Ask("commits", stored=True),
    "commits-full": Ask("commits?limit=1", lasts=True, stored=True),
    "commits-beyond-the-copy": Ask("commits?limit=3", lasts=True, stored=True),
    "commits-to-a-version": Ask("commits?to=3", lasts=True, stored=True),
    "commits-of-a-span": Ask("commits?from=2&to=4", lasts=True, stored=True),
    "commits-of-a-seat": Ask("commits?actor=seat:0", stored=True),
    "commits-of-a-seat-full": Ask("commits?actor=seat:0&limit=1", lasts=True, stored=True),
    "commits-of-the-house": Ask("commits?actor=house&to=3", lasts=True, stored=True),
    "commits-of-a-type": Ask("commits?type=disc_placed", stored=True),
    "commits-to-come": Ask("commits?to=8", stored=True),
    "commits-to-a-time-to-come": Ask("commits?to=2999-01-01T00:00:00Z", stored=True),
    "commits-in-lines": Ask("commits.ndjson", stored=True),
    "difference": Ask("diff?from=1&to=3"),
    "difference-backwards": Ask("diff?from=3&to=1"),
    "difference-from-a-time-to-come": Ask("diff?from=2999-01-01T00:00:00Z&to=3"),
    "story": Ask("story", stored=True),
    "story-full": Ask("story?limit=2", stored=True),
    "story-in-lines": Ask("story.ndjson", stored=True),
    "record": Ask("record", stored=True),
    "list": Ask(LIST, stored=True),
    "list-of-some": Ask(f"{LIST}?limit=1&status=running", stored=True),
}
STORED = {name: ask for name, ask in ASKED.items() if ask.stored}
EveryStored = pytest.mark.parametrize("ask", STORED.values(), ids=STORED)


def told(answer: TestResponse) -> tuple[int, dict[str, str], bytes]:
    """Return status, headers and body of an answer, without headers of the single request."""
    headers = {name: text for name, text in answer.headers if name not in OF_THE_REQUEST}
    return answer.status_code, headers, answer.data


@pytest.fixture
def app(make_door: Make) -> Flask:
    """An application of its own, for these tests look into its cache."""
    return make_door(**SETTINGS, RATE_LIMIT="0").client.application


def stored(door: Door) -> CachedResponses:
    """Return the cached responses of the application."""
    scope = door.client.application.wsgi_app
    assert isinstance(scope, RequestScope)
    assert isinstance(scope.inner, ResponseCache)
    return scope.inner.stored


@pytest.fixture
def histories(door: Door) -> Histories:
    """A match of three humans at version 4, one of them with a name."""
    return Histories(opened(door, seats=HUMANS))


@pytest.fixture
def played(histories: Histories) -> Door:
    """The match."""
    return histories.match


@pytest.fixture
def without_flask(played: Door, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Return a function that makes each later request to Flask fail."""

    def fail(*_: Any) -> Any:
        raise AssertionError("the request has come to Flask")

    app = played.client.application
    return lambda: monkeypatch.setattr(app, "full_dispatch_request", fail)


# ---- what is answered ----------------------------------------------------------------------------


@pytest.mark.whole
@EveryStored
def test_an_answer_told_again_is_the_same(
    played: Door, without_flask: Callable[[], None], ask: Ask
) -> None:
    """The second answer has the same status, headers and body, and does not come to Flask.

    This holds for plain and compressed answers, and for a 304.
    """
    condition = {"If-None-Match": tag(ask.of(played, "seat:0"))}
    variants = [
        *({"Accept-Encoding": coding} for coding in ("identity", "zstd", "br", "gzip")),
        condition,
    ]
    first = [ask.of(played, "seat:0", **headers) for headers in variants]
    first_told = [told(answer) for answer in first]  # a long answer is stored when it has been read
    without_flask()

    again = [ask.of(played, "seat:0", **headers) for headers in variants]

    assert [answer.status_code for answer in again] == [200, 200, 200, 200, 304]
    assert [told(answer) for answer in again] == first_told
    ids = {answer.headers["X-Request-Id"] for answer in first + again}
    assert len(ids) == len(first + again)


# ---- what happens between two questions ----------------------------------------------------------


def erase_a_name(histories: Histories) -> None:
    """Take the name of seat 0 away without a commit, as in a match of an earlier release."""
    histories.match.ctx.journal.metadata.put(histories.match.match, {"name:0": None})


def revoke(histories: Histories) -> None:
    """Revoke the token of seat 0, as another process may do."""
    match = histories.match
    holder_field = tokens.field(match.tokens["seat:0"])
    match.ctx.journal.metadata.put(match.match, {holder_field: None})


def rotate(histories: Histories) -> None:
    """Sign receipts with another key from now on."""
    signer = histories.match.ctx.signer
    assert signer is not None
    signer.rotate()


def end(histories: Histories) -> None:
    """Let the owner abort the match, and the house reveal it."""
    histories.match.post("abort", None, "owner")
    histories.match.house()


EVENTS: dict[str, Callable[[Histories], object]] = {
    "nothing": lambda _: None,
    "a-move": lambda histories: moved(histories.match, 1),
    "a-move-at-another-process": lambda histories: moved(histories.match.another_process(), 1),
    "another-match": lambda histories: opened(histories.match.another_process()),
    "the-end": end,
    "an-erased-name": erase_a_name,
    "a-revoked-token": revoke,
    "another-key-of-receipts": rotate,
    "a-deletion": lambda histories: histories.match.delete("", OPERATOR),
    "an-older-copy-of-the-journal": Histories.go_back,
    "another-history-of-as-many-commits": Histories.rewrite,
    "an-emptied-journal": Histories.empty,
}
FEW_EVENTS = ("a-move-at-another-process", "another-history-of-as-many-commits", "the-end")


@pytest.mark.parametrize("event", whole_but(FEW_EVENTS, EVENTS))
def test_a_cached_answer_equals_that_of_a_new_process(histories: Histories, event: str) -> None:
    """Both processes answer alike after an event, with 304 if the caller's ETag is current."""
    match = histories.match
    pairs = [(name, who) for who in ("", "seat:0") for name in ASKED]
    before = {(name, who): ASKED[name].of(match, who) for name, who in pairs}
    for name, who in pairs:
        ASKED[name].of(match, who)

    EVENTS[event](histories)
    afresh = match.another_process()

    for name, who in pairs:
        expected = ASKED[name].of(afresh, who)
        assert told(ASKED[name].of(match, who)) == told(expected), (name, who)

        cached = before[name, who]
        assert cached.status_code == 200, name
        conditional = ASKED[name].of(match, who, **{"If-None-Match": tag(cached)})
        if expected.headers.get("ETag") == tag(cached):
            assert (conditional.status_code, conditional.data) == (304, b""), (name, who)
            assert tag(conditional) == tag(cached), (name, who)
            assert expected.data == cached.data, (name, who)
        else:
            assert told(conditional) == told(expected), (name, who)


def test_the_story_of_an_ended_match_is_cached_until_an_erasure(
    histories: Histories, without_flask: Callable[[], None]
) -> None:
    """The story and the views of seats are cached after the end, until a name is erased."""
    end(histories)
    match = histories.match
    paths = ("story", "story?seat=1", "story.ndjson", "states?seat=1")
    before = {path: match.get(path, "").data for path in paths}
    story = before["story"]
    assert b"Cosimo" in story

    erase_a_name(histories)
    erased = match.get("story", "").data
    assert b"Cosimo" not in erased

    before = {path: match.get(path, "").data for path in paths}
    without_flask()
    assert {path: match.get(path, "").data for path in paths} == before
    assert before["story"] == erased


def test_a_deleted_match_leaves_no_stored_answer(played: Door) -> None:
    """The process that deletes a match forgets its cached answers."""
    for ask in STORED.values():
        ask.of(played, "")
    assert played.match in stored(played).matches()

    assert played.delete("", OPERATOR).status_code == 204

    assert played.match not in stored(played).matches()


@pytest.mark.parametrize("who", ["", "seat:0"])
def test_the_past_may_be_kept_for_a_while_and_nothing_else(
    played: Door, without_flask: Callable[[], None], who: str
) -> None:
    """Answers that later moves do not change may be cached for an hour.

    Shared caches may keep only public answers.
    No answer may be cached for ever: the journal may go back, and a reload has to show it.
    """
    before = {name: ask.of(played, who) for name, ask in ASKED.items()}
    moved(played, 1)
    for ask in ASKED.values():
        if not ask.lasts:
            ask.of(played, who)

    for name, ask in ASKED.items():
        again = ask.of(played, who, **{"If-None-Match": tag(before[name])})
        allowed = f"{'private' if who else 'public'}, max-age=3600"
        assert (before[name].headers["Cache-Control"] == allowed) == ask.lasts, name
        if ask.path.startswith("commits") or ask.path.startswith("state"):
            assert (again.status_code == 304) == ask.lasts, name

    without_flask()
    for name in ("state-at-a-version", "states-full", "commits-full"):
        assert told(ASKED[name].of(played, who)) == told(before[name]), name


def test_head_tells_the_headers_alone(played: Door) -> None:
    """HEAD is answered as GET, without a body, even if no permit for a long answer is free."""
    got = {name: ask.of(played, "") for name, ask in ASKED.items()}
    played.change(stream_limit=StreamLimit(most=1, each=1))
    played.services.stream_limit.must_take("somebody")

    for name, ask in ASKED.items():
        head = played.ask("HEAD", ask.path)
        assert (head.status_code, head.data) == (200, b""), name
        for header in ("ETag", "Vary", "Cache-Control", "Content-Type"):
            assert head.headers[header] == got[name].headers[header], name


# ---- what is done all the same -------------------------------------------------------------------


def test_the_list_is_looked_at_once_after_a_write(
    played: Door, without_flask: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a write that does not change the list, the list is read only once."""
    played.get(LIST)
    look = Mock(wraps=played.ctx.journal.index.listing)
    monkeypatch.setattr(played.ctx.journal.index, "listing", look)
    played.ctx.journal.metadata.put_snapshot(played.match, b"{}")
    without_flask()

    for _ in range(3):
        assert played.get(LIST).status_code == 200

    assert look.call_count == 1


@pytest.mark.usefixtures("one_window")
def test_requests_told_again_are_counted(make_door: Make) -> None:
    """Cached answers count against a caller's limit, and are refused beyond it."""
    match = opened(make_door(RATE_LIMIT="5", ALLOW_SEED="true"))

    answers = [match.get("state", "seat:0") for _ in range(8)]

    told_allowances = [answer.headers["RateLimit"].split(";")[1] for answer in answers]
    assert told_allowances[1:] == [f"r={remaining}" for remaining in (4, 3, 2, 1, 0, 0, 0)]
    assert problem(answers[-1]) == (429, "rate-limited")


def test_requests_told_again_are_logged_alike(
    played: Door, caplog: pytest.LogCaptureFixture
) -> None:
    """The log of a cached answer names operation, match, version and caller as before."""
    with caplog.at_level(logging.INFO, "giornale.request"):
        played.get("state", "seat:0")
        played.get("state", "seat:0")

    first, again = caplog.records[-2:]
    for name in ("method", "operation", "status", "match", "version", "caller"):
        assert getattr(again, name) == getattr(first, name)


def test_a_journal_that_is_away_tells_nothing(
    played: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cached answer is not sent if the journal cannot confirm it."""
    played.get("state", "seat:0")
    for name in ("overview", "tail"):
        is_away = Mock(side_effect=JournalUnavailable("away"))
        monkeypatch.setattr(played.ctx.journal.events, name, is_away)

    assert problem(played.get("state", "seat:0")) == (503, "journal-unavailable")


def test_an_awaited_answer_is_not_cached(played: Door) -> None:
    """A long poll is not answered from the cache, and its parameters are checked."""
    stored(played).forget(played.match)
    assert played.get("state?wait=0", "seat:0").status_code == 200
    assert problem(played.get("state?wait=no", "seat:0")) == (422, "invalid-request")

    assert stored(played).matches() == set()


def test_a_long_answer_is_told_whole(played: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer too long for the cache is sent to its end, each time."""
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
    """A slow reader of a record holds a permit.

    Without a free one even a cached record is refused.
    """
    limit = played.services.stream_limit
    whole = played.get("record").data
    free = limit.each
    slow = [played.get("record", buffered=False) for _ in range(free)]

    assert problem(played.get("record")) == (429, "too-many-streams")

    for answer in slow:
        answer.close()
    assert played.get("record").data == whole


# ---- bounds --------------------------------------------------------------------------------------


def response_of(match: str, body: bytes) -> CachedResponse:
    """Return a response about a match."""
    validator = HistoryValidator(match, "", None, version=1, hash="", lasts=False, head="")
    return CachedResponse(validator, "getState", "200 OK", [], body)


def key_of(path: str) -> CacheKey:
    """Return a key for a path."""
    return CacheKey(path, "", "", "", coding="")


def test_the_cache_is_bounded() -> None:
    """A full cache evicts the least recently used answers.

    An answer that is stored again takes no more memory.
    """
    store = CachedResponses(most_bytes=4 * (response_cache.OVERHEAD + 1000))
    for number in range(4):
        store.put(key_of(f"m{number}"), response_of(f"m{number}", b"x" * 900))
    assert store.get(key_of("m0")) is not None

    for number in (4, 5, 5, 5):
        store.put(key_of(f"m{number}"), response_of(f"m{number}", b"x" * 900))

    assert store.matches() == {"m0", "m3", "m4", "m5"}


def test_a_long_body_holds_a_permit_until_it_was_read(played: Door) -> None:
    """A long body comes in pieces. Meanwhile another one is refused, but not afterwards.

    Short bodies need no permit.
    """
    played.change(stream_limit=StreamLimit(most=1, each=1))
    first = played.get("/openapi.json", buffered=False)
    assert problem(played.get("/openapi.json")) == (503, "overloaded")
    assert played.get("state").status_code == 200

    pieces = list(first.iter_encoded())
    assert {len(piece) for piece in pieces[:-1]} == {PIECE_BYTES}

    first.close()
    assert played.get("/openapi.json").data == b"".join(pieces)
