"""The stores for the suite of the port, and servers for tests to spoil."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from redis import Redis

from service.ops.process.valkey import Server
from service.store.archive.archive import Archive
from service.store.archive.journal import with_archive
from service.store.archive.places import open_place
from service.store.journal.memory import memory_journal
from service.store.journal.ports import Journal
from service.store.journal.redis import open_journal
from tests.redis_cluster import RunningCluster
from tests.service.store.journal.entries import PARTITIONS
from tests.service.store.journal.passing_time import Clock, make_older

PassTime = Callable[[int], None]


@pytest.fixture
def redis_journal(redis_url: str) -> Iterator[Journal]:
    """An empty journal on a real server."""
    opened = open_journal(redis_url, PARTITIONS)
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def shared_cluster_journal(shared_cluster: RunningCluster) -> Iterator[Journal]:
    """A journal on the shared cluster, opened once. A new client needs a while to know it."""
    opened = open_journal(shared_cluster.url, PARTITIONS)
    yield opened
    opened.close()


@pytest.fixture
def cluster_journal(redis_cluster: RunningCluster, shared_cluster_journal: Journal) -> Journal:
    """An empty journal on a cluster."""
    return shared_cluster_journal


@pytest.fixture
def clock() -> Clock:
    """The clock of the journal in memory."""
    return Clock()


@pytest.fixture(params=["memory", "redis", "cluster", "archive"])
def journal_kind(request: pytest.FixtureRequest) -> str:
    """The store of a test."""
    kind: str = request.param
    return kind


@pytest.fixture
def journal(journal_kind: str, request: pytest.FixtureRequest, clock: Clock) -> Journal:
    """Each store in turn, empty, and one with an empty archive beside it."""
    if journal_kind == "memory":
        return memory_journal(PARTITIONS, clock)
    if journal_kind == "archive":
        place = open_place(str(request.getfixturevalue("tmp_path")))
        return with_archive(memory_journal(PARTITIONS, clock), Archive(place))
    opened: Journal = request.getfixturevalue(f"{journal_kind}_journal")
    return opened


@pytest.fixture(params=["redis", "cluster"])
def url(request: pytest.FixtureRequest) -> str:
    """The URL of an empty server, and of an empty cluster."""
    if request.param == "cluster":
        cluster_url: str = request.getfixturevalue("redis_cluster").url
        return cluster_url
    server_url: str = request.getfixturevalue("redis_url")
    return server_url


@pytest.fixture
def client(redis_url: str) -> Iterator[Any]:
    """A plain client of the shared server."""
    with Redis.from_url(redis_url, decode_responses=True) as plain:
        yield plain


@pytest.fixture
def pass_time(
    journal_kind: str, journal: Journal, clock: Clock, request: pytest.FixtureRequest
) -> PassTime:
    """Lets so many milliseconds pass for the journal at once."""
    if journal_kind in ("memory", "archive"):
        return clock.put_forward

    if journal_kind == "cluster":
        servers = request.getfixturevalue("cluster_masters")
    else:
        servers = [request.getfixturevalue("client")]

    def pass_for_servers(milliseconds: int) -> None:
        for server in servers:
            make_older(server, milliseconds)

    return pass_for_servers


@pytest.fixture
def own_journal(own_server: Server) -> Iterator[Journal]:
    """A journal on a server for tests to kill or spoil."""
    opened = open_journal(own_server.url, PARTITIONS)
    yield opened
    opened.close()


@pytest.fixture
def spoiler(own_server: Server) -> Iterator[Any]:
    """A plain client of the server for tests to spoil."""
    with Redis.from_url(own_server.url) as plain:
        yield plain
