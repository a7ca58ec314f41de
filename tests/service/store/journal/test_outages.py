"""Outages: a dying, missing or full server, or one written by a later release."""

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from service.ops.process.valkey import Server
from service.store.journal.errors import JournalFull, JournalUnavailable, JournalUnusable
from service.store.journal.keys import LAYOUT
from service.store.journal.ports import Journal
from service.store.journal.redis import open_journal
from service.store.journal.values import Appended, Generation, Tombstone
from tests.redis_cluster import RunningCluster
from tests.service.store.journal.entries import PARTITIONS, commit, entry, everything, grow
from tests.service.store.journal.passing_time import make_older
from tests.service.store.journal.ports import METHODS, ask

every_method = pytest.mark.parametrize("method", METHODS)

# ---- a dying or missing server -------------------------------------------------------------------


def test_a_killed_server_loses_no_answered_commit(
    own_server: Server, own_journal: Journal, tmp_path: Path
) -> None:
    """A commit appended before a SIGKILL is there after the restart.

    An open journal goes on over new connections.
    """
    commits = grow(own_journal, "m", 20, awaiting="bots")
    before = everything(own_journal, "m")

    os.kill(own_server.pid, signal.SIGKILL)
    with pytest.raises(JournalUnavailable):
        own_journal.server.ping()

    with Server(tmp_path):
        assert own_journal.events.read("m") == commits
        assert everything(own_journal, "m") == before
        assert own_journal.events.append(entry(version=21)) == Appended(21, repeated=False)


@every_method
def test_without_redis_the_journal_is_unavailable(tmp_path: Path, method: str) -> None:
    journal = open_journal(f"unix://{tmp_path}/none.sock", 2)
    with pytest.raises(JournalUnavailable, match="Redis cannot be reached"):
        ask(journal, method)


def test_a_cluster_that_cannot_be_reached_says_so(redis_cluster: RunningCluster) -> None:
    """The error is the same if no node answers or the password is wrong. It lacks the password."""
    away = open_journal("redis+cluster://127.0.0.1:1", PARTITIONS)
    with pytest.raises(JournalUnavailable, match=r"Redis cannot be reached: .*127\.0\.0\.1:1"):
        away.server.ping()

    place = redis_cluster.url.removeprefix("redis+cluster://")
    stranger = open_journal(f"redis+cluster://eve:hush@{place}", PARTITIONS)
    with pytest.raises(JournalUnavailable, match="Redis cannot be reached") as refused:
        stranger.server.ping()
    assert "hush" not in str(refused.value)


# ---- a full server -------------------------------------------------------------------------------

FIRST = Generation(id="one", since=1_000)
STONE = Tombstone(7, "ada")
WAITED = 1_000


@pytest.fixture
def full_journal(own_journal: Journal, spoiler: Any) -> Journal:
    """A journal with the match "m", pending for long, on a server without memory."""
    grow(own_journal, "m", 1, awaiting="bots")
    own_journal.server.upgrade()
    assert own_journal.server.check() == []
    make_older(spoiler, WAITED)
    spoiler.config_set("maxmemory", 1)
    return own_journal


def test_a_full_server_refuses_whole_and_is_still_read(full_journal: Journal) -> None:
    """A server without memory refuses a commit as a whole, and everything can still be read.

    Claims and failures are still noted, so that the scheduler goes on. So is a new generation. A
    deletion is made, since it makes room.
    """
    before = everything(full_journal, "m")

    with pytest.raises(JournalFull, match=r"Redis refuses: .*maxmemory"):
        full_journal.events.append(entry(version=2, awaiting="bots"))
    with pytest.raises(JournalFull, match=r"Redis refuses: .*maxmemory"):
        full_journal.server.ping()

    assert full_journal.server.check() == []
    assert everything(full_journal, "m") == before

    [claimed] = full_journal.pending.claim(WAITED, 5 * WAITED, 9)
    assert claimed.match == "m"
    assert full_journal.pending.fail("m", "ValueError", ()) == (1, True)
    assert full_journal.pending.free("m")

    assert full_journal.lifecycle.replace_generation(None, FIRST)
    assert full_journal.lifecycle.generation() == FIRST

    full_journal.lifecycle.delete("m", STONE)
    assert full_journal.events.head("m") is None
    assert full_journal.lifecycle.deleted("m") == STONE


# ---- a journal of a later release ----------------------------------------------------------------


@pytest.mark.parametrize("layout", ["99", "4", "two", ""])
def test_a_layout_that_is_not_known_is_refused(
    redis_journal: Journal, later_layout: Callable[[str], None], layout: str
) -> None:
    """Even a process that has the journal open finds an unknown layout in its check."""
    commit(redis_journal)
    assert redis_journal.server.check() == []
    later_layout(layout)

    with pytest.raises(JournalUnusable) as refused:
        redis_journal.server.check()
    assert f"the layout '{layout}', but this release knows layouts up to 3" in str(refused.value)


@pytest.mark.whole
@every_method
def test_a_journal_of_a_later_release_is_not_touched(
    redis_url: str, client: Any, later_layout: Callable[[str], None], method: str
) -> None:
    """Every first call of a process is refused, and changes no key."""
    later_layout("99")
    opened = open_journal(redis_url, PARTITIONS)

    with pytest.raises(JournalUnusable, match="Use the release that wrote it"):
        ask(opened, method)
    opened.close()

    assert client.keys() == [LAYOUT]
    assert client.get(LAYOUT) == "99"
