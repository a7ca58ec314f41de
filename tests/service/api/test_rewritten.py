"""The journal goes back to an older copy: readers learn that commits are lost.

test_response_cache.py shows that no answer has lost commits.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from werkzeug.test import TestResponse

from service.capabilities.audits import jobs
from service.matches.records import audit
from tests.running import until
from tests.service.api.conftest import COPIED_AT, LAST, Histories, json, play_on, problem, tag

PATIENCE = 50  # seconds, less than a poll is asked to wait
WAKES = "giornale:wake:*"  # the channel of followers


def test_no_move_is_made_for_a_discarded_state(histories: Histories) -> None:
    """A move or preview with If-Match of a lost state is refused with 412."""
    match = histories.match
    etag = tag(match.get("state"))
    histories.rewrite()
    who = f"seat:{match.waiting_seats()[0]}"

    refused = match.move(who, headers={"If-Match": etag})
    previewed = match.move(who, headers={"If-Match": etag}, query_string="dry_run=true")
    of_now = match.move(who, headers={"If-Match": tag(match.get("state"))})

    assert problem(refused) == (412, "stale-version")
    assert problem(previewed) == (412, "stale-version")
    assert "another course of the match" in json(refused)["detail"]
    assert of_now.status_code == 201


def test_actions_after_the_copy_may_be_repeated(histories: Histories) -> None:
    """The older journal does not have the move, its idempotency key or the new token."""
    match = histories.match
    who = f"seat:{match.waiting_seats()[0]}"
    move = match.moves(who)[0]
    headers = {"Idempotency-Key": "the-key-of-a-lost-move"}
    first = match.post("moves", move, who, headers=headers)
    replaced = json(match.post("tokens", {}, "seat:0"))["token"]
    assert match.get("state", replaced).status_code == 200

    histories.go_back()
    play_on(match, LAST, move=0)
    again = match.post("moves", move, who, headers=headers)

    assert first.status_code == again.status_code == 201
    assert "Idempotent-Replayed" not in again.headers
    assert match.get("state", replaced).status_code == 401
    assert match.post("moves", move, replaced).status_code == 401
    assert match.get("state", "seat:0").status_code == 200


def test_an_audit_of_a_discarded_history_is_not_told(histories: Histories) -> None:
    """Reports are stored by version. A report of discarded commits is not returned."""
    match = histories.match
    queues = match.services.queues
    discarded = audit(match.ctx, match.match, LAST).as_json()
    histories.rewrite()
    jobs.keep_audit(queues, match.match, LAST, LAST, discarded)

    answer = match.post("audits", None)
    assert answer.status_code == 202
    assert json(answer)["report"] is None

    jobs.keep_audit(queues, match.match, LAST, LAST, audit(match.ctx, match.match, LAST).as_json())
    answer = match.post("audits", None)
    assert answer.status_code == 200
    assert json(answer)["report"]["hash"] == json(match.get())["hash"]


# ---- streams and long polls ------------------------------------------------------------------

REWRITTEN = 'id: 0\nevent: rewritten\ndata: {"version":%d}'


def heard(stream: TestResponse) -> list[str]:
    """Return the events of a stream until it ends, without heartbeats."""
    with stream:
        text = b"".join(stream.iter_encoded()).decode()
    return [
        block for block in text.split("\n\n") if block and not block.startswith((":", "retry:"))
    ]


FOLLOWERS: dict[str, tuple[Callable[[Histories], None], int]] = {
    "ahead-of-the-journal": (Histories.go_back, COPIED_AT),
    "of-a-discarded-history-as-long": (Histories.rewrite, LAST),
}


@pytest.mark.parametrize(("loss", "version"), FOLLOWERS.values(), ids=FOLLOWERS)
def test_a_follower_is_told_and_its_stream_ends(
    histories: Histories, loss: Callable[[Histories], None], version: int
) -> None:
    """The last event has the present version of the match.

    A follower who reconnects at a version beyond the journal's is answered alike.
    """
    stream = histories.match.get("stream", buffered=False)
    loss(histories)
    assert heard(stream) == [REWRITTEN % version]

    histories.go_back()
    headers = {"Last-Event-ID": str(LAST)}
    again = histories.match.get("stream", headers=headers, buffered=False)
    assert heard(again) == [REWRITTEN % COPIED_AT]


def test_a_stream_of_a_lost_match_ends(histories: Histories) -> None:
    """If the journal is emptied, the stream ends without an event."""
    stream = histories.match.get("stream", buffered=False)
    histories.empty()
    assert heard(stream) == []


@pytest.mark.whole
@pytest.mark.parametrize("path", ["state?wait=60", "moves?wait=60", "commits?after=4&wait=60"])
def test_a_long_poll_ends_when_the_journal_goes_back(histories: Histories, path: str) -> None:
    """The poll is answered with the present state, without waiting for a further version."""
    match = histories.match
    condition = {"If-None-Match": tag(match.get("state"))}
    with histories.client() as client, ThreadPoolExecutor(1) as another:
        # Followers of the tests before may still be there: they would be taken for this one.
        until(lambda: not client.pubsub_channels(WAKES), "earlier followers to be gone")
        asking = another.submit(match.get, path, headers=condition)
        until(lambda: client.pubsub_channels(WAKES), "the poll to follow the match")

        histories.go_back()
        match.move("seat:1", 1)
        assert asking.result(PATIENCE).status_code == 200
