"""Failover of a server that Sentinels watch over, while writers write."""

import itertools
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.journal.errors import JournalUnavailable
from service.journal.notifications import Notifications
from service.journal.port import Journal
from service.journal.redis import open_journal
from tests.failover.load import Load, next_entry
from tests.redis_sentinel import WatchedPair, running_pair
from tests.running import until

PARTITIONS = 16


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[WatchedPair]:
    """A server, its replica and three Sentinels."""
    with running_pair(tmp_path) as watched:
        yield watched


def go_on(load: Load, more: int) -> None:
    """Wait until so many more commits were acknowledged."""
    wanted = load.acknowledged() + more
    until(lambda: load.acknowledged() >= wanted, f"{more} more commits", 30)


def is_master(pair: WatchedPair, journal: Journal) -> bool:
    """Return whether the second server is the master, for the journal too."""
    try:
        journal.server.ping()
    except JournalUnavailable:
        return False
    return str(pair.nodes[1].ask("ROLE")[0]) == "master"


def test_a_confirmed_commit_outlives_the_master(pair: WatchedPair) -> None:
    """With GIORNALE_REPLICAS=1 the master is killed: 0 acknowledged commits are lost.

    Every node is checked, and followers hear of the matches wherever they lie.
    """
    journal = open_journal(pair.url, PARTITIONS, replicas=1)
    complaints = journal.server.check()
    assert [line.split()[2] for line in complaints] == [node.name for node in pair.nodes]
    assert all("min-replicas-to-write 0" in line for line in complaints)

    load = Load(journal, writers=3, matches=4)
    wakes = Notifications(pair.url, PARTITIONS)
    with load.running(), wakes.follow("other") as channel:
        go_on(load, 50)
        pair.nodes[0].kill()
        plain = open_journal(pair.url, PARTITIONS)
        until(lambda: is_master(pair, plain), "the replica takes over", 30)
        until(lambda: load.answers["Unconfirmed"] >= 3, "there is nobody to confirm")

        ticks = channel.ticks
        versions = itertools.count(1)
        until(
            lambda: (
                plain.events.append(next_entry("other", next(versions), 1))
                and channel.ticks > ticks
            ),
            "news from the new master",
        )

    wakes.stop()
    findings = load.findings()
    assert (findings.lost, findings.doubled) == ([], [])
    journal.close()
    plain.close()


def test_a_replica_that_lags_loses_what_it_never_had(pair: WatchedPair) -> None:
    """Without confirmation a failover may lose what was acknowledged, and writers meet it."""
    journal = open_journal(pair.url, PARTITIONS)
    load = Load(journal, writers=3, matches=4)

    with load.running():
        go_on(load, 50)
        pair.nodes[1].signal(signal.SIGSTOP)
        pair.nodes[0].ask("CLIENT", "KILL", "TYPE", "replica")
        go_on(load, 50)
        pair.nodes[0].kill()
        pair.nodes[1].signal(signal.SIGCONT)
        until(lambda: load.answers["went back"] >= 3, "the loss is noticed", 30)

    findings = load.findings()
    assert len(findings.lost) >= 50
    assert findings.noticed != []
    journal.close()
