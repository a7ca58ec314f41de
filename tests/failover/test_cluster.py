"""Resharding and failover of a cluster while writers write: nothing acknowledged is lost.

Here a replica takes over when it is ordered to. `make failover` leaves that to the cluster. There a
master is given up after half a second of silence. On a busy machine that may hit a living one.
"""

import random
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from service.record.commit import clock
from service.record.tlog.checkpoint import read_checkpoint, read_note
from service.record.tlog.tree import leaf_hash, root_of
from service.store.journal.errors import JournalUnavailable
from service.store.journal.keys import ORDER, Keys, partition_of
from service.store.journal.notifications import Notifications
from service.store.journal.redis import open_journal
from service.store.keys.signer import Signer
from service.store.tlog.entries import LogEntry
from service.store.tlog.log import open_log
from service.store.tlog.sequencer import Sequencer
from tests.failover.faults import (
    MOVED,
    PARTITIONS,
    SLOTS,
    busiest,
    has_taken_over,
    kill_target_of_a_move,
    move_at_once,
    move_one_by_one,
    slots_of,
)
from tests.failover.writers import WENT_BACK, Writers, lost
from tests.promises.checker import DOUBLED
from tests.redis_cluster import RunningCluster, running_cluster
from tests.redis_node import Node
from tests.running import until
from tests.service.store.journal.ports import store_of

Move = Callable[[RunningCluster, list[int], Node, Node], None]


@pytest.fixture(scope="module")
def own_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningCluster]:
    """A cluster that these tests may break."""
    with running_cluster(tmp_path_factory.mktemp("cluster")) as started:
        yield started


@pytest.fixture
def cluster(own_cluster: RunningCluster) -> RunningCluster:
    """The cluster, emptied and whole again after any earlier test."""
    own_cluster.wait_until_whole()
    for master in own_cluster.masters():
        master.ask("FLUSHALL")
    return own_cluster


def matches_of(writers: Writers, slots: list[int]) -> list[str]:
    """Return the matches of the writers that lie in some slots."""
    return [match for match in writers.written if SLOTS[partition_of(match, PARTITIONS)] in slots]


def go_on(writers: Writers, matches: list[str], more: int) -> None:
    """Wait until so many more commits of some matches were acknowledged."""
    goal = writers.progress(matches) + more
    until(lambda: writers.progress(matches) >= goal, f"{more} more commits")


def take_over(cluster: RunningCluster, replica: Node) -> None:
    """Have a replica take the place of its missing master, and wait until it has."""
    replica.ask("CLUSTER", "FAILOVER", "TAKEOVER")
    has_taken_over(cluster)


@pytest.mark.whole
@pytest.mark.parametrize("move", [move_one_by_one, move_at_once])
def test_nothing_is_lost_when_slots_move(cluster: RunningCluster, move: Move) -> None:
    """Writers follow their matches to another master, and so do followers, lists and counts."""
    journal = open_journal(cluster.url, PARTITIONS)
    source, *_others, target = busiest(cluster)
    slots = slots_of(source)[:MOVED]
    writers = Writers(journal, writers=3, matches=8)
    matches = matches_of(writers, slots)
    wakes = Notifications(cluster.url, PARTITIONS)

    with writers.running(), wakes.follow(matches[0]) as channel:
        go_on(writers, matches, 20)
        move(cluster, slots, source, target)
        go_on(writers, matches, 20)

        ticks = channel.ticks
        until(lambda: channel.ticks >= ticks + 3, "news from the new master")

    wakes.stop()
    assert (writers.findings_in(cluster), writers.noticed()) == ([], [])
    assert set(slots) <= set(slots_of(target))
    assert len(journal.index.listing("running", None, 100)) == len(writers.written)
    assert journal.events.commit_count() == writers.history.acknowledged
    journal.close()


@pytest.mark.whole
def test_a_target_that_dies_after_a_move_returns_with_its_slots(
    cluster: RunningCluster,
) -> None:
    """If no replica may take over meanwhile, as the operations page says, nothing is lost."""
    journal = open_journal(cluster.url, PARTITIONS, replicas=1)
    writers = Writers(journal, writers=3, matches=8)
    with writers.running():
        go_on(writers, list(writers.written), 40)
        kill_target_of_a_move(cluster, random.Random(1))
        go_on(writers, list(writers.written), 40)

    assert (writers.findings_in(cluster), writers.noticed()) == ([], [])
    journal.close()


@pytest.mark.whole
def test_moved_slots_are_lost_after_a_stale_failover(cluster: RunningCluster) -> None:
    """Even GIORNALE_REPLICAS=1 does not help: a move waits for no replica (valkey#2723).

    The replica of the earlier master had confirmed the commits.
    """
    journal = open_journal(cluster.url, PARTITIONS, replicas=1)
    source, *_others, target = busiest(cluster)
    lagging = cluster.replica_of(target)
    slots = slots_of(source)[:MOVED]
    writers = Writers(journal, writers=3, matches=8)
    matches = matches_of(writers, slots)
    with writers.running():
        go_on(writers, matches, 20)
    lagging.signal(signal.SIGSTOP)
    target.ask("CLIENT", "KILL", "TYPE", "replica")

    move_at_once(cluster, slots, source, target)
    target.kill()
    lagging.signal(signal.SIGCONT)
    take_over(cluster, lagging)
    target.start()
    cluster.wait_until_whole()

    missing = lost(writers.findings_in(cluster))
    assert {match for match, _version in missing} == set(matches)
    assert len(missing) == writers.progress(matches)
    journal.close()


