"""Facts at the end of a run, when all has been well for a while.

The history is folded and audited again from the bytes in the store, by the product's own fold
and audit: this shows the agreement of store, heads and indexes, not the correctness of the fold.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from service.matches.command_handler import head_of
from service.record.replay import Loaded, replay_commits
from service.record.verify.audit import verify_stored
from service.store.journal.values import STATUSES, Head
from tests.simulation.banks import Gap, banks_without, counted
from tests.simulation.checker import START_MS, Fact
from tests.simulation.kernel import MILLISECOND, SECOND

if TYPE_CHECKING:
    from tests.simulation.world import World

BOUND = 10 * SECOND  # of virtual time until a match waiting for the service moves on
# The house declares expired time within so many milliseconds, gaps aside. They cover the error of
# a clock that postponed the timer, and the rounds of the scheduler.
LATEST_EXPIRY_MS = 8_000
LOOK = SECOND  # from one look at the matches to the next


class Watch:
    """Checks every second that the matches waiting for house or bots move on."""

    def __init__(self, world: "World") -> None:
        self._world = world
        self._seen: dict[str, tuple[int, int, str]] = {}  # version, since when, awaiting

    def begin(self) -> None:
        """Look from the end of the last fault to the end of the run."""
        world = self._world
        for time in range(world.faults_end, world.plan.end, LOOK):
            world.kernel.at(time, self._look)

    def _look(self) -> None:
        for match_id, commits in self._world.checker.matches.items():
            self._look_at(match_id, len(commits))

    def _look_at(self, match_id: str, version: int) -> None:
        """Check that a match does not wait at a version for too long."""
        world = self._world
        now = world.kernel.now
        nothing_seen = (0, now, "")
        seen_version, since, awaiting = self._seen.get(match_id, nothing_seen)

        if version != seen_version:
            since = now
            awaiting = _fold(world, match_id).status.awaiting
            self._seen[match_id] = (version, since, awaiting)

        rest_ends = world.checker.matches[match_id][-1].rest_ends
        since = max(since, (rest_ends - START_MS) * MILLISECOND)
        is_late = now - since > BOUND
        if awaiting and is_late:
            place = f"{world.trace.name(match_id)} ({match_id}) at version {version}"
            world.checker.demand(False, f"{place} waits for {awaiting} and stands still")


def check_end(world: "World") -> None:
    """Check the store against the history, each match by itself, and the indexes."""
    world.checker.check_promises()
    heads: dict[str, Head] = {}
    for match_id in world.checker.matches:
        heads[match_id] = _check_match(world, match_id)
    _check_indexes(world, heads)


def _check_match(world: "World", match_id: str) -> Head:
    """Check one match. Return its head as it follows from its commits."""
    checker = world.checker
    name = world.trace.name(match_id)
    appended = checker.matches[match_id]
    commits = world.store.journal.events.read(match_id)
    is_whole = len(commits) == len(appended)
    checker.demand(is_whole, f"{name} has not the commits that were appended")

    report = verify_stored(commits).report
    wrong = report.wrong
    reason = f"commit {wrong.commit}: {wrong.detail}" if wrong else ""
    checker.demand(wrong is None, f"the audit of {name}: {reason}")

    folded = _fold(world, match_id)
    head = head_of(folded)
    stored_head = world.store.journal.events.head(match_id)
    _check_time(world, match_id, name)
    is_head_right = stored_head == head
    checker.demand(is_head_right, f"the head of {name} is {stored_head}, not {head}")
    return head


def _check_time(world: "World", match_id: str, name: str) -> None:
    """Check that no time ran out long ago without a declaration of the house, gaps aside."""
    facts = world.checker.matches[match_id]
    gaps = world.checker.gaps
    due = _due(facts, gaps)
    if due is None:
        return
    late_ms = counted(START_MS + world.plan.end // MILLISECOND, gaps) - due
    complaint = f"time has run out in {name} {late_ms} ms ago, and nobody says so"
    world.checker.demand(late_ms < LATEST_EXPIRY_MS, complaint)


def _due(facts: Sequence[Fact], gaps: Sequence[Gap]) -> int | None:
    """Return the next deadline in a match, had gaps taken no time. None: never."""
    debts = facts[-1].debts
    if debts is not None and debts.owing:
        return counted(debts.since, gaps) + debts.patience
    if facts[-1].banks is None:
        return None
    return banks_without([fact.made for fact in facts], gaps).due


def _fold(world: "World", match_id: str) -> Loaded:
    loaded = replay_commits(None, world.store.journal.events.read(match_id))
    assert loaded is not None
    return loaded


def _check_indexes(world: "World", heads: dict[str, Head]) -> None:
    """Check that lists and pending matches agree with the heads."""
    checker = world.checker
    journal = world.store.journal
    more_than_all = len(heads) + 1

    # A recently ended rest may still be noted.
    ends = START_MS + (world.kernel.now - BOUND) // MILLISECOND
    resting = {match_id for match_id in heads if checker.matches[match_id][-1].rest_ends > ends}
    waiting = {match_id for match_id, head in heads.items() if head.awaiting} - resting
    pending = {one.match for one in journal.pending.due(0, more_than_all)} - resting
    checker.demand(pending == waiting, "the pending index differs from the waiting matches")

    for status in ("", *STATUSES):
        listed = {match_id for _, match_id in journal.index.listing(status, None, more_than_all)}
        is_right = listed == _expected_list(heads, status)
        checker.demand(is_right, f"the list of status {status!r} is not what it must be")

    appended_count = sum(len(commits) for commits in checker.matches.values())
    is_count_right = journal.events.commit_count() == appended_count
    checker.demand(is_count_right, "the journal counts other commits than were appended")


def _expected_list(heads: dict[str, Head], status: str) -> set[str]:
    """Return the public matches of a status, "" for any."""
    return {
        match_id
        for match_id, head in heads.items()
        if head.visibility == "public" and status in ("", head.status)
    }
