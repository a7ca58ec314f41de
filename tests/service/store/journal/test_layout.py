"""The layout: the keys in Redis, as this release and earlier ones have written them."""

from pathlib import Path
from typing import Any

import pytest

from service.store.journal.keys import COMMITS, HEAD, LAYOUT, Keys, partition_of
from service.store.journal.ports import Journal
from service.store.journal.values import STATUSES, Head, Tombstone
from service.store.tlog.log import Log
from tests.service.store.journal.entries import LATE, PARTITIONS, commit, grow, listed
from tests.service.store.journal.ports import store_of
from tests.service.store.tlog.conftest import House, run_out

# ---- keys ----------------------------------------------------------------------------------------


def test_a_commit_is_one_entry_with_one_field(redis_journal: Journal, client: Any) -> None:
    """The stream's entry n has the id n-0 and one field, the commit's bytes."""
    first, second = grow(redis_journal, "m", 2)

    key = Keys(PARTITIONS).of("m", COMMITS)
    assert client.xrange(key) == [
        ("1-0", {"c": first.decode()}),
        ("2-0", {"c": second.decode()}),
    ]


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
    expected = tag.format(partition_of("m", partitions))
    assert f"{{{expected}}}" in Keys(partitions).of("m", HEAD)


def test_a_deletion_leaves_no_key_but_the_tombstone(redis_journal: Journal, client: Any) -> None:
    """Besides the tombstone, only the partition's feed and its mark of claims stay."""
    commit(redis_journal, command_id="c", metadata={"a": "1"}, awaiting="bots", thought=b"{}")
    redis_journal.metadata.put_snapshot("m", b"state")
    redis_journal.pending.claim(0, 1, 9)
    redis_journal.pending.fail("m", "ValueError", [])
    assert len(client.keys("*{*")) == 12

    redis_journal.lifecycle.delete("m", Tombstone(1, "ada"))

    parts = [key.rpartition(":")[2] for key in client.keys("*{*")]
    assert sorted(parts) == ["claimed", "deleted", "feed"]


# ---- what the first release has written ----------------------------------------------------------


def make_as_of_first_release(client: Any, journal: Journal) -> None:
    """Remove the indexes and marks unknown to the first release."""
    for key in client.keys("*:listing"):
        client.zremrangebylex(key, "[@", "(A")
    for key in client.keys("*:idle"):
        client.delete(key)
    client.delete(LAYOUT)

    assert listed(journal, "", "calimala") == []
    assert journal.index.idle(LATE, 9) == []


def indexed(journal: Journal) -> list[object]:
    """Return the content of the indexes of a game, and of idle matches."""
    listings = [journal.index.listing(status, None, 9, "calimala") for status in ("", *STATUSES)]
    return [*listings, journal.index.idle(LATE, 9)]


def test_a_journal_of_the_first_release_gets_its_missing_indexes(
    redis_journal: Journal, client: Any
) -> None:
    """Public matches get into the index of their game, unended ones into that of idle ones.

    The upgrade is done once. A repeat after an interruption keeps the times of matches looked at
    meanwhile.
    """
    for number, status in enumerate(STATUSES):
        created = 1_000 + number
        updated = 2_000 + number
        commit(redis_journal, f"m{number}", status=status, created=created, updated=updated)
    commit(redis_journal, "hidden", status="open", visibility="private")
    before = indexed(redis_journal)

    make_as_of_first_release(client, redis_journal)

    assert redis_journal.server.upgrade() == 5
    assert indexed(redis_journal) == before
    assert redis_journal.server.upgrade() == 0

    for match in ("m0", "m1", "hidden"):
        redis_journal.index.look_again({match: 5_000})
    client.delete(LAYOUT)
    redis_journal.server.upgrade()

    assert redis_journal.index.idle(4_999, 9) == []


