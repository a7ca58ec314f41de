"""Before anything starts: a journal that may lose matches is refused, with what is wrong."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from redis import Redis

from service.config import Config
from service.journal.keys import LAYOUT
from service.journal.redis import open_journal
from service.process import preflight
from service.process.valkey import Server
from tests.service.journal.entries import entry


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


def test_journal_of_the_first_release_is_brought_up_to_date(redis_url: str) -> None:
    """Before anything is served a match without the newer indexes is put into them."""
    journal = open_journal(redis_url, 256)
    journal.append(entry(status="open"))
    with Redis.from_url(redis_url) as client:
        for name in client.keys("*:listing"):
            client.zremrangebylex(name, "[@", "(A")
        client.delete(LAYOUT, *client.keys("*:idle"))
    assert journal.listing("", None, 9, "calimala") == []
    preflight.check(Config.load({"GIORNALE_JOURNAL_URL": redis_url}))
    assert journal.listing("open", None, 9, "calimala") == [(1_000, "m")]
    assert journal.idle(10**9, 9) == ["m"]
    journal.close()


def test_full_journal_can_still_be_served(tmp_path: Path) -> None:
    """One that has no room for the newer indexes stays as it is: its matches can be read, and deleted."""
    with Server(tmp_path) as server, Redis.from_url(server.url) as client:
        config = Config.load({"GIORNALE_JOURNAL_URL": server.url})
        preflight.check(config)
        client.delete(LAYOUT)
        client.config_set("maxmemory", "1mb")
        preflight.check(config)
