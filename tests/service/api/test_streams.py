"""Live: streams that lose nothing and show nothing that is not theirs, and long polls."""

import threading
from collections.abc import Callable, Iterator
from json import loads
from typing import Any

import pytest

from service.api.http.limits import StreamLimit
from service.errors import TooMany
from tests.service.api.conftest import NDJSON, Door, json, problem

PATIENCE = 50  # seconds, less than a poll is asked to wait


class Stream:
    """An open stream, read event by event in the way of a browser."""

    def __init__(self, match: Door, who: str = "", query: str = "", **headers: str) -> None:
        self.answer = match.get(f"stream{query}", who, headers=headers, buffered=False)
        self._lines: Iterator[Any] = iter(self.answer.response)
        self._blocks: list[str] = []

    def event(self) -> tuple[str, dict[str, Any]]:
        """Return the id and the commit of the next event."""
        while not self._blocks:
            sent: str = next(self._lines).decode()
            blocks = sent.split("\n\n")
            self._blocks = [block for block in blocks if "event: commit" in block]

        fields = {}
        block = self._blocks.pop(0)
        for line in block.split("\n"):
            name, value = line.split(": ", 1)
            fields[name] = value

        commit = loads(fields["data"])
        return fields["id"], commit

    def begin(self) -> bytes:
        """Return what comes next, whatever it is."""
        found: bytes = next(self._lines)
        return found

    def close(self) -> None:
        """Hang up."""
        self.answer.close()


Follow = Callable[..., Stream]


@pytest.fixture
def stream(match: Door) -> Iterator[Follow]:
    """Opens streams of the match and closes them."""
    opened: list[Stream] = []

    def follow(*told: str, **headers: str) -> Stream:
        one = Stream(match, *told, **headers)
        opened.append(one)
        return one

    yield follow
    for one in opened:
        one.close()


def hold_one_long_answer(match: Door) -> None:
    """Let the application have room for one long answer alone."""
    match.change(stream_limit=StreamLimit(most=1, each=1))


@pytest.mark.parametrize("told", ["version", "time", "after-is-as-late", "from-is-later"])
def test_a_stream_begins_where_it_is_told(match: Door, stream: Follow, told: str) -> None:
    """From a version or a time on, it included; of `after` and `from` the later counts."""
    match.move("seat:0")
    match.move("seat:1")
    second = json(match.get("commits/2", "seat:1"))
    queries = {
        "version": "?from=2",
        "time": f"?from={second['time']}",
        "after-is-as-late": "?from=1&after=1",
        "from-is-later": "?from=2&after=0",
    }

    opened = stream("seat:1", queries[told])

    assert opened.event()[0] == "2"
    assert opened.event()[0] == "3"


def test_a_stream_tells_each_commit_as_it_is_made(match: Door, stream: Follow) -> None:
    """What is new from now on, with the version as its id."""
    opened = stream("seat:1")
    assert opened.answer.mimetype == "text/event-stream"

    opened.begin()

    match.move("seat:0")

    assert opened.event()[0] == "2"

    match.move("seat:1")
    event_id, commit = opened.event()
    shown = json(match.get("commits/3", "seat:1"))
    del shown["receipt"]  # which is told to whoever asks for one commit alone

    assert event_id == "3"
    assert commit == shown


def test_a_stream_ends_with_its_token(match: Door, stream: Follow) -> None:
    """Once the token is replaced no more is told."""
    opened = stream("seat:0")
    opened.begin()

    assert match.post("tokens", {}, "seat:0").status_code == 201

    match.move("seat:1")

    with pytest.raises(StopIteration):
        opened.event()


def test_a_stream_ends_with_the_match(match: Door, stream: Follow) -> None:
    """After the last commit the stream ends.

    Who has read all and comes again is answered 204, so that a browser gives up.
    """
    opened = stream()
    match.post("abort", None, "owner")
    match.house()

    for last_event in ("match_aborted", "secrets_revealed"):
        _, commit = opened.event()
        assert commit["events"][-1]["type"] == last_event
    with pytest.raises(StopIteration):
        opened.event()
    assert match.get("stream", headers={"Last-Event-ID": "3"}).status_code == 204


def test_silence_is_broken_by_heartbeats(match: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    """A comment now and then keeps the connection, and finds out whether anybody listens."""
    monkeypatch.setattr("service.config.Config.heartbeat", 0.01)

    opened = Stream(match)

    assert opened.begin() == b"retry: 2000\n\n"
    assert opened.begin() == b": beat\n\n"
    assert opened.begin() == b": beat\n\n"

    opened.close()


@pytest.mark.parametrize(
    "path",
    ["state?wait=60", "moves?wait=60", "commits?after=1&wait=60", "story?after=1&wait=60"],
    ids=["state", "moves", "commits", "story"],
)
def test_a_long_poll_waits_for_news(match: Door, path: str) -> None:
    """The answer comes with the next commit, not after the seconds asked for."""
    headers = {"If-None-Match": match.get("state").headers["ETag"]}
    answers: list[Any] = []

    def ask() -> None:
        answers.append(match.get(path, headers=headers))

    asking = threading.Thread(target=ask)
    asking.start()
    match.move("seat:0")
    asking.join(PATIENCE)

    [answer] = answers
    assert answer.status_code == 200

    told = json(answer)
    [newest] = told.get("commits") or told.get("lines") or [told]
    assert newest["version"] == 2


def test_a_long_poll_ends_in_time(match: Door) -> None:
    """Nothing new: 304, or an empty page."""
    held = {"If-None-Match": match.get("state").headers["ETag"]}

    state = match.get("state?wait=1", headers=held)
    moves = match.get("moves?wait=1", headers=held)
    page = match.get("commits?after=1&wait=1")

    assert state.status_code == 304
    assert moves.status_code == 304
    assert json(page)["commits"] == []


def test_a_caller_has_so_many_streams_and_no_more() -> None:
    """Of one caller, and of all; what is closed is given back once."""
    limit = StreamLimit(most=3, each=2)
    first = limit.must_take("a")
    limit.must_take("a")

    with pytest.raises(TooMany):
        limit.must_take("a")

    limit.must_take("b")
    assert limit.take("c") is None

    first.give_back()
    first.give_back()

    assert limit.take("a") is not None
    assert limit.take("a") is None


def test_too_many_streams_are_a_problem(match: Door, stream: Follow) -> None:
    """429 with Retry-After; a closed stream makes room."""
    hold_one_long_answer(match)
    opened = stream()

    refused = match.get("stream")

    assert problem(refused) == (429, "too-many-streams")
    assert refused.headers["Retry-After"]

    opened.close()
    assert stream().answer.status_code == 200


@pytest.mark.parametrize("path", ["record", "commits"])
def test_an_answer_of_many_lines_holds_a_slot_until_it_is_sent(match: Door, path: str) -> None:
    """Who reads a record or a history slowly holds a slot; without one the next is told 429."""
    hold_one_long_answer(match)
    headers = {"Accept": NDJSON}
    opened = match.get(path, headers=headers, buffered=False)

    refused = match.get(path, headers=headers)

    assert problem(refused) == (429, "too-many-streams")

    opened.close()
    assert match.get(path, headers=headers).status_code == 200
