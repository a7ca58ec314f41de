"""What all tests share: a real server, one for each process of pytest."""

from collections.abc import Iterator

import pytest
from redis import Redis

from service.process.valkey import Server


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server set up as in production, on a directory of its own."""
    with Server(tmp_path_factory.mktemp("redis")) as bundled:
        yield bundled


@pytest.fixture
def redis_url(server: Server) -> str:
    """The URL of the server, emptied."""
    with Redis.from_url(server.url) as client:
        client.flushall()
    return server.url
