"""The journal goes back to an older copy: nobody is told, or left to believe, what it has lost."""

import threading
from collections.abc import Callable, Iterator
from json import loads
from typing import Any

import pytest
from redis import Redis

from service.api.app import create_app
from service.jobs import requests as jobs
from service.matches.records import audit
from tests.running import until
from tests.service.api.conftest import NDJSON, Door, json, problem, tag
from tests.service.journal.copies import copy_of_server, put_back_on_server

PATIENCE = 10
COPIED_AT = 2  # the version up to which the older copy goes
LAST = 4  # the version up to which both histories go
LINES = {"Accept": NDJSON}


@pytest.fixture
def client(redis_url: str) -> Iterator[Any]:
    """A plain client of the journal's server."""
    with Redis.from_url(redis_url) as plain:
        yield plain


WAKES = "giornale:wake:*"  # what followers listen to


class Histories:
    """A match that is played, put back to an older copy, and played otherwise."""

    def __init__(self, match: Door, client: Any) -> None:
        self.match = match
        self._client = client

        play_on(match, COPIED_AT, move=0)
        self._older = copy_of_server(client)
        play_on(match, LAST, move=0)

    def go_back(self) -> None:
        """Put the older copy back."""
        put_back_on_server(self._client, self._older)

    def rewrite(self) -> None:
        """Put the older copy back, and let another process play otherwise."""
        self.go_back()
        play_on(self.another_process(), LAST, move=1)

    def another_process(self) -> Door:
        """Return the door of a process that remembers nothing."""
        app = create_app(self.match.services.config)
        return Door.of(app, tokens=self.match.tokens, match=self.match.match)


def play_on(match: Door, version: int, move: int) -> None:
    """Make moves of the seats in turn, each of the same number, up to a version."""
    for number in range(json(match.get())["version"], version):
        assert match.move(f"seat:{number - 1}", move).status_code == 201


@pytest.fixture
def histories(match: Door, client: Any) -> Histories:
    """A match of three humans with a history of four commits, of which a copy holds two."""
    return Histories(match, client)


ANSWERS = {
    "state": ("state", {}),
    "state at a version": ("state?version=3", {}),
    "state at a moment": ("state?at=3", {}),
    "moves": ("moves", {}),
    "match": ("", {}),
    "commit": ("commits/3", {}),
    "page": ("commits?limit=3", {}),
    "page to a version": ("commits?to=3", {}),
    "page of an actor": ("commits?actor=seat:1&to=3", {}),
    "lines": ("commits?to=3", LINES),
    "difference": ("diff?from=1&to=3", {}),
    "difference backwards": ("diff?from=3&to=1", {}),
    "story": ("story?limit=3", {}),
    "states": ("states?limit=3", {}),
    "states in lines": ("states?limit=3", LINES),
    "story to a version": ("story?to=3", {}),
    "story in lines": ("story?to=3", LINES),
    "story as text": ("story?to=3", {"Accept": "text/plain"}),
    "record": ("record", {}),
}


def test_no_discarded_answer_is_confirmed(histories: Histories) -> None:
    """An ETag of the discarded history saves nothing, though the version is the same again.

    What is answered instead is what a process tells that remembers nothing.
    """
    match = histories.match
    discarded = {
        name: match.get(path, "seat:0", headers=headers)
        for name, (path, headers) in ANSWERS.items()
    }
    histories.rewrite()
    afresh = histories.another_process()

    for name, (path, headers) in ANSWERS.items():
        held = {"If-None-Match": tag(discarded[name])}
        answer = match.get(path, "seat:0", headers=headers | held)

        assert discarded[name].status_code == 200, name
        assert answer.status_code == 200, name
        assert answer.data == afresh.get(path, "seat:0", headers=headers).data, name
        assert tag(answer) != tag(discarded[name]), name


def test_what_both_histories_share_is_confirmed(histories: Histories) -> None:
    """An answer of the history up to the copy is as right as before."""
    match = histories.match
    histories.go_back()

    for name, (path, headers) in ANSWERS.items():
        at_copy = path.replace("3", "2")
        shared = match.get(at_copy, "seat:0", headers=headers)
        held = {"If-None-Match": tag(shared)}
        assert match.get(at_copy, "seat:0", headers=headers | held).status_code == 304, name


def test_no_move_is_made_for_a_discarded_state(histories: Histories) -> None:
    """If-Match of a state that is no longer in the journal: 412, whatever its version."""
    match = histories.match
    seen = tag(match.get("state"))
    histories.rewrite()
    who = f"seat:{match.waiting_seats()[0]}"

    refused = match.move(who, headers={"If-Match": seen})
    previewed = match.move(who, headers={"If-Match": seen}, query_string="dry_run=true")
    of_now = match.move(who, headers={"If-Match": tag(match.get("state"))})

    assert problem(refused) == (412, "stale-version")
    assert problem(previewed) == (412, "stale-version")
    assert "another history" in json(refused)["detail"]
    assert of_now.status_code == 201


