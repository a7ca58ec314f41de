"""The stores that the suite of the port runs against, and servers that a test may spoil."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from redis import Redis

from service.journal.memory import MemoryJournal
from service.journal.port import Journal
from service.journal.redis import RedisJournal, open_journal
from service.process.valkey import Server
from tests.service.journal.entries import PARTITIONS
from tests.service.journal.passing_time import Clock, make_older

PassTime = Callable[[int], None]


@pytest.fixture
def redis_journal(redis_url: str) -> Iterator[RedisJournal]:
    """An empty journal on a real server."""
    opened = open_journal(redis_url, PARTITIONS)
    yield opened
    opened.close()


@pytest.fixture
def clock() -> Clock:
    """The clock of the journal in memory."""
    return Clock()


@pytest.fixture(params=["memory", "redis"])
def journal(request: pytest.FixtureRequest, clock: Clock) -> Journal:
    """Each store in turn, empty."""
    if request.param == "memory":
        return MemoryJournal(PARTITIONS, clock)
    opened: RedisJournal = request.getfixturevalue("redis_journal")
    return opened


@pytest.fixture
def client(redis_url: str) -> Iterator[Any]:
    """A plain client of the shared server."""
    with Redis.from_url(redis_url, decode_responses=True) as plain:
        yield plain


@pytest.fixture
def pass_time(journal: Journal, clock: Clock, request: pytest.FixtureRequest) -> PassTime:
    """Lets so many milliseconds pass for the journal at once."""

    def pass_for_memory(milliseconds: int) -> None:
        clock.ahead += milliseconds

    def pass_for_redis(milliseconds: int) -> None:
        make_older(request.getfixturevalue("client"), milliseconds)

    return pass_for_memory if isinstance(journal, MemoryJournal) else pass_for_redis


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[Server]:
    """A server that a test may kill or spoil."""
    with Server(tmp_path) as server:
        yield server


@pytest.fixture
def own_journal(own_server: Server) -> Iterator[RedisJournal]:
    """A journal on a server that a test may kill or spoil."""
    opened = open_journal(own_server.url, PARTITIONS)
    yield opened
    opened.close()


@pytest.fixture
def spoiler(own_server: Server) -> Iterator[Any]:
    """A plain client of the server that a test may spoil."""
    with Redis.from_url(own_server.url) as plain:
        yield plain