def test_a_journal_of_the_first_release_is_sealed_from_its_start(
    redis_journal: Journal, client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The journal had no log and no generation.

    Each of its commits gets a position, and so do later ones.

    Only commits of a deleted match get none. Then its feeds can be trimmed, and the journal has
    the layout for it.
    """
    monkeypatch.setattr("service.store.tlog.sequencer.KEPT_MS", 0)
    house = House(tmp_path)
    house.journal = redis_journal
    house.log = Log(redis_journal.order, house.files, tmp_path / "log.index")
    house.fill(300, matches=20)
    house.commit("gone")
    redis_journal.lifecycle.delete("gone", Tombstone(1, "ada"))
    del house.made["gone", 1]
    make_as_of_first_release(client, redis_journal)
    assert not client.keys("*{log}*")

    redis_journal.server.upgrade()
    layout = int(client.get(LAYOUT))
    run_out(house.sequencer())
    house.check_all_sealed()
    assert house.log.size() == 300

    house.fill(30, matches=20)
    run_out(house.sequencer())
    house.check_all_sealed()
    assert int(client.get(LAYOUT)) == layout + 1
    assert sum(client.xlen(key) for key in client.keys("*:feed")) < 330
    assert redis_journal.events.commit_count() == 331


def test_an_upgrade_reads_the_matches_of_all_masters(
    cluster_journal: Journal,
) -> None:
    for number in range(20):  # enough to lie on all nodes
        grow(cluster_journal, f"m{number}", 1)
    store_of(cluster_journal).client.delete(LAYOUT)

    assert cluster_journal.server.upgrade() == 20
    assert cluster_journal.server.upgrade() == 0


def test_a_match_moves_on_before_the_upgrade(redis_journal: Journal, client: Any) -> None:
    """A change of status lists a match in its game, whether or not it was listed there."""
    commit(redis_journal, status="open")
    make_as_of_first_release(client, redis_journal)
    commit(redis_journal, version=2, status="running")
    redis_journal.server.upgrade()

    assert listed(redis_journal, "", "calimala") == ["m"]
    assert listed(redis_journal, "open", "calimala") == []
    assert listed(redis_journal, "running", "calimala") == ["m"]


def test_the_head_of_the_first_release_is_read(redis_journal: Journal, client: Any) -> None:
    """A head of the first release has nine fields. Its match was not imported."""
    key = Keys(PARTITIONS).of("m", HEAD)
    client.set(key, "3|h3|open||0,2|public|1000|2000|calimala")

    assert redis_journal.events.head("m") == Head(
        version=3,
        hash="h3",
        status="open",
        awaiting="",
        waiting=(0, 2),
        game="calimala",
        visibility="public",
        created=1_000,
        updated=2_000,
    )


def test_an_ended_match_is_stored_as_finished(redis_journal: Journal, client: Any) -> None:
    """Head and listing store `finished`, as the first release did. All ports say `ended`."""
    commit(redis_journal, status="ended")

    keys = Keys(PARTITIONS)
    assert client.get(keys.of("m", HEAD)).split("|")[2] == "finished"
    members = client.zrange(keys.listing[keys.partition_of("m")], 0, -1)
    assert [one.split(":")[0] for one in members] == ["", "@calimala", "@calimala", "finished"]
    head = redis_journal.events.head("m")
    assert head is not None
    assert head.status == "ended"
    assert listed(redis_journal, "ended") == ["m"]
    assert redis_journal.index.listed_counts()["ended"] == 1


# ---- times of waiting matches: wrong, or written by an earlier release ---------------------------

WAITED = 1_000
LONGEST_PAUSE = 5_000
FAR_AHEAD = 2**45  # milliseconds since the epoch, a thousand years from now


def keys_of_the_match() -> tuple[str, str, str]:
    """Return the keys of the sets pending, late and again of the match "m"."""
    keys = Keys(PARTITIONS)
    partition = keys.partition_of("m")
    late, again, _failing = keys.late[partition]
    return keys.pending[partition], late, again


def claimed(journal: Journal) -> list[str]:
    """Return the matches claimed now."""
    return [pending.match for pending in journal.pending.claim(WAITED, LONGEST_PAUSE, 9)]


def test_a_wait_that_begins_in_the_future_is_due_now(redis_journal: Journal, client: Any) -> None:
    """A time in the future comes from a wrong clock.

    The match is due now, and its wait begins now.
    """
    commit(redis_journal, awaiting="bots")
    pending, late, _again = keys_of_the_match()
    client.zadd(pending, {"m": FAR_AHEAD})

    assert redis_journal.pending.totals() == (1, 0, 0)
    assert [waiting.waited for waiting in redis_journal.pending.due(0, 9)] == [0]
    assert claimed(redis_journal) == ["m"]

    seconds, _microseconds = client.time()
    assert client.zscore(late, "m") <= (seconds + 1) * 1_000, "its wait begins now"
    assert claimed(redis_journal) == []


@pytest.mark.parametrize("failing", [False, True], ids=["claimed", "failing"])
def test_a_look_in_the_far_future_is_due_now(
    redis_journal: Journal, client: Any, failing: bool
) -> None:
    """A wrong time in the far future does not hide a delayed match."""
    commit(redis_journal, awaiting="bots")
    pending, late, again = keys_of_the_match()
    client.zincrby(pending, -WAITED, "m")
    if failing:
        redis_journal.pending.fail("m", "ValueError", (1_000,))
    else:
        assert claimed(redis_journal) == ["m"]
    client.zadd(again, {"m": FAR_AHEAD})
    client.zadd(late, {"m": FAR_AHEAD})

    assert claimed(redis_journal) == ["m"]
    assert claimed(redis_journal) == []
    assert redis_journal.pending.totals().longest_wait < WAITED


def test_claims_of_the_previous_release_are_forgotten(redis_journal: Journal, client: Any) -> None:
    """The previous release changes only the set `pending`, by the times of commits."""
    pending, late, again = keys_of_the_match()
    commit(redis_journal, awaiting="bots", updated=1_700_000_000_000)
    client.zincrby(pending, -WAITED, "m")
    redis_journal.pending.fail("m", "ValueError", ())
    client.zadd(pending, {"m": 1_700_000_000_000})

    assert claimed(redis_journal) == ["m"], "its new wait counts, not that it was parked"
    redis_journal.pending.forget(["m"])

    assert redis_journal.pending.due(0, 9) == []
    assert redis_journal.pending.totals() == (0, 0, 0)
    assert client.exists(pending, late, again) == 0
