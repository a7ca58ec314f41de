"""Before anything starts: a journal that may lose matches is refused, with what is wrong."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from redis import Redis

from service import preflight
from service.config import Config
from service.embedded import Server


@pytest.fixture
def unsafe(tmp_path: Path) -> Iterator[str]:
    """The URL of a server that may forget acknowledged moves and evict matches."""
    with Server(tmp_path) as server:
        with Redis.from_url(server.url) as client:
            client.config_set("appendfsync", "everysec")
            client.config_set("maxmemory-policy", "allkeys-lru")
        yield server.url


def test_safe_journal_is_accepted(redis_url: str) -> None:
    """The bundled server is set up as the journal needs it."""
    preflight.check(Config.load({"GIORNALE_JOURNAL_URL": redis_url}))


def test_unsafe_journal_is_refused_with_every_reason(unsafe: str) -> None:
    """Both settings are named, and the way to overrule the refusal."""
    with pytest.raises(preflight.Unsafe) as refused:
        preflight.check(Config.load({"GIORNALE_JOURNAL_URL": unsafe}))
    for word in ("appendfsync", "maxmemory-policy", "GIORNALE_UNSAFE_JOURNAL"):
        assert word in str(refused.value)


def test_unsafe_journal_may_be_wanted(unsafe: str) -> None:
    """Who says so runs in spite of it."""
    preflight.check(Config.load({"GIORNALE_JOURNAL_URL": unsafe, "GIORNALE_UNSAFE_JOURNAL": "yes"}))
