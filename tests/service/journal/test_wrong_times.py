"""Times that were written under a clock that went wrong, and by earlier releases."""

from typing import Any

import pytest

from service.journal.keys import Keys
from service.journal.port import Journal
from service.process.valkey import Server
from tests.service.journal.entries import PARTITIONS, commit, grow

WAITED = 1_000
LONGEST_PAUSE = 5_000
FAR_AHEAD = 2**45  # milliseconds since the epoch, a thousand years from now
PAUSES = (1_000,)


def keys_of_the_match() -> tuple[str, str, str]:
    """Return the keys of the sets pending, late and again in which the match "m" lies."""
    keys = Keys(PARTITIONS)
    partition = keys.partition_of("m")
    late, again, _failing = keys.of_late(partition)
    return keys.pending[partition], late, again


def claimed(journal: Journal) -> list[str]:
    """Return the matches that are claimed now."""
    return [pending.match for pending in journal.pending.claim(WAITED, LONGEST_PAUSE, 9)]


def test_a_wait_that_begins_in_the_future_is_due_now(redis_journal: Journal, client: Any) -> None:
    """The server's clock was put back, or an earlier release wrote the time of a wrong one."""
    commit(redis_journal, work="bots")
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
    """No clock that went wrong for a moment hides a match that was put off."""
    commit(redis_journal, work="bots")
    pending, late, again = keys_of_the_match()
    client.zincrby(pending, -WAITED, "m")
    if failing:
        redis_journal.pending.fail("m", "ValueError", PAUSES)
    else:
        assert claimed(redis_journal) == ["m"]
    client.zadd(again, {"m": FAR_AHEAD})
    client.zadd(late, {"m": FAR_AHEAD})

    assert claimed(redis_journal) == ["m"]
    assert claimed(redis_journal) == []
    assert redis_journal.pending.totals().longest_wait < WAITED


def test_a_journal_of_the_release_before_goes_on(redis_journal: Journal, client: Any) -> None:
    """It has only the zset of the pending, by the times of the commits."""
    pending, late, again = keys_of_the_match()
    commit(redis_journal, work="bots", updated=1_700_000_000_000)
    client.zadd(pending, {"m": 1_700_000_000_000})

    assert claimed(redis_journal) == ["m"]
    commit(redis_journal, version=2, work="")

    assert redis_journal.pending.totals() == (0, 0, 0)
    assert client.exists(pending, late, again) == 0


def test_what_the_release_before_has_moved_on_is_forgotten(
    redis_journal: Journal, client: Any
) -> None:
    """During an upgrade a process of the old release clears nothing but the pending."""
    commit(redis_journal, work="bots")
    pending, late, again = keys_of_the_match()
    client.zincrby(pending, -WAITED, "m")
    redis_journal.pending.fail("m", "ValueError", ())
    client.zadd(pending, {"m": 1_700_000_000_000})

    assert claimed(redis_journal) == ["m"], "its new wait counts, not that it was parked"
    redis_journal.pending.forget(["m"])

    assert redis_journal.pending.due(0, 9) == []
    assert client.exists(pending, late, again) == 0


def test_a_full_server_still_claims_and_parks(
    own_server: Server, own_journal: Journal, spoiler: Any
) -> None:
    """The keeper does not stop because no match can move on."""
    grow(own_journal, "m", 1, work="bots")
    spoiler.zincrby(keys_of_the_match()[0], -WAITED, "m")

    spoiler.config_set("maxmemory", "1mb")

    assert claimed(own_journal) == ["m"]
    assert own_journal.pending.fail("m", "ValueError", ()) == (1, True)
    assert own_journal.pending.free("m")
