"""The port `timers`: times at which a match is due."""

import time
from collections.abc import Sequence

import pytest

from service.base.metadata_fields import WEBHOOK_NONCE
from service.store.journal.ports import Journal
from service.store.journal.values import CLOCK, HOOK, Beat, SetBacks, Timer, Tombstone
from tests.service.store.journal.conftest import PassTime
from tests.service.store.journal.entries import LEASES_MS, commit, entry

MINUTE = 60_000
LEASE = LEASES_MS[CLOCK]


def claimed(journal: Journal, limit: int = 99) -> list[Timer]:
    """Return the timers claimed now."""
    return list(journal.timers.claim(LEASES_MS, limit))


def names(timers: Sequence[Timer]) -> set[tuple[str, str]]:
    """Return kind and match of each."""
    return {(timer.kind, timer.match) for timer in timers}


def soon() -> int:
    """Return a deadline a minute ahead."""
    return time.time_ns() // 1_000_000 + MINUTE


def test_a_clock_is_due_at_its_deadline(journal: Journal, pass_time: PassTime) -> None:
    """A clock is due once at its deadline, and again after its lease if nobody settles it."""
    commit(journal, deadline=soon())
    assert claimed(journal) == []

    pass_time(2 * MINUTE)
    assert names(claimed(journal)) == {(CLOCK, "m")}
    assert claimed(journal) == []

    pass_time(2 * LEASE)
    assert names(claimed(journal)) == {(CLOCK, "m")}


@pytest.mark.parametrize(
    ("deadline", "due"),
    [
        pytest.param(None, {(CLOCK, "m")}, id="without-a-clock-nothing-is-touched"),
        pytest.param(0, set(), id="a-clock-that-stops"),
        pytest.param(2**45, set(), id="a-later-deadline"),
    ],
)
def test_each_commit_says_when_the_clock_runs_out(
    journal: Journal, pass_time: PassTime, deadline: int | None, due: set[tuple[str, str]]
) -> None:
    """The latest deadline counts. A commit without one changes nothing."""
    commit(journal, deadline=soon())
    commit(journal, version=2, deadline=deadline)
    pass_time(2 * MINUTE)

    assert names(claimed(journal)) == due


def test_each_commit_of_a_match_with_webhooks_is_due_at_once(journal: Journal) -> None:
    """A commit is due while its match's metadata has the field. Commits of others are not.

    A timer that a commit has set since the claim cannot be settled.
    """
    commit(journal, "a")
    commit(journal, "b", metadata={WEBHOOK_NONCE: "1"})
    [timer] = claimed(journal)
    assert (timer.kind, timer.match) == (HOOK, "b")

    commit(journal, "b", version=2)
    assert names(claimed(journal)) == {(HOOK, "b")}

    commit(journal, "b", version=3, metadata={WEBHOOK_NONCE: None})
    assert claimed(journal) == []

    commit(journal, metadata={WEBHOOK_NONCE: "1"})
    [timer] = claimed(journal)
    commit(journal, version=2)

    assert not journal.timers.settle(timer, None)
    assert names(claimed(journal)) == {(HOOK, "m")}


def test_a_settled_timer_is_due_at_its_new_time(journal: Journal, pass_time: PassTime) -> None:
    """A settled timer is due after the given time, or never."""
    commit(journal, metadata={WEBHOOK_NONCE: "1"})
    [timer] = claimed(journal)
    assert journal.timers.settle(timer, 10 * MINUTE)

    pass_time(5 * MINUTE)
    assert claimed(journal) == []
    pass_time(6 * MINUTE)
    [timer] = claimed(journal)

    assert journal.timers.settle(timer, None)
    pass_time(2 * LEASE)
    assert claimed(journal) == []


def test_a_restored_match_is_due_a_deleted_one_is_not(
    journal: Journal, pass_time: PassTime
) -> None:
    """A restored match with webhooks is due, since backups have no timers. So is a rung timer.

    Neither clock nor webhooks of a deleted match are due.
    """
    journal.events.restore([entry("m", 1), entry("m", 2, metadata={WEBHOOK_NONCE: "1"})])
    assert names(claimed(journal)) == {(HOOK, "m")}

    commit(journal, "n")
    journal.timers.ring(HOOK, "n")
    assert names(claimed(journal)) == {(HOOK, "n")}

    commit(journal, "o", deadline=soon(), metadata={WEBHOOK_NONCE: "1"})
    for match in "mno":
        journal.lifecycle.delete(match, Tombstone(1, "ada"))
    pass_time(2 * MINUTE)

    assert claimed(journal) == []


