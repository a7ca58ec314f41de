"""Resharding and failover of a cluster while writers write: nothing acknowledged is lost.

`make failover` does the same, and more, for longer.
"""

import signal
from collections.abc import Callable, Iterator

import pytest

from service.journal.errors import JournalUnavailable
from service.journal.keys import partition_of
from service.journal.notifications import Notifications
from service.journal.redis import open_journal
from tests.failover.faults import (
    MOVED,
    PARTITIONS,
    SLOTS,
    busiest,
    has_taken_over,
    slots_of,
)
from tests.failover.load import Load
from tests.failover.resharding import move_at_once, move_one_by_one
from tests.redis_cluster import QUICK_MS, RunningCluster, running_cluster
from tests.redis_node import Node
from tests.running import until

Move = Callable[[RunningCluster, list[int], Node, Node], None]


@pytest.fixture(scope="module")
def quick_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningCluster]:
    """A cluster that gives up a silent node soon."""
    with running_cluster(tmp_path_factory.mktemp("cluster"), QUICK_MS) as quick:
        yield quick


@pytest.fixture
def cluster(quick_cluster: RunningCluster) -> RunningCluster:
    """The cluster, emptied and whole again, whatever a test before has done to it."""
    quick_cluster.wait_until_whole()
    for master in quick_cluster.masters():
        master.ask("FLUSHALL")
    return quick_cluster


def matches_of(load: Load, slots: list[int]) -> list[str]:
    """Return the matches of a load that lie in some slots."""
    return [match for match in load.told if SLOTS[partition_of(match, PARTITIONS)] in slots]


def go_on(load: Load, matches: list[str], more: int) -> None:
    """Wait until so many more commits of some matches were acknowledged."""
    wanted = load.progress(matches) + more
    until(lambda: load.progress(matches) >= wanted, f"{more} more commits", 30)


@pytest.mark.parametrize("move", [move_one_by_one, move_at_once])
def test_nothing_is_lost_when_slots_move(cluster: RunningCluster, move: Move) -> None:
    """Writers follow their matches to another master, and so do followers, lists and counts."""
    journal = open_journal(cluster.url, PARTITIONS)
    source, *_others, target = busiest(cluster)
    slots = slots_of(source)[:MOVED]
    load = Load(journal, writers=3, matches=8)
    matches = matches_of(load, slots)
    wakes = Notifications(cluster.url, PARTITIONS)

    with load.running(), wakes.follow(matches[0]) as channel:
        go_on(load, matches, 20)
        move(cluster, slots, source, target)
        go_on(load, matches, 20)

        ticks = channel.ticks
        until(lambda: channel.ticks >= ticks + 3, "news from the new master")

    wakes.stop()
    findings = load.findings()
    assert set(slots) <= set(slots_of(target))
    assert (findings.lost, findings.doubled, findings.noticed) == ([], [], [])
    assert len(journal.index.listing("running", None, 100)) == len(load.told)
    assert journal.events.commit_count() == findings.acknowledged
    journal.close()


def test_a_confirmed_commit_outlives_its_master(cluster: RunningCluster) -> None:
    """With GIORNALE_REPLICAS=1 a master is killed: 0 acknowledged commits are lost.

    Until its replica has taken over, lists fail instead of leaving out its matches.
    """
    journal = open_journal(cluster.url, PARTITIONS, replicas=1)
    victim = busiest(cluster)[0]
    load = Load(journal, writers=3, matches=8)
    matches = matches_of(load, slots_of(victim))

    with load.running():
        go_on(load, matches, 20)
        victim.kill()
        with pytest.raises(JournalUnavailable):
            journal.index.listing("running", None, 100)
        has_taken_over(cluster)
        victim.start()
        go_on(load, matches, 20)

    findings = load.findings()
    assert (findings.lost, findings.doubled, findings.noticed) == ([], [], [])
    journal.close()


@pytest.mark.parametrize("replicas", [0, 1])
def test_a_replica_that_lags_loses_what_it_did_not_confirm(
    cluster: RunningCluster, replicas: int
) -> None:
    """A replica that was cut off takes over: what it never had is lost, unless confirmed.

    Without confirmation the loss is found: acknowledged commits are missing from the journal,
    writers meet a journal that went back, and feeds lack lines that were noted.
    """
    journal = open_journal(cluster.url, PARTITIONS, replicas=replicas)
    victim = busiest(cluster)[0]
    lagging = cluster.replica_of(victim)
    load = Load(journal, writers=3, matches=8)
    slots = slots_of(victim)
    matches = matches_of(load, slots)

    with load.running():
        go_on(load, matches, 20)
        lagging.signal(signal.SIGSTOP)
        victim.ask("CLIENT", "KILL", "TYPE", "replica")
        if replicas:
            until(lambda: load.answers["Unconfirmed"] >= 3, "writers are not confirmed", 30)
        else:
            go_on(load, matches, 20)
        noted = journal.events.feed_ends({}).last

        victim.kill()
        lagging.signal(signal.SIGCONT)
        has_taken_over(cluster)
        victim.start()
        until(lambda: replicas or load.answers["went back"] >= 3, "the loss is noticed", 30)
        if replicas:
            go_on(load, matches, 20)

    findings = load.findings()
    assert findings.doubled == []
    if replicas:
        assert (findings.lost, findings.noticed) == ([], [])
    else:
        assert len(findings.lost) >= 20
        assert {match for match, _version in findings.lost} <= set(matches)
        assert set(findings.noticed) <= set(matches)

        gone_back = journal.events.feed_ends(noted).missing
        assert gone_back != frozenset()
        assert gone_back <= {SLOTS.index(slot) for slot in slots}
    journal.close()
