"""Followers of a match wait while the journal is away, and share reads of commits.

A new follower gets no commits that the journal has lost.
"""

import logging
import os
import signal
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from redis import Redis

from service.matches import following
from service.matches.context import Context
from service.matches.following import Follower, FollowerCursor, follow
from service.matches.opening import NewMatch, OpenRequest, open_new
from service.matches.repository import load
from service.ops.process.valkey import Server
from service.store.journal import notifications
from service.store.journal.notifications import Notifications
from service.store.journal.redis import open_journal
from service.store.journal.values import Tail
from tests.running import PATIENCE, until
from tests.service.matches.conftest import context_over, humans, make_move, play_on
from tests.service.store.journal.copies import copy_of_server, put_back_on_server

FOLLOWERS = 3
BEAT = 0.1
NO_BEAT = 3600.0
FEW = 3  # commits in a piece. Only followers read with this limit


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """A server that a test may kill."""
    with Server(tmp_path) as own:
        yield own


@pytest.fixture
def ctx(server: Server) -> Iterator[Context]:
    """A context over the journal on the server."""
    journal = open_journal(server.url, 4)
    yield context_over(journal)
    journal.close()


@pytest.fixture
def wakes(server: Server) -> Iterator[Notifications]:
    """The notifications of this process."""
    opened = Notifications(server.url)
    yield opened
    opened.stop()


def follower_of(opened: NewMatch, beat: float) -> Follower:
    """Return a follower without a token. It receives each commit as its version number."""
    return Follower(
        match=opened.loaded.id,
        token=None,
        beat=beat,
        render=lambda commit: b"%d " % commit["version"],
        rewritten=lambda _: b"rewritten",
    )


class Following(threading.Thread):
    """A follower in a thread: the received versions, the beats, and its error."""

    def __init__(
        self, ctx: Context, wakes: Notifications, opened: NewMatch, beat: float = BEAT
    ) -> None:
        super().__init__(daemon=True)
        place = FollowerCursor(1, opened.loaded.hash)
        self._events = follow(ctx, wakes, follower_of(opened, beat), place)
        self.received = b""
        self.beats = 0
        self.error: Exception | None = None

    def run(self) -> None:
        """Receive all events, to the end."""
        try:
            for event in self._events:
                self.received += event
                self.beats += not event
        except Exception as error:  # noqa: BLE001
            self.error = error


