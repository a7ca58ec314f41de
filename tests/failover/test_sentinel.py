"""Failover of a server that Sentinels watch over, while writers write."""

import signal
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from redis.exceptions import RedisError

from service.matches import moves
from service.matches.command_handler import Submission
from service.matches.context import Context
from service.matches.opening import NewMatch, OpenRequest, open_new
from service.matches.records import export
from service.record.commit import Json
from service.record.verify.audit import verify_record
from service.record.verify.receipts import check_receipts
from service.record.verify.report import Wrong
from service.store.jobs.queues import Queues
from service.store.jobs.table import HOUSE
from service.store.journal.errors import JournalUnavailable
from service.store.journal.notifications import Notifications
from service.store.journal.ports import Journal
from service.store.journal.redis import open_journal
from service.store.keys.signer import Signer
from tests import toy
from tests.failover.writers import WENT_BACK, Writers, lost, match_id, next_entry
from tests.redis_node import HOST
from tests.redis_sentinel import WatchedPair, running_pair
from tests.running import until
from tests.service.toy_matches import START

pytestmark = pytest.mark.whole

PARTITIONS = 16
OTHER = match_id("other")


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[WatchedPair]:
    """A server, its replica and three Sentinels."""
    with running_pair(tmp_path) as watched:
        yield watched


def go_on(writers: Writers, more: int) -> None:
    """Wait until so many more commits were acknowledged."""
    goal = writers.history.acknowledged + more
    until(lambda: writers.history.acknowledged >= goal, f"{more} more commits")


def is_master(pair: WatchedPair, journal: Journal) -> bool:
    """Return True if the second server is the master, for the journal too."""
    try:
        journal.server.ping()
    except JournalUnavailable:
        return False
    return str(pair.nodes[1].ask("ROLE")[0]) == "master"


def test_a_confirmed_commit_outlives_the_master(pair: WatchedPair) -> None:
    """With GIORNALE_REPLICAS=1 the master is killed: 0 acknowledged commits are lost.

    The journal checks every node, and a follower hears of commits on the new master.
    """
    journal = open_journal(pair.url, PARTITIONS, replicas=1)
    complaints = journal.server.check()
    assert [line.split()[2] for line in complaints] == [node.name for node in pair.nodes]
    assert all("min-replicas-to-write 0" in line for line in complaints)

    writers = Writers(journal, writers=3, matches=4)
    wakes = Notifications(pair.url, PARTITIONS)
    with writers.running(), wakes.follow(OTHER) as channel:
        go_on(writers, 50)
        pair.kill_master()
        plain = open_journal(pair.url, PARTITIONS)
        until(lambda: is_master(pair, plain), "the replica takes over")
        until(lambda: writers.count("Unconfirmed") >= 3, "there is nobody to confirm")

        ticks = channel.ticks
        written = next_entry(OTHER, 0, "")
        plain.events.append(written)

        def is_heard_of() -> bool:
            nonlocal written
            written = next_entry(OTHER, written.head.version, written.head.hash)
            plain.events.append(written)
            return channel.ticks > ticks

        until(is_heard_of, "news from the new master")

    wakes.stop()
    assert writers.findings([pair.nodes[1]]) == []
    journal.close()
    plain.close()


def test_a_lagging_replica_loses_the_commits_it_never_had(pair: WatchedPair) -> None:
    """Without confirmation a failover may lose acknowledged commits, and writers notice it."""
    journal = open_journal(pair.url, PARTITIONS)
    writers = Writers(journal, writers=3, matches=4)

    with writers.running():
        go_on(writers, 50)
        pair.nodes[1].signal(signal.SIGSTOP)
        pair.nodes[0].ask("CLIENT", "KILL", "TYPE", "replica")
        go_on(writers, 50)
        pair.kill_master()
        pair.nodes[1].signal(signal.SIGCONT)
        until(lambda: writers.count(WENT_BACK) >= 3, "the loss is noticed")

    assert len(lost(writers.findings([pair.nodes[1]]))) >= 50
    assert writers.noticed() != []
    journal.close()


def test_queues_follow_the_master(pair: WatchedPair) -> None:
    """After the failover the replica holds the earlier job and takes another one."""
    queues = Queues(pair.url, b"s" * 32)
    queues.put(HOUSE, "house-m-1", "m")
    until(lambda: pair.nodes[0].ask("WAIT", 1, 1000), "the replica to have the job")
    pair.kill_master()

    def is_taken() -> bool:
        try:
            queues.put(HOUSE, "house-m-2", "m")
        except RedisError:
            return False
        return True

    until(is_taken, "the queues take jobs again")
    assert queues.depth(HOUSE) == 2
    assert str(pair.nodes[1].ask("ROLE")[0]) == "master"


HUMANS = [{"kind": "human", "name": name} for name in ("Ada", "Bea")]


def context_at(url: str, keys: Path) -> Context:
    """Return a context over the server at a URL, with signed receipts."""
    ticks = count(START)
    return Context(
        open_journal(url, PARTITIONS),
        b"s" * 32,
        lambda: next(ticks),
        lambda *_: None,
        allow_seed=True,
        signer=Signer(keys, lambda: next(ticks)),
    )


def keep(ctx: Context, match: NewMatch, seat: int) -> Json:
    """Make a move, and return its receipt."""
    token = match.tokens[f"seat:{seat}"]
    answer = moves.move(ctx, Submission(match.loaded.id, token), {"type": "keep"})
    assert answer.receipt is not None
    return dict(answer.receipt)


def test_a_receipt_names_the_move_that_a_failover_has_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A receipt from before the cut fits the record. A later one shows that it is cut short."""
    toy.install(monkeypatch)
    with running_pair(tmp_path, watched=False) as pair:
        ctx = context_at(pair.plain_url, tmp_path / "keys.json")
        match = open_new(ctx, OpenRequest("toy", HUMANS, {"rounds": 2}, seed="toy"))
        copied = keep(ctx, match, 0)
        until(lambda: pair.nodes[0].ask("WAIT", 1, 1000), "the replica to have the move")

        pair.nodes[1].signal(signal.SIGSTOP)
        pair.nodes[0].ask("CLIENT", "KILL", "TYPE", "replica")
        lost = keep(ctx, match, 1)
        pair.nodes[0].kill()
        pair.nodes[1].signal(signal.SIGCONT)
        pair.nodes[1].ask("REPLICAOF", "NO", "ONE")

        after = context_at(f"redis://{HOST}:{pair.nodes[1].port}/0", tmp_path / "keys.json")
        audit = verify_record(export(after, match.loaded.id, None))
        signer = after.signer
        assert signer is not None
        check_receipts(audit, [copied], signer.keys())

        with pytest.raises(Wrong) as error:
            check_receipts(audit, [lost], signer.keys())

    assert error.value.code == "cut_short"