def test_a_confirmed_commit_outlives_its_master(cluster: RunningCluster) -> None:
    """With GIORNALE_REPLICAS=1 a master is killed: 0 acknowledged commits are lost.

    Until its replica has taken over, lists fail instead of leaving out its matches.
    """
    journal = open_journal(cluster.url, PARTITIONS, replicas=1)
    victim = busiest(cluster)[0]
    replica = cluster.replica_of(victim)
    writers = Writers(journal, writers=3, matches=8)
    matches = matches_of(writers, slots_of(victim))

    with writers.running():
        go_on(writers, matches, 20)
        victim.kill()
        with pytest.raises(JournalUnavailable):
            journal.index.listing("running", None, 100)
        take_over(cluster, replica)
        victim.start()
        go_on(writers, matches, 20)

    assert (writers.findings_in(cluster), writers.noticed()) == ([], [])
    journal.close()


@pytest.mark.whole
@pytest.mark.parametrize("replicas", [0, 1])
def test_a_lagging_replica_loses_its_unconfirmed_commits(
    cluster: RunningCluster, replicas: int
) -> None:
    """A replica that was cut off takes over: commits it never had are lost, unless confirmed.

    Without confirmation the loss is found: acknowledged commits are missing from the journal,
    writers meet a journal that went back, and feeds lack lines that were noted.
    """
    journal = open_journal(cluster.url, PARTITIONS, replicas=replicas)
    victim = busiest(cluster)[0]
    lagging = cluster.replica_of(victim)
    writers = Writers(journal, writers=3, matches=8)
    slots = slots_of(victim)
    matches = matches_of(writers, slots)

    with writers.running():
        go_on(writers, matches, 20)
        lagging.signal(signal.SIGSTOP)
        victim.ask("CLIENT", "KILL", "TYPE", "replica")
        if replicas:
            until(lambda: writers.count("Unconfirmed") >= 3, "writers are not confirmed")
        else:
            go_on(writers, matches, 20)
        noted = journal.events.feed_ends({}).last

        victim.kill()
        lagging.signal(signal.SIGCONT)
        take_over(cluster, lagging)
        victim.start()
        until(lambda: replicas or writers.count(WENT_BACK) >= 3, "the loss is noticed")
        if replicas:
            go_on(writers, matches, 20)

    findings = writers.findings_in(cluster)
    assert DOUBLED not in {one.rule for one in findings}
    if replicas:
        assert (findings, writers.noticed()) == ([], [])
    else:
        assert len(lost(findings)) >= 20
        assert {match for match, _version in lost(findings)} <= set(matches)
        assert set(writers.noticed()) <= set(matches)

        gone_back = journal.events.feed_ends(noted).missing
        assert gone_back != frozenset()
        assert gone_back <= {SLOTS.index(slot) for slot in slots}
    journal.close()


@pytest.mark.whole
def test_the_log_goes_on_when_masters_are_lost(cluster: RunningCluster, tmp_path: Path) -> None:
    """With GIORNALE_REPLICAS=1, and two sequencers at work: each commit has one position, for ever.

    First the master of the log's order is killed, then the master of the first feed.
    """
    journal = open_journal(cluster.url, PARTITIONS, replicas=1)
    log = open_log(journal.order, str(tmp_path / "archive"), tmp_path)
    signer = Signer(tmp_path / "log-keys.json", clock)
    writers = Writers(journal, writers=3, matches=8)
    is_over = threading.Event()
    errors: list[BaseException] = []

    def sequence() -> None:
        sequencer = Sequencer(journal, log, signer, clock)
        while not is_over.wait(0.02):
            try:
                sequencer.round()
            except JournalUnavailable:
                continue
            except BaseException as error:
                errors.append(error)
                raise

    threads = [threading.Thread(target=sequence) for _ in range(2)]
    published: list[LogEntry] = []
    with writers.running():
        for thread in threads:
            thread.start()
        for key in (ORDER[0], Keys(PARTITIONS).feed[0]):
            go_on(writers, list(writers.written), 50)
            before = len(published)
            until(lambda before=before: log.size() > before, "more is published")  # type: ignore[misc]
            published = log.entries(0, 100_000)
            [share] = store_of(journal).servers.shares([key])
            [victim] = [node for node in cluster.masters() if share.server.endswith(str(node.port))]
            replica = cluster.replica_of(victim)
            victim.kill()
            take_over(cluster, replica)
            victim.start()
            cluster.wait_until_whole()
        go_on(writers, list(writers.written), 50)
    count = journal.events.commit_count()
    until(lambda: log.size() == count, "all commits are published")
    is_over.set()
    for thread in threads:
        thread.join()

    assert errors == []
    assert (writers.findings_in(cluster), writers.noticed()) == ([], [])
    entries = log.entries(0, 100_000)
    assert entries[: len(published)] == published
    sealed = [(entry.match, entry.version) for entry in entries]
    for match, written in writers.written.items():
        versions = [version for name, version in sealed if name == match]
        assert versions == list(range(1, len(versions) + 1))
        assert len(versions) >= written.version
    signed = read_checkpoint(read_note(log.checkpoint()))
    assert signed.root == root_of([leaf_hash(entry.leaf) for entry in entries])
    journal.close()
