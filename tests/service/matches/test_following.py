"""Followers of a match when the journal goes: they wait, and go on when it is back."""

import logging
import os
import signal
import threading
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from redis import Redis

from service.journal.redis import listening, open_journal
from service.journal.wakes import Wakes
from service.matches.desk import Desk
from service.matches.following import Follower, Place, follow
from service.matches.loading import load
from service.matches.opening import Opened, Wish, open_new
from service.process.valkey import Server
from tests.running import PATIENCE, until
from tests.service.journal.copies import copy_of_server, put_back_on_server
from tests.service.matches.conftest import SECRET, START, humans, make_move

FOLLOWERS = 3
BEAT = 0.1


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """A server that the test may kill."""
    with Server(tmp_path) as own:
        yield own


@pytest.fixture
def desk(server: Server) -> Iterator[Desk]:
    """A desk over the journal on the server."""
    ticks = count(START, 1000)
    journal = open_journal(server.url, 4)
    yield Desk(
        journal,
        SECRET,
        clock=lambda: next(ticks),
        wake=lambda *_: None,
        allow_seed=True,
    )
    journal.close()


class Following(threading.Thread):
    """A follower in a thread of its own: the versions told, the beats, and what it died of."""

    def __init__(self, desk: Desk, wakes: Wakes, opened: Opened) -> None:
        super().__init__(daemon=True)
        follower = Follower(
            match=opened.loaded.id,
            token=None,
            beat=BEAT,
            render=lambda commit: b"%d " % commit["version"],
            rewritten=lambda _: b"rewritten",
        )
        self._events = follow(desk, wakes, follower, Place(1, opened.loaded.hash))
        self.told = b""
        self.beats = 0
        self.error: Exception | None = None

    def run(self) -> None:
        """Take what is told, to the end."""
        try:
            for event in self._events:
                self.told += event
                self.beats += not event
        except Exception as error:  # noqa: BLE001
            self.error = error


def test_followers_wait_for_a_journal_that_is_away(
    desk: Desk,
    server: Server,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nobody is cut off and nothing is missed; the log has one calm line for all followers."""
    monkeypatch.setattr(listening, "_PAUSE_SECONDS", 0.02)
    caplog.set_level(logging.INFO)
    opened = open_new(desk, Wish("calimala", humans(3), seed="away"))
    wakes = Wakes(server.url)
    followers = [Following(desk, wakes, opened) for _ in range(FOLLOWERS)]
    for follower in followers:
        follower.start()
    make_move(desk, opened, 0)
    until(lambda: all(one.told == b"2 " for one in followers), "the first news")

    os.kill(server.pid, signal.SIGKILL)
    beats = [follower.beats for follower in followers]
    until(
        lambda: all(one.beats > before + 5 for one, before in zip(followers, beats, strict=True)),
        "heartbeats while the journal is away",
    )
    warnings = [record for record in caplog.records if record.levelno >= logging.WARNING]

    with Server(tmp_path):
        make_move(desk, opened, 1)
        until(lambda: all(one.told == b"2 3 " for one in followers), "the news after it")
        until(lambda: "news of commits are back" in caplog.text, "the line that says so")
        wakes.stop()
        for follower in followers:
            follower.join(PATIENCE)

    assert [record.getMessage() for record in warnings] == ["no news of commits"]
    assert warnings[0].exc_info is None
    assert [follower.error for follower in followers] == [None] * FOLLOWERS


def hash_after_a_move(desk: Desk, opened: Opened) -> str:
    """Make the first legal move; return the hash of its commit, which tells the time, too."""
    make_move(desk, opened, 0)
    return load(desk, opened.loaded.id).hash


def test_a_new_follower_is_told_no_news_from_before_the_journal_went_back(
    desk: Desk, server: Server
) -> None:
    """Followers share what is read for one of them, but nobody is given what was read before."""
    opened = open_new(desk, Wish("calimala", humans(3), seed="shared"))
    follower = Follower(
        match=opened.loaded.id,
        token=None,
        beat=3600,
        render=lambda commit: commit["hash"].encode(),
        rewritten=lambda _: b"rewritten",
    )
    begun = Place(1, opened.loaded.hash)
    wakes = Wakes(server.url)

    with Redis.from_url(server.url) as client:
        opening_alone = copy_of_server(client)
        older_hash = hash_after_a_move(desk, opened)
        older = copy_of_server(client)

        put_back_on_server(client, opening_alone)
        newer_hash = hash_after_a_move(desk, opened)
        one_who_follows = follow(desk, wakes, follower, begun)
        assert next(one_who_follows) == newer_hash.encode()

        put_back_on_server(client, older)
        assert next(follow(desk, wakes, follower, begun)) == older_hash.encode()

    wakes.stop()
