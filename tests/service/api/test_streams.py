"""Streams, which lose no commit and end with their token or match, and long polls."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from json import loads
from typing import Any

import pytest
from werkzeug.wrappers import Response

from service.api.http.limits import StreamLimit
from service.base.errors import TooMany
from tests.service.api.conftest import Door, json, problem

PATIENCE = 50  # seconds, less than a poll is asked to wait


Event = tuple[str, dict[str, Any]]


def events(stream: Response) -> Iterator[Event]:
    """Yield the id and the commit of each event, read in the way of a browser."""
    for piece in stream.iter_encoded():
        for block in piece.decode().split("\n\n"):
            if "event: commit" in block:
                fields = dict(line.split(": ", 1) for line in block.split("\n"))
                yield fields["id"], loads(fields["data"])


@pytest.mark.parametrize(
    "form", ["version", "time", "after-is-as-late", "from-is-later", "last-event-id"]
)
def test_a_stream_begins_at_the_requested_version(match: Door, form: str) -> None:
    """A stream begins at a version or a time. Of `after` and `from` the later one counts.

    With Last-Event-ID it has every commit since that event, once.
    """
    match.move("seat:0")
    match.move("seat:1")
    second = json(match.get("commits/2", "seat:1"))
    queries = {
        "version": "?from=2",
        "time": f"?from={second['time']}",
        "after-is-as-late": "?from=1&after=1",
        "from-is-later": "?from=2&after=0",
        "last-event-id": "",
    }
    headers = {"Last-Event-ID": "1"} if form == "last-event-id" else {}

    path = f"stream{queries[form]}"
    with match.get(path, "seat:1", headers=headers, buffered=False) as stream:
        news = events(stream)
        assert [next(news)[0] for _ in range(2)] == ["2", "3"]


def test_a_stream_tells_each_commit_as_it_is_made(match: Door) -> None:
    """A stream has each new commit, with the version as its id, until its token is replaced."""
    with match.get("stream", "seat:1", buffered=False) as stream:
        assert stream.mimetype == "text/event-stream"
        news = events(stream)
        match.move("seat:0")
        assert next(news)[0] == "2"

        match.move("seat:1")
        commit = json(match.get("commits/3", "seat:1"))
        del commit["receipt"]  # only a request for one commit is told it
        assert next(news) == ("3", commit)

        assert match.post("tokens", {}, "seat:1").status_code == 201
        match.move("seat:2")
        assert list(news) == []


def test_a_stream_ends_with_the_match(match: Door) -> None:
    """After the last commit the stream ends.

    A reconnect after the last commit is answered 204, so that a browser gives up.
    """
    with match.get("stream", buffered=False) as stream:
        match.post("abort", None, "owner")
        match.house()
        last_events = [commit["events"][-1]["type"] for _, commit in events(stream)]

    assert last_events == ["match_aborted", "secrets_revealed"]
    assert match.get("stream", headers={"Last-Event-ID": "3"}).status_code == 204


def test_silence_is_broken_by_heartbeats(match: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    """Regular comments keep the connection open, and detect a closed one."""
    monkeypatch.setattr("service.base.config.Config.heartbeat", 0.01)

    with match.get("stream", buffered=False) as stream:
        pieces = stream.iter_encoded()
        assert next(pieces) == b"retry: 2000\n\n"
        assert [next(pieces) for _ in range(2)] == [b": beat\n\n"] * 2


@pytest.mark.parametrize(
    "path",
    ["state?wait=60", "moves?wait=60", "commits?after=1&wait=60", "story?after=1&wait=60"],
    ids=["state", "moves", "commits", "story"],
)
def test_a_long_poll_waits_for_news(match: Door, path: str) -> None:
    """The answer comes with the next commit, and not after the whole `wait`."""
    headers = {"If-None-Match": match.get("state").headers["ETag"]}
    with ThreadPoolExecutor(1) as another:
        asking = another.submit(match.get, path, headers=headers)
        match.move("seat:0")
        answer = asking.result(PATIENCE)
    assert answer.status_code == 200

    content = json(answer)
    [newest] = content.get("commits") or content.get("lines") or [content]
    assert newest["version"] == 2


@pytest.mark.whole
def test_a_long_poll_ends_in_time(match: Door) -> None:
    """Without news a long poll ends with 304 or an empty page."""
    condition = {"If-None-Match": match.get("state").headers["ETag"]}

    state = match.get("state?wait=1", headers=condition)
    moves = match.get("moves?wait=1", headers=condition)
    page = match.get("commits?after=1&wait=1")

    assert state.status_code == 304
    assert moves.status_code == 304
    assert json(page)["commits"] == []


def test_a_caller_has_so_many_streams_and_no_more() -> None:
    """Streams are limited for each caller and in total. A closed stream is counted off once."""
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


@pytest.mark.parametrize("path", ["stream", "record", "commits.ndjson"])
def test_a_long_answer_holds_a_permit_until_it_is_sent(match: Door, path: str) -> None:
    """A follower or a slow reader holds a permit. A request without a free permit gets 429."""
    match.change(stream_limit=StreamLimit(most=1, each=1))
    with match.get(path, buffered=False):
        refused = match.get(path)
        assert problem(refused) == (429, "too-many-streams")
        assert refused.headers["Retry-After"]

    with match.get(path, buffered=False) as again:
        assert again.status_code == 200
