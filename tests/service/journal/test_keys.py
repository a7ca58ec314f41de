"""What lies where in Redis: the stream, the channel, and one slot for each match."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from redis import Redis
from redis.crc import key_slot

from service.journal.keys import COMMITS, HEAD, Keys, partition_of
from service.journal.port import Journal
from service.journal.redis import open_journal
from service.journal.values import STATUSES, Tombstone
from service.process import valkey
from service.process.valkey import Server
from tests.service.journal.entries import PARTITIONS, commit, entry, grow


def test_a_commit_is_one_entry_with_one_field(redis_journal: Journal, client: Any) -> None:
    """The stream's entry n has the id n-0 and one field, the commit's bytes."""
    first, second = grow(redis_journal, "m", 2)

    key = Keys(PARTITIONS).of("m", COMMITS)
    assert client.xrange(key) == [
        ("1-0", {"c": first.decode()}),
        ("2-0", {"c": second.decode()}),
    ]


def test_followers_are_woken_with_the_version(redis_journal: Journal, client: Any) -> None:
    """Each commit is announced on its match's channel; a repeated command is not."""
    channel = Keys(PARTITIONS).channel("m")
    with client.pubsub(ignore_subscribe_messages=True) as follower:
        follower.subscribe(channel)
        follower.get_message(timeout=5)

        commit(redis_journal, version=1, command_id="1")
        commit(redis_journal, version=2, command_id="2")
        commit(redis_journal, version=3, command_id="2")
        client.publish(channel, "end")
        messages = [follower.get_message(timeout=5) for _ in range(3)]

    assert [message and message["data"] for message in messages] == ["1", "2", "end"]


@pytest.mark.parametrize(
    ("partitions", "tag"),
    [
        (1, "p0"),
        (16, "p{:x}"),
        (17, "p{:02x}"),
        (256, "p{:02x}"),
    ],
)
def test_a_partition_is_written_as_wide_as_the_largest(partitions: int, tag: str) -> None:
    """Hash tags of one journal have the same length."""
    expected = tag.format(partition_of("m", partitions))
    assert f"{{{expected}}}" in Keys(partitions).of("m", HEAD)


@pytest.mark.parametrize("match", ["m", "a{b}c", "}{", "x" * 64])
def test_all_keys_of_a_match_lie_in_one_slot(match: str) -> None:
    """Whatever a match is called, its scripts touch keys of one slot of a Redis Cluster."""
    keys = Keys(256)
    touched = [
        *keys.of_append(match),
        *keys.of_deletion(match),
        *keys.of_tombstone(match),
        *keys.of_failure(match),
    ]

    slots = {key_slot(key.encode()) for key in touched}
    assert len(slots) == 1


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A server in cluster mode, where a script may not leave the slot of its keys."""
    monkeypatch.setitem(valkey.SETTINGS, "cluster-enabled", "yes")
    with Server(tmp_path) as server, Redis.from_url(server.url) as client:
        client.execute_command("CLUSTER", "ADDSLOTSRANGE", 0, 16383)
        while b"cluster_state:ok" not in client.execute_command("CLUSTER", "INFO"):
            pass
        yield server


def keys_of_matches(server: Server) -> list[bytes]:
    """Return all keys that carry a hash tag."""
    with Redis.from_url(server.url) as client:
        return [key for key in client.scan_iter(count=1000) if b"{" in key]


def test_scripts_keep_to_their_slot(cluster: Server) -> None:
    """A server in cluster mode runs every path of the scripts."""
    journal = open_journal(cluster.url, PARTITIONS)
    for version, status in enumerate(STATUSES, 1):
        new = entry(
            version=version,
            command_id=str(version),
            metadata={"a": "1", "b": None},
            status=status,
            work="bots" if version % 2 else "",
        )
        journal.events.append(new)
    journal.metadata.put("m", {"a": None, "c": "1"})
    journal.metadata.put_snapshot("m", b"state")
    journal.server.upgrade()
    journal.pending.fail("m", "ValueError", [1])
    journal.pending.free("m")
    journal.pending.claim(0, 1, 9)
    journal.pending.fail("m", "ValueError", [])
    journal.pending.due(0, 9)
    journal.pending.totals()
    journal.pending.forget(["m"])

    keys = keys_of_matches(cluster)

    assert len({key_slot(key) for key in keys}) == 1
    assert len(keys) == 8

    journal.lifecycle.delete("m", Tombstone(1, "ada"))
    assert not journal.lifecycle.put_tombstone("m", Tombstone(1, "ada"))

    journal.close()
    parts = [key.rpartition(b":")[2] for key in keys_of_matches(cluster)]

    assert sorted(parts) == [b"deleted", b"feed"]
