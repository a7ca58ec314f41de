"""What must hold at the end of a run, when all has been well for a while.

The history is folded and audited anew from the bytes in the store.
"""

from typing import TYPE_CHECKING

from service.journal.values import STATUSES, Head
from service.ledger.replay import Loaded, forward
from service.matches.committing import head_of
from service.verify.audit import verify_stored
from tests.simulation.kernel import SECOND
from tests.simulation.port import SLOWEST

if TYPE_CHECKING:
    from tests.simulation.world import World

BOUND = 10 * SECOND  # of virtual time in which a match that waits for the service moves on
LOOK = SECOND  # from one look whether matches move on to the next


class Watch:
    """Looks every second whether the matches that wait for house or bots move on."""

    def __init__(self, world: "World") -> None:
        self._world = world
        self._seen: dict[str, tuple[int, int, str]] = {}  # version, since when, errand

    def begin(self) -> None:
        """Look from the end of the last fault to the end of the run."""
        plan = self._world.plan
        # A call that became slow while there were faults may not have come to its end before.
        for time in range(plan.chaos + SLOWEST, plan.end, LOOK):
            self._world.kernel.at(time, self._look)

    def _look(self) -> None:
        world = self._world
        now = world.kernel.now
        for match, history in world.checker.matches.items():
            version = len(history)
            seen_version, since, errand = self._seen.get(match, (0, now, ""))
            if version != seen_version:
                since = now
                errand = _fold(world, match).standing.errand
                self._seen[match] = (version, since, errand)
            if errand and now - since > BOUND:
                place = f"{world.trace.name(match)} ({match}) at version {version}"
                world.checker.demand(False, f"{place} waits for {errand} and stands still")


def check_end(world: "World") -> None:
    """Check the store against the history, each match by itself, and the indexes."""
    world.checker.check_acknowledged()
    heads: dict[str, Head] = {}
    for match in world.checker.matches:
        heads[match] = _check_match(world, match)
    _check_indexes(world, heads)


def _check_match(world: "World", match: str) -> Head:
    """Check one match; return its head as it follows from its commits."""
    checker = world.checker
    name = world.trace.name(match)
    history = checker.matches[match]
    commits = world.store.journal.read(match)
    checker.demand(len(commits) == len(history), f"{name} has not the commits that were appended")

    report = verify_stored(commits).report
    wrong = report.wrong
    detail = f"{name}: commit {wrong.commit}: {wrong.detail}" if wrong else ""
    checker.demand(wrong is None, f"the audit of {detail}")

    head = head_of(_fold(world, match))
    stored_head = world.store.journal.head(match)
    checker.demand(stored_head == head, f"the head of {name} is {stored_head}, not {head}")
    return head


def _fold(world: "World", match: str) -> Loaded:
    loaded = forward(None, world.store.journal.read(match))
    assert loaded is not None
    return loaded


def _check_indexes(world: "World", heads: dict[str, Head]) -> None:
    """Check that what is listed and what is pending are what the heads tell."""
    checker = world.checker
    journal = world.store.journal
    waiting = {match for match, head in heads.items() if head.work}
    pending = {one.match for one in journal.pending(0, len(heads) + 1)}
    checker.demand(pending == waiting, "what is pending is not what waits")

    for status in ("", *STATUSES):
        listed = {match for _, match in journal.listing(status, None, len(heads) + 1)}
        expected = {
            match
            for match, head in heads.items()
            if head.visibility == "public" and status in ("", head.status)
        }
        checker.demand(listed == expected, f"the list of status {status!r} is not what it must be")
    checker.demand(
        journal.commit_count() == sum(map(len, checker.matches.values())),
        "the journal counts other commits than were appended",
    )