def test_a_lost_move_is_made_by_its_repetition(match: Door, client: Any) -> None:
    """The same key makes the move anew, since the journal does not hold it any more."""
    older = copy_of_server(client)
    move = match.moves("seat:0")[0]
    headers = {"Idempotency-Key": "the-key-of-a-lost-move"}
    first = match.post("moves", move, "seat:0", headers=headers)
    put_back_on_server(client, older)

    again = match.post("moves", move, "seat:0", headers=headers)

    assert first.status_code == again.status_code == 201
    assert "Idempotent-Replayed" not in again.headers
    assert json(match.get("commits/2"))["hash"] == json(again)["hash"]


def test_a_replaced_token_counts_again_with_the_copy(match: Door, client: Any) -> None:
    """Whose a token is stands in the journal: the one that was made after the copy is nobody's."""
    older = copy_of_server(client)
    replaced = json(match.post("tokens", {}, "seat:0"))["token"]
    assert match.get("state", replaced).status_code == 200
    put_back_on_server(client, older)

    assert match.get("state", replaced).status_code == 401
    assert match.post("moves", {"type": "pass"}, replaced).status_code == 401
    assert match.move("seat:0").status_code == 201


def test_an_audit_of_a_discarded_history_is_not_told(histories: Histories) -> None:
    """A report is kept for a while under the version: only that of these very commits is told."""
    match = histories.match
    queues = match.services.queues
    discarded = audit(match.ctx, match.match, LAST).as_json()
    histories.rewrite()
    jobs.keep_audit(queues, match.match, LAST, LAST, discarded)

    answer = match.get("audit")
    assert answer.status_code == 202
    assert json(answer)["report"] is None

    jobs.keep_audit(queues, match.match, LAST, LAST, audit(match.ctx, match.match, LAST).as_json())
    answer = match.get("audit")
    assert answer.status_code == 200
    assert json(answer)["report"]["hash"] == json(match.get())["hash"]


# ---- streams and long polls ------------------------------------------------------------------

Follow = Callable[..., Iterator[Any]]


@pytest.fixture
def follow() -> Iterator[Follow]:
    """Opens streams of a match and closes them."""
    answers: list[Any] = []

    def begin(match: Door, **headers: str) -> Iterator[Any]:
        answer = match.get("stream", headers=headers, buffered=False)
        assert answer.status_code == 200
        answers.append(answer)
        lines = iter(answer.response)
        next(lines)
        return lines

    yield begin
    for answer in answers:
        answer.close()


def blocks_to_the_end(lines: Iterator[Any]) -> list[str]:
    """Return what a stream tells until it ends, without heartbeats."""
    told = b"".join(lines).decode()
    return [block for block in told.split("\n\n") if block and not block.startswith(":")]


def assert_told_so(lines: Iterator[Any], version: int) -> None:
    """Assert that a stream says that the journal has gone back, and ends."""
    [block] = blocks_to_the_end(lines)
    event_id, event, data = block.split("\n")
    assert event_id == "id: 0"
    assert event == "event: rewritten"
    assert loads(data.removeprefix("data: ")) == {"version": version}


def test_a_follower_ahead_of_the_journal_is_told(histories: Histories, follow: Follow) -> None:
    """It is not left in silence: it is told where the match is now, and its stream ends."""
    lines = follow(histories.match)
    histories.go_back()
    assert_told_so(lines, COPIED_AT)


def test_a_follower_of_a_discarded_history_is_told(histories: Histories, follow: Follow) -> None:
    """Also when the match has come as far again."""
    lines = follow(histories.match)
    histories.rewrite()
    assert_told_so(lines, LAST)


def test_a_follower_who_comes_again_with_a_lost_version_is_told(
    histories: Histories, follow: Follow
) -> None:
    """Last-Event-ID names a commit that the journal does not hold."""
    histories.go_back()
    lines = follow(histories.match, **{"Last-Event-ID": str(LAST)})
    assert_told_so(lines, COPIED_AT)


def test_a_stream_of_a_lost_match_ends(histories: Histories, follow: Follow, client: Any) -> None:
    """A journal that was emptied has nothing to follow."""
    lines = follow(histories.match)
    client.flushall()
    assert blocks_to_the_end(lines) == []


@pytest.mark.parametrize("path", ["state?wait=30", "moves?wait=30", "commits?after=4&wait=30"])
def test_a_long_poll_ends_when_the_journal_goes_back(
    histories: Histories, client: Any, path: str
) -> None:
    """It is answered with what the journal holds now, not kept until the match comes further."""
    match = histories.match
    held = {"If-None-Match": tag(match.get("state"))}
    answers: list[Any] = []
    asking = threading.Thread(target=lambda: answers.append(match.get(path, headers=held)))

    # Followers of the tests before may still be there: they would be taken for this one.
    until(lambda: not client.pubsub_channels(WAKES), "earlier followers to be gone")
    asking.start()
    until(lambda: client.pubsub_channels(WAKES), "the poll to follow the match")

    histories.go_back()
    match.move("seat:1", 1)
    asking.join(PATIENCE)

    [answer] = answers
    assert answer.status_code == 200


def test_an_emptied_journal_has_no_match(match: Door, client: Any) -> None:
    """What a process remembers of it is not told."""
    match.move("seat:0")
    client.flushall()

    assert match.get("state").status_code == 404
    assert match.get("state?version=1").status_code == 404
    assert problem(match.get("state", "seat:0")) == (401, "unauthorized")