def test_followers_wait_for_a_journal_that_is_away(
    ctx: Context,
    wakes: Notifications,
    server: Server,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No follower ends or misses a commit. The log has one warning for all followers."""
    monkeypatch.setattr(notifications, "_PAUSE_SECONDS", 0.02)
    caplog.set_level(logging.INFO)
    opened = open_new(ctx, OpenRequest("calimala", humans(3), seed="away"))
    followers = [Following(ctx, wakes, opened) for _ in range(FOLLOWERS)]
    for follower in followers:
        follower.start()
    make_move(ctx, opened, 0)
    until(lambda: all(one.received == b"2 " for one in followers), "the first news")

    os.kill(server.pid, signal.SIGKILL)
    beats = [follower.beats for follower in followers]
    until(
        lambda: all(one.beats > before + 5 for one, before in zip(followers, beats, strict=True)),
        "heartbeats while the journal is away",
    )
    warnings = [record for record in caplog.records if record.levelno >= logging.WARNING]

    with Server(tmp_path):
        make_move(ctx, opened, 1)
        until(lambda: all(one.received == b"2 3 " for one in followers), "news after the restart")
        until(lambda: "commit notifications resumed" in caplog.text, "the resumption in the log")
        wakes.stop()
        for follower in followers:
            follower.join(PATIENCE)

    assert [record.getMessage() for record in warnings] == ["commit notifications stopped"]
    assert warnings[0].exc_info is None
    assert [follower.error for follower in followers] == [None] * FOLLOWERS


class Reads:
    """Replaces the journal's `tail`, and notes the number of commits in each read."""

    def __init__(self, ctx: Context, monkeypatch: pytest.MonkeyPatch) -> None:
        self.sizes: list[int] = []
        self._tail = ctx.journal.events.tail
        monkeypatch.setattr(ctx.journal.events, "tail", self._note)

    def _note(self, match: str, after: int, field: str, limit: int) -> Tail:
        tail = self._tail(match, after, field, limit)
        if limit == FEW:
            self.sizes.append(len(tail.commits))
        return tail


def test_a_commit_is_read_once_for_all_followers(
    ctx: Context, wakes: Notifications, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each follower reads once at its beginning. Later one follower reads a new commit for all."""
    opened = open_new(ctx, OpenRequest("calimala", humans(3), seed="once"))
    monkeypatch.setattr(following, "PIECE", FEW)
    with wakes.follow(opened.loaded.id) as channel:
        until(lambda: channel.ticks, "the subscription to the channel")
        reads = Reads(ctx, monkeypatch)
        followers = [Following(ctx, wakes, opened, beat=NO_BEAT) for _ in range(FOLLOWERS)]
        for follower in followers:
            follower.start()
        until(lambda: len(channel._waiting) == FOLLOWERS, "the wait of all followers")

        make_move(ctx, opened, 0)
        until(lambda: all(one.received == b"2 " for one in followers), "the news")

    assert reads.sizes == [0] * FOLLOWERS + [1]


def test_a_follower_far_behind_receives_pieces(
    ctx: Context, wakes: Notifications, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A piece has at most FEW commits. It is read after the previous piece was received."""
    monkeypatch.setattr(following, "PIECE", FEW)
    opened = open_new(ctx, OpenRequest("calimala", humans(3), seed="behind"))
    play_on(ctx, opened, until=9)
    reads = Reads(ctx, monkeypatch)
    received = follow(
        ctx, wakes, follower_of(opened, NO_BEAT), FollowerCursor(1, opened.loaded.hash)
    )

    assert next(received) == b"2 3 4 "
    assert reads.sizes == [3]
    assert next(received) == b"5 6 7 "
    assert next(received) == b"8 9 "
    assert reads.sizes == [3, 3, 2]


def test_a_follower_far_behind_and_the_others_do_not_wait(
    ctx: Context, wakes: Notifications, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A follower far behind reads its pieces while the query of another follower hangs."""
    monkeypatch.setattr(following, "PIECE", FEW)
    opened = open_new(ctx, OpenRequest("calimala", humans(3), seed="beside"))
    play_on(ctx, opened, until=9)
    may_end = threading.Event()

    with wakes.follow(opened.loaded.id) as channel:
        asking = threading.Thread(
            target=lambda: channel.query("another", 0, lambda: may_end.wait(PATIENCE)), daemon=True
        )
        asking.start()
        until(channel._querying.locked, "the query of another follower")
        received = follow(
            ctx, wakes, follower_of(opened, NO_BEAT), FollowerCursor(1, opened.loaded.hash)
        )
        assert [next(received) for _ in range(3)] == [b"2 3 4 ", b"5 6 7 ", b"8 9 "]
        assert asking.is_alive()
        may_end.set()
        asking.join(PATIENCE)


def hash_after_a_move(ctx: Context, opened: NewMatch) -> str:
    """Make the first legal move. Return the hash of its commit. The hash depends on the time."""
    make_move(ctx, opened, 0)
    return load(ctx, opened.loaded.id).hash


def test_a_new_follower_gets_no_news_from_before_a_loss(
    ctx: Context, wakes: Notifications, server: Server
) -> None:
    """A new follower gets no commits that another follower read before the journal lost them."""
    opened = open_new(ctx, OpenRequest("calimala", humans(3), seed="shared"))
    follower = replace(follower_of(opened, NO_BEAT), render=lambda commit: commit["hash"].encode())
    cursor = FollowerCursor(1, opened.loaded.hash)

    with Redis.from_url(server.url) as client:
        opening_alone = copy_of_server(client)
        older_hash = hash_after_a_move(ctx, opened)
        older = copy_of_server(client)

        put_back_on_server(client, opening_alone)
        newer_hash = hash_after_a_move(ctx, opened)
        one_who_follows = follow(ctx, wakes, follower, cursor)
        assert next(one_who_follows) == newer_hash.encode()

        put_back_on_server(client, older)
        assert next(follow(ctx, wakes, follower, cursor)) == older_hash.encode()

        make_move(ctx, opened, 1)
        assert next(one_who_follows) == b"rewritten", "what it has received is gone"
        assert next(one_who_follows, None) is None
