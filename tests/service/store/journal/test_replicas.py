"""Commits count only once a replica has them (GIORNALE_REPLICAS)."""

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from redis.exceptions import ConnectionError as Unreachable

from service.api.health.checks import Subject, journal as journal_check, look_for_reading
from service.store.journal.errors import Conflict, KeyReused, TooFewReplicas, Unconfirmed
from service.store.journal.ports import Journal
from service.store.journal.redis import connection, open_journal, store
from service.store.journal.redis.store import RedisStore
from service.store.journal.values import Appended, Tombstone
from tests.redis_sentinel import WatchedPair, in_step, running_pair
from tests.running import PATIENCE, until
from tests.service.store.journal.entries import PARTITIONS, commit, entry
from tests.service.store.journal.ports import store_of
from tests.service.toy_matches import new_context

STONE = Tombstone(1, "ada")
SLOW_SECONDS = 0.4  # a replica that is not asked reports once a second
SLOWER = 10  # allowed in addition: so many times the time of an unconfirmed commit

# Servers with WAITAOF, the newest command to wait for replicas, and with WAIT alone.
SERVERS = {"waitaof": {}, "wait": {"rename-command": 'WAITAOF ""'}}


@pytest.fixture(scope="module", params=list(SERVERS.values()), ids=list(SERVERS))
def started_pair(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[WatchedPair]:
    """A server and its replica, with or without WAITAOF."""
    directory = tmp_path_factory.mktemp("pair")
    with running_pair(directory, watched=False, **request.param) as pair:
        yield pair


@pytest.fixture
def pair(started_pair: WatchedPair) -> WatchedPair:
    """The pair, emptied."""
    started_pair.nodes[0].ask("FLUSHALL")
    return started_pair


@pytest.fixture
def journal(pair: WatchedPair, monkeypatch: pytest.MonkeyPatch) -> Iterator[Journal]:
    """A journal that demands one replica, with a long timeout for slow machines."""
    monkeypatch.setattr(store, "CONFIRM_MS", 1000 * int(PATIENCE))
    monkeypatch.setitem(connection.OPTIONS, "socket_timeout", 2 * PATIENCE)
    opened = open_journal(pair.plain_url, PARTITIONS, replicas=1)
    yield opened
    opened.close()


@contextmanager
def stopped_replica(pair: WatchedPair, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Stop the replica within this context, and shorten the timeout."""
    pair.nodes[1].signal(signal.SIGSTOP)
    try:
        with monkeypatch.context() as patch:
            patch.setattr(store, "CONFIRM_MS", 40)
            yield
    finally:
        pair.nodes[1].signal(signal.SIGCONT)


def subject_of(journal: Journal, data: Path) -> Subject:
    """Return the subject of readiness, with a journal."""
    ctx = replace(new_context(), journal=journal)
    return Subject(ctx, SimpleNamespace(), data)  # type: ignore[arg-type]


def test_the_replica_has_every_acknowledged_write(pair: WatchedPair, journal: Journal) -> None:
    """Each commit, metadata and tombstone is on the replica when its answer comes."""
    with pair.nodes[1].client() as replica:
        for version in range(1, 20):
            commit(journal, version=version)
            [stream] = replica.keys("*:match:m:commits")
            assert replica.xlen(stream) == version

        journal.metadata.put("m", {"x": "y"})
        [metadata] = replica.keys("*:match:m:aside")
        assert replica.hgetall(metadata) == {"x": "y"}

        journal.events.restore([entry("n"), entry("n", version=2)])
        [stream] = replica.keys("*:match:n:commits")
        assert replica.xlen(stream) == 2

        journal.lifecycle.delete("m", STONE)
        assert replica.keys("*:match:m:*") == replica.keys("*:match:m:deleted") != []


def test_a_replica_makes_no_commit_slow(pair: WatchedPair, journal: Journal) -> None:
    """Replicas report by themselves only once a second. Nobody waits for the report.

    If a commit waited for it, one of two commits in a row would take a second. Two quick commits
    since a machine may be busy for a while. Unconfirmed commits tell how busy it is.
    """
    seconds, unconfirmed = [], []
    waits_for_nobody = open_journal(pair.plain_url, PARTITIONS)
    for version in range(1, 8):
        began = time.monotonic()
        commit(journal, version=version)
        confirmed = time.monotonic()
        commit(waits_for_nobody, "other", version=version)
        seconds.append(confirmed - began)
        unconfirmed.append(time.monotonic() - confirmed)

    waits_for_nobody.close()
    slow = SLOW_SECONDS + SLOWER * min(unconfirmed)
    assert min(one + another for one, another in pairwise(seconds)) < slow


@pytest.mark.whole
def test_without_the_replica_nothing_is_acknowledged(
    pair: WatchedPair, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A commit without its replica is unconfirmed. Its repeats are, too, until the replica has it.

    A refusal writes nothing, so it needs no replica, even after writes of its connection.
    """
    first = entry(command_id="c", fingerprint="f")
    restored = [entry("n"), entry("n", version=2)]
    with stopped_replica(pair, monkeypatch):
        with pytest.raises(Unconfirmed, match="0 of 1 replicas confirmed within 40 ms"):
            journal.events.append(first)
        assert journal.events.read("m") == [first.commit_bytes]

        unconfirmed: list[Callable[[], object]] = [
            lambda: journal.events.append(first),
            lambda: journal.events.version_made("m", "c", "f"),
            lambda: journal.metadata.put("m", {"x": "y"}),
            lambda: journal.metadata.put_if_missing("m", "z", "y"),
            lambda: journal.metadata.put_if_missing("m", "z", "y"),  # set before, and must last
            lambda: journal.events.restore(restored),
            lambda: journal.events.restore(restored),  # found there, it must last as well
            lambda: journal.lifecycle.put_tombstone("o", STONE),
            lambda: journal.lifecycle.delete("n", STONE),
        ]
        for change in unconfirmed:
            with pytest.raises(Unconfirmed):
                change()

    assert journal.events.append(first) == Appended(1, repeated=True)
    assert journal.events.version_made("m", "c", "f") == 1
    assert len(journal.events.read("m")) == 1

    with stopped_replica(pair, monkeypatch):
        with pytest.raises(Conflict):
            journal.events.append(entry(commit_bytes=b"another"))
        with pytest.raises(KeyReused):
            journal.events.append(entry(command_id="c", fingerprint="another"))
        with pytest.raises(Conflict):
            journal.metadata.put("unknown", {"x": "y"})


def test_a_server_that_syncs_too_late_is_named(
    pair: WatchedPair, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If only the server's disk has not synced the commit, the error says so."""
    if not store_of(journal).has_waitaof:
        pytest.skip("WAIT confirms nothing of the server's disk")
    pair.nodes[0].ask("CONFIG", "SET", "appendfsync", "no")
    try:
        monkeypatch.setattr(store, "CONFIRM_MS", 2000)
        with pytest.raises(Unconfirmed) as raised:
            journal.events.append(entry())
    finally:
        pair.nodes[0].ask("CONFIG", "SET", "appendfsync", "always")
    sentence = "the server has not synced its disk within 2000 ms, and 1 of 1 replicas confirmed"
    assert str(raised.value) == sentence


def test_a_journal_without_its_replica_is_not_ready(
    pair: WatchedPair, journal: Journal, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Without its replica no move is acknowledged: readiness names the fault. Reading goes on."""
    subject = subject_of(journal, tmp_path)
    with stopped_replica(pair, monkeypatch):
        reported = journal_check(subject)
        assert look_for_reading(subject).faults == {}
    assert reported == {
        "journal": "the journal confirms no writes in time: too few replicas, or a slow disk"
    }

    journal.server.ping()


def test_a_lost_answer_is_confirmed_too(
    pair: WatchedPair, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A commit that has landed although no answer came counts only once the replica has it."""
    send = RedisStore.send

    def lose_the_answer(*arguments: Any) -> None:
        patch.undo()
        with pytest.raises(Unconfirmed):
            send(*arguments)
        raise Unreachable("the connection was lost")

    with stopped_replica(pair, monkeypatch), monkeypatch.context() as patch:
        patch.setattr(RedisStore, "send", lose_the_answer)
        with pytest.raises(Unconfirmed):
            journal.events.append(entry())

    assert len(journal.events.read("m")) == 1


def test_a_server_that_misses_its_replicas_takes_nothing(
    pair: WatchedPair, journal: Journal, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """With min-replicas-to-write a commit is refused whole. Readiness gives the reason.

    The check of the journal demands this setting. Matches can be read meanwhile.
    """
    [complaint] = journal.server.check()
    assert complaint.startswith("Redis has min-replicas-to-write 0: ")
    assert complaint.endswith("CONFIG SET min-replicas-to-write 1")

    pair.nodes[0].ask("CONFIG", "SET", "min-replicas-to-write", 1)
    assert journal.server.check() == []

    pair.nodes[1].ask("REPLICAOF", "NO", "ONE")
    until(lambda: pair.nodes[0].ask("ROLE")[2] == [], "the replica is missed")
    monkeypatch.setattr(store, "CONFIRM_MS", 40)
    with pytest.raises(TooFewReplicas, match="Not enough good replicas"):
        journal.events.append(entry())
    assert journal.events.read("m") == []

    subject = subject_of(journal, tmp_path)
    assert journal_check(subject)["journal"].startswith("the journal takes no moves (NOREPLICAS): ")
    assert look_for_reading(subject).faults == {}

    pair.nodes[1].ask("REPLICAOF", "127.0.0.1", pair.nodes[0].port)
    until(lambda: in_step(pair.nodes[1]), "the replica is back")
    pair.nodes[0].ask("CONFIG", "SET", "min-replicas-to-write", 0)
