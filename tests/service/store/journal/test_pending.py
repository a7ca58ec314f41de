"""The port `pending`: matches with work for the house or a bot.

test_model.py tests which matches wait, and that failures of others are not noted.
"""

from collections.abc import Callable, Sequence

import pytest

from service.store.journal.ports import Journal
from service.store.journal.values import Failure, Pending
from tests.service.store.journal.conftest import PassTime
from tests.service.store.journal.entries import PARTITIONS, commit

SECOND = 1_000
MINUTE = 60 * SECOND
LONG = 24 * MINUTE

# Times in these tests are so far apart that the milliseconds of a test do not count.
WAITED = MINUTE
LONGEST_PAUSE = 4 * MINUTE
PAUSES = (2 * MINUTE, 4 * MINUTE)
# The number of servers of each kind of journal. A round claims up to its limit from each server.
SERVERS = {"memory": 1, "archive": 1, "redis": 1, "cluster": 3}


def names(claims: Sequence[Pending]) -> str:
    """Return the matches in their order. Each has a name of one letter here."""
    return "".join(pending.match for pending in claims)


def claimed(journal: Journal, limit: int = 99) -> str:
    """Return the matches claimed now."""
    return names(journal.pending.claim(WAITED, LONGEST_PAUSE, limit))


# ---- waiting -------------------------------------------------------------------------------------


@pytest.mark.parametrize("wrong_clock", [0, 2**45], ids=["behind", "ahead"])
def test_the_clock_of_the_committing_process_does_not_matter(
    journal: Journal, pass_time: PassTime, wrong_clock: int
) -> None:
    """A web process with a clock wrong by years hides no match from the scheduler."""
    commit(journal, awaiting="bots", updated=wrong_clock)
    assert journal.pending.totals().longest_wait < MINUTE
    assert claimed(journal) == ""

    pass_time(2 * MINUTE)

    assert journal.pending.totals().longest_wait // MINUTE == 2
    assert claimed(journal) == "m"


@pytest.mark.parametrize(
    ("waited", "limit", "matches"),
    [
        pytest.param(0, 99, "dacbe", id="longest-first"),
        pytest.param(0, 2, "da", id="limit"),
        pytest.param(3 * MINUTE, 99, "dac", id="long-enough"),
        pytest.param(LONG, 99, "", id="none-yet"),
    ],
)
def test_the_longest_waiting_matches_come_first(
    journal: Journal, pass_time: PassTime, waited: int, limit: int, matches: str
) -> None:
    for match in "dacbe":
        commit(journal, match, awaiting="bots")
        pass_time(MINUTE)

    assert names(journal.pending.due(waited, limit)) == matches
    assert journal.pending.totals().waiting == 5
    assert journal.pending.totals().longest_wait // MINUTE == 5


def test_a_resting_match_waits_once_it_is_roused(journal: Journal, pass_time: PassTime) -> None:
    """The wait of a match begins when it is roused. Only a resting match is roused."""
    commit(journal, "a", awaiting="bots", is_resting=True)
    commit(journal, "b", awaiting="bots")
    commit(journal, "c")
    pass_time(2 * MINUTE)
    assert names(journal.pending.due(0, 9)) == "b"
    assert journal.pending.totals().waiting == 1

    assert [journal.pending.rouse(match) for match in "abcd"] == [True, False, False, False]
    assert not journal.pending.rouse("a")
    assert journal.pending.totals().waiting == 2
    assert claimed(journal) == "b"
    assert not journal.pending.rouse("b")
    pass_time(3 * MINUTE)
    assert sorted(claimed(journal)) == ["a", "b"]


def test_a_commit_of_a_resting_match_takes_it_out_of_the_index(journal: Journal) -> None:
    """A commit of a resting match removes it from the index, even if it was pending before."""
    commit(journal, awaiting="bots")
    commit(journal, version=2, awaiting="bots", is_resting=True)
    assert journal.pending.totals().waiting == 0
    commit(journal, version=3, awaiting="bots")
    assert journal.pending.totals().waiting == 1


# ---- claims --------------------------------------------------------------------------------------


def test_a_match_is_claimed_once_and_again_after_pauses(
    journal: Journal, pass_time: PassTime
) -> None:
    """A pause is as long as the match has waited, up to a bound. Its wait goes on meanwhile."""
    commit(journal, awaiting="bots")

    # Passing seconds, and the claims then: after 70, 150, 310 and 560 seconds.
    steps = [(50, ""), (20, "m"), (60, ""), (20, "m"), (130, ""), (30, "m"), (230, ""), (20, "m")]
    for seconds, expected in steps:
        pass_time(seconds * SECOND)
        assert claimed(journal) == expected

    assert journal.pending.totals().waiting == 1
    assert journal.pending.totals().longest_wait // MINUTE == 9


