"""The stores that the conformance suite runs against."""

from collections.abc import Iterator

import pytest

from service.journal.memory import MemoryJournal
from service.journal.port import Journal
from service.journal.redis import RedisJournal, open_journal


@pytest.fixture
def redis_journal(redis_url: str) -> Iterator[RedisJournal]:
    """An empty journal on a real server."""
    opened = open_journal(redis_url, partitions=16)
    yield opened
    opened.close()


@pytest.fixture(params=["memory", "redis"])
def journal(request: pytest.FixtureRequest) -> Journal:
    """Each store in turn, empty, with 16 partitions."""
    if request.param == "memory":
        return MemoryJournal(partitions=16)
    opened: RedisJournal = request.getfixturevalue("redis_journal")
    return opened
