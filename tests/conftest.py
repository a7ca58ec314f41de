"""What all tests share: a real server, one for each process of pytest."""

import os
import sys
from collections.abc import Iterator

import pytest
from redis import Redis

from service.process.valkey import Server


def pytest_configure(config: pytest.Config) -> None:
    """Keep bytecode in pytest's cache where the environment forbids to write it beside the code.

    Without any, each process that a test starts would compile all that it imports.
    """
    if not sys.dont_write_bytecode or config.cache is None:
        return

    directory = str(config.cache.mkdir("bytecode"))
    sys.pycache_prefix = directory
    sys.dont_write_bytecode = False

    # The processes of xdist and of the tests read these.
    os.environ["PYTHONPYCACHEPREFIX"] = directory
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


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