def test_each_kind_is_claimed_for_its_lease(journal: Journal) -> None:
    """A kind unknown to the caller is claimed for the longest lease."""
    commit(journal)
    for kind in (CLOCK, HOOK, "a later kind"):
        journal.timers.ring(kind, "m")

    leases = {timer.kind: timer for timer in journal.timers.claim({CLOCK: 1_000, HOOK: 9_000}, 9)}
    start = leases[CLOCK].claimed_until - 1_000
    assert leases[HOOK].claimed_until == start + 9_000
    assert leases["a later kind"].claimed_until == start + 9_000
    assert claimed(journal) == []


def test_only_so_many_are_claimed_of_a_server(journal: Journal) -> None:
    """A server gives up to `limit` timers in a round. The next round gets the rest."""
    for match in "abcdef":
        commit(journal, match, metadata={WEBHOOK_NONCE: "1"})

    first = claimed(journal, limit=1)
    rest = claimed(journal)

    assert 1 <= len(first) <= 3
    assert names(first) | names(rest) == {(HOOK, match) for match in "abcdef"}
    assert not names(first) & names(rest)


def test_a_longer_time_without_a_beat_is_a_gap(journal: Journal, pass_time: PassTime) -> None:
    """A gap is reported at each later beat. A shorter time is not a gap."""
    first = beat(journal)
    assert first.gaps == ()
    pass_time(MINUTE // 2)
    assert beat(journal).gaps == ()

    pass_time(MINUTE + 1)
    [gap] = beat(journal).gaps
    assert MINUTE < gap.end - gap.start < 2 * MINUTE
    assert beat(journal).gaps == (gap,)

    pass_time(2 * MINUTE)
    assert len(beat(journal).gaps) == 2


def test_nothing_is_noted_while_the_clocks_differ(journal: Journal, pass_time: PassTime) -> None:
    """While clocks differ, neither a beat nor a gap is noted. The gap is noted once they agree."""
    beat(journal)
    pass_time(2 * MINUTE)
    for wrong in (2 * MINUTE, -2 * MINUTE):
        there = journal.timers.time()
        assert journal.timers.beat(there + wrong, MINUTE).gaps == ()

    [gap] = beat(journal).gaps
    assert gap.end - gap.start >= 2 * MINUTE


def test_a_gap_ends_once_a_clock_that_was_ahead_is_right(
    journal: Journal, pass_time: PassTime
) -> None:
    """A gap in the future ends now, and one that began after now is dropped."""
    beat(journal)
    pass_time(20 * MINUTE)
    beat(journal)
    pass_time(5 * MINUTE)
    assert len(beat(journal).gaps) == 2
    assert journal.timers.set_backs() == SetBacks(0, 0)

    pass_time(-10 * MINUTE)
    before = journal.timers.time()
    result = journal.timers.beat(before, MINUTE)
    assert result.set_back_ms == pytest.approx(10 * MINUTE, abs=MINUTE)
    [gap] = result.gaps
    assert before <= gap.end <= result.time
    assert gap.end - gap.start == pytest.approx(15 * MINUTE, abs=MINUTE)

    again = beat(journal)
    assert (again.gaps, again.set_back_ms) == ((gap,), 0)
    times, ahead_until = journal.timers.set_backs()
    assert times == 1
    assert ahead_until - before == pytest.approx(10 * MINUTE, abs=MINUTE)


def test_timers_are_due_once_a_clock_that_was_ahead_is_right(
    journal: Journal, pass_time: PassTime
) -> None:
    """After a set-back clocks and webhooks are due: they may have been set by the wrong time."""
    beat(journal)
    for match in "abcdef":
        commit(journal, match, deadline=soon() + 60 * MINUTE)
    commit(journal, "h", metadata={WEBHOOK_NONCE: "1"})
    pass_time(20 * MINUTE)
    beat(journal)
    [hook] = claimed(journal)
    assert hook.kind == HOOK

    pass_time(-10 * MINUTE)
    assert claimed(journal) == []
    beat(journal)
    assert names(claimed(journal)) == {(CLOCK, match) for match in "abcdef"} | {(HOOK, "h")}
    beat(journal)
    assert claimed(journal) == []


def beat(journal: Journal) -> Beat:
    """Note a beat. More than a minute since the last one is a gap."""
    there = journal.timers.time()
    result = journal.timers.beat(there, MINUTE)
    assert 0 <= result.time - there < MINUTE
    return result
