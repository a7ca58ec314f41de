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

PARTITIONS = 256


def settings(url: str, **more: str) -> Config:
    """Return the settings with a journal's URL."""
    return Config.load({"GIORNALE_JOURNAL_URL": url, **more})


@pytest.fixture
def unsafe_url(tmp_path: Path) -> Iterator[str]:
    """The URL of a server that may forget acknowledged moves and evict matches."""
    with Server(tmp_path) as server:
        with Redis.from_url(server.url) as client:
            client.config_set("appendfsync", "everysec")
            client.config_set("maxmemory-policy", "allkeys-lru")
        yield server.url


def test_safe_journal_is_accepted(redis_url: str) -> None:
    """The bundled server is set up as the journal needs it."""
    preflight.check(settings(redis_url))


def test_unsafe_journal_is_refused_with_every_reason(unsafe_url: str) -> None:
    """Both settings are named, and the way to overrule the refusal."""
    with pytest.raises(preflight.Unsafe) as refused:
        preflight.check(settings(unsafe_url))

    message = str(refused.value)
    for word in ("appendfsync", "maxmemory-policy", "GIORNALE_UNSAFE_JOURNAL"):
        assert word in message


def test_unsafe_journal_may_be_wanted(unsafe_url: str) -> None:
    """Whoever sets GIORNALE_UNSAFE_JOURNAL runs in spite of it."""
    preflight.check(settings(unsafe_url, GIORNALE_UNSAFE_JOURNAL="yes"))


def test_journal_of_the_first_release_is_brought_up_to_date(redis_url: str) -> None:
    """Before anything is served a match without the newer indexes is put into them."""
    journal = open_journal(redis_url, PARTITIONS)
    journal.append(entry(status="open"))
    remove_newer_indexes(redis_url)
    assert journal.listing("", None, 9, "calimala") == []

    preflight.check(settings(redis_url))

    assert journal.listing("open", None, 9, "calimala") == [(1_000, "m")]
    assert journal.idle(10**9, 9) == ["m"]
    journal.close()


def test_full_journal_can_still_be_served(tmp_path: Path) -> None:
    """One without room for the newer indexes stays as it is: matches can be read, and deleted."""
    with Server(tmp_path) as server, Redis.from_url(server.url) as client:
        config = settings(server.url)
        preflight.check(config)

        client.delete(LAYOUT)
        client.config_set("maxmemory", "1mb")
        preflight.check(config)


def remove_newer_indexes(url: str) -> None:
    """Leave of a journal's indexes what the first release wrote."""
    with Redis.from_url(url) as client:
        for listing in client.keys("*:listing"):
            client.zremrangebylex(listing, "[@", "(A")
        client.delete(LAYOUT, *client.keys("*:idle"))