@pytest.mark.whole
def test_many_failing_matches_do_not_block_other_claims(
    journal: Journal, pass_time: PassTime
) -> None:
    """A new match is claimed, although more failing matches are due than a round takes."""
    for number in range(3 * PARTITIONS):
        match = f"failing-{number}"
        commit(journal, match, awaiting="bots")
        journal.pending.fail(match, "ValueError", PAUSES)
    pass_time(PAUSES[0] - MINUTE)
    commit(journal, "a", awaiting="bots")
    pass_time(MINUTE)

    claims = journal.pending.claim(WAITED, LONGEST_PAUSE, 2 * PARTITIONS)
    assert "a" in {pending.match for pending in claims}


def test_every_partition_has_its_share_of_a_round(
    journal: Journal, journal_kind: str, pass_time: PassTime
) -> None:
    """If more is due than a round may take, no partition waits for the others."""
    matches = 8 * PARTITIONS
    most_claimed = 2 * PARTITIONS * SERVERS[journal_kind]
    for number in range(matches):
        commit(journal, f"m{number}", awaiting="bots")
    pass_time(MINUTE)

    rounds = 0
    ids: set[str] = set()
    while claims := journal.pending.claim(WAITED, LONGEST_PAUSE, 2 * PARTITIONS):
        rounds += 1
        assert len(claims) <= most_claimed
        ids |= {pending.match for pending in claims}

    assert len(ids) == matches
    assert rounds <= 5


# ---- failures ------------------------------------------------------------------------------------


def test_a_failing_match_is_paused_and_parked_until_it_is_freed(
    journal: Journal, pass_time: PassTime
) -> None:
    """A failing match is claimed after the given pauses. Then it is parked and not claimed.

    It is shown with its tries, its error and its wait. A parked match is counted apart, and
    the longest wait is another match's. Freed by an operator, it is claimed at once. Its wait goes
    on.
    """
    commit(journal, awaiting="bots")
    failures = []
    claims = []
    for minute in range(8):
        claims.append(claimed(journal))
        if minute in (0, 2, 6):
            failures.append(journal.pending.fail("m", "ValueError", PAUSES))
            [claim] = journal.pending.due(0, 9)
            assert (claim.tries, claim.error) == (len(failures), "ValueError")
            assert (claim.waited // MINUTE, claim.parked) == (minute, minute == 6)
        pass_time(MINUTE)
    assert failures == [Failure(1, False), Failure(2, False), Failure(3, True)]
    assert claims == ["", "", "m", "", "", "", "m", ""]

    commit(journal, "other", awaiting="bots")
    assert claimed(journal) == ""
    assert journal.pending.totals()[:2] == (1, 1)
    assert journal.pending.totals().longest_wait < MINUTE
    assert names(journal.pending.due(9 * MINUTE, 9)) == ""

    assert journal.pending.free("m") is True
    [freed] = journal.pending.claim(WAITED, LONGEST_PAUSE, 9)
    assert (freed.match, freed.tries, freed.parked) == ("m", 0, False)
    assert freed.waited // MINUTE == 8
    assert journal.pending.free("m") is False


# How far a match has come before something else happens to it.
PASTS: dict[str, Callable[[Journal], object]] = {
    "waits": lambda _journal: None,
    "claimed": claimed,
    "paused": lambda journal: journal.pending.fail("m", "ValueError", PAUSES),
    "parked": lambda journal: journal.pending.fail("m", "ValueError", ()),
}
after_any_past = pytest.mark.parametrize("past", PASTS.values(), ids=PASTS)


@after_any_past
def test_a_commit_begins_or_ends_the_wait(
    journal: Journal, pass_time: PassTime, past: Callable[[Journal], object]
) -> None:
    """A commit begins a new wait, and drops claims and failures of the old one."""
    commit(journal, awaiting="bots")
    pass_time(LONG)
    past(journal)

    commit(journal, version=2, awaiting="house")
    [waiting] = journal.pending.due(0, 9)
    assert (waiting.waited // MINUTE, waiting.tries, waiting.parked) == (0, 0, False)
    assert journal.pending.totals()[:2] == (1, 0)
    assert journal.pending.due(MINUTE, 9) == []
    assert claimed(journal) == ""

    pass_time(MINUTE)
    assert claimed(journal) == "m"
    assert journal.pending.fail("m", "ValueError", PAUSES) == Failure(1, False)

    commit(journal, version=3, awaiting="")
    assert journal.pending.due(0, 9) == []
    assert journal.pending.totals() == (0, 0, 0)
