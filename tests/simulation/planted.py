"""Faults planted in the product, one at a time. The simulation must find them.

Only tests switch them on. Some are wrong journals: ports with one fault, put between each process
and its own port. The others patch a function of the product.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import orjson
import pytest

from domain.match.terms import joint_entropy
from domain.match.terms.clock import Clock
from domain.match.terms.joint_entropy import JointEntropy
from domain.seats import seat_actor
from service.capabilities.clock import use_cases as clocks
from service.capabilities.my_matches import use_cases as my_matches
from service.capabilities.webhooks import use_cases as webhooks
from service.matches import automation, timers
from service.record.commit import canonical
from service.record.terms import sides
from service.store.journal.errors import Conflict, JournalUnavailable
from service.store.journal.ports import Journal
from service.store.journal.values import Appended, Entry, Head, Pending, Tail
from service.store.keys.tokens import Caller
from service.store.tlog.log import Log
from service.store.tlog.sequencer import Sequencer
from tests.service.store.journal.ports import Over
from tests.simulation.kernel import MILLISECOND
from tests.simulation.processes import Process
from tests.simulation.world import World, Wrap


class Wrong(Over):
    """A port with one fault.

    port: the replaced port of the journal.
    """

    port = "events"

    def __init__(self, world: World, process: Process, below: object) -> None:
        super().__init__(below)
        self.world = world
        self.process = process

    @classmethod
    def wrap(cls, world: World, process: Process, journal: Journal) -> Journal:
        """Return a journal with this port in the place of its own."""
        wrong: Any = cls(world, process, getattr(journal, cls.port))
        return replace(journal, **{cls.port: wrong})

    def head_now(self, match_id: str) -> Head | None:
        """Return the stored head, without a call that could meet a fault."""
        return self.world.store.journal.events.head(match_id)


class IgnoresTheVersion(Wrong):
    """Appends at any version of the match."""

    def append(self, entry: Entry) -> Any:
        head = self.head_now(entry.match)
        if head is None:
            return self.below.append(entry)

        moved_entry = replace(entry, expected=head.version, prev=head.hash)
        return self.below.append(moved_entry)


class AnswersTooSoon(Wrong):
    """Reports a commit as stored before it is."""

    def append(self, entry: Entry) -> Any:
        kernel = self.world.kernel
        later = kernel.now + 5 * MILLISECOND
        kernel.at(later, lambda: self.world.store.apply_unasked("events.append", (entry,), {}))
        kernel.pause(self.world.faults.up_to(20 * MILLISECOND))
        return Appended(entry.expected + 1, repeated=False)


class ForgetsIds(Wrong):
    """Remembers no command id."""

    def append(self, entry: Entry) -> Any:
        return self.below.append(replace(entry, command_id=""))


class SetsNoTimer(Wrong):
    """Does not write down when a clock runs out."""

    def append(self, entry: Entry) -> Any:
        return self.below.append(replace(entry, deadline=None))


class RetriesBlindly(Wrong):
    """Appends again if the answer was lost, and takes the second answer for the truth."""

    def append(self, entry: Entry) -> Any:
        try:
            return self.below.append(entry)
        except JournalUnavailable:
            return self.below.append(entry)


class KeepsNoPendingHouse(Wrong):
    """Gives out no matches that wait for the house."""

    port = "pending"

    def claim(self, *arguments: Any) -> list[Pending]:
        due: list[Pending] = self.below.claim(*arguments)
        return [pending for pending in due if self._waits_for_bots(pending.match)]

    def _waits_for_bots(self, match_id: str) -> bool:
        head = self.head_now(match_id)
        return head is not None and head.awaiting != "house"


class WaitsByTheCommitsTime(Wrong):
    """Measures the wait of a match from the time in its last commit."""

    port = "pending"

    def claim(self, waited_ms: int, *more: Any) -> list[Pending]:
        due: list[Pending] = self.below.claim(waited_ms, *more)
        latest = self.process.clock() - waited_ms
        return [pending for pending in due if self._was_updated_before(pending.match, latest)]

    def _was_updated_before(self, match_id: str, latest: int) -> bool:
        head = self.head_now(match_id)
        return head is not None and head.updated < latest


class AppendsTwice(Wrong):
    """Appends the house's commits at any version of the match, with a fitting hash."""

    def append(self, entry: Entry) -> Any:
        try:
            return self.below.append(entry)
        except Conflict:
            head = self.head_now(entry.match)
            is_house = b'"actor":"house"' in entry.commit_bytes
            if head is None or not is_house:
                raise

            moved_entry = _moved(entry, head)
            return self.below.append(moved_entry)


class TellsTheDiscarded(Wrong):
    """Answers from its earlier reads, as long as the journal has not come so far again."""

    def __init__(self, world: World, process: Process, below: object) -> None:
        super().__init__(world, process, below)
        self._tails: dict[tuple[str, int], Tail] = {}

    def tail(self, match_id: str, after: int, *more: Any) -> Tail:
        tail: Tail = self.below.tail(match_id, after, *more)
        question = (match_id, after)

        earlier_tail = self._tails.get(question)
        if earlier_tail is not None and _is_ahead(earlier_tail, tail):
            return earlier_tail

        self._tails[question] = tail
        return tail


def _is_ahead(earlier: Tail, tail: Tail) -> bool:
    """Return True if a match was further at the earlier read."""
    if earlier.head is None or tail.head is None:
        return False
    return earlier.head.version > tail.head.version


class UsesAnySnapshot(Wrong):
    """Keeps the first snapshot of each version, and returns it as one of the present history."""

    port = "metadata"

    def put_snapshot(self, match_id: str, snapshot_bytes: bytes) -> None:
        self.below.put_snapshot(match_id, snapshot_bytes)
        version = orjson.loads(snapshot_bytes)["version"]
        _snapshots_of(self.world, match_id).setdefault(version, snapshot_bytes)

    def snapshot(self, match_id: str) -> bytes | None:
        self.below.snapshot(match_id)
        commits = self.world.store.journal.events.read(match_id)
        kept_snapshots = _snapshots_of(self.world, match_id)
        versions = [version for version in kept_snapshots if version <= len(commits)]
        if not versions:
            return None

        newest = max(versions)
        commit = orjson.loads(commits[newest - 1])
        snapshot = orjson.loads(kept_snapshots[newest])
        snapshot["hash"] = commit["hash"]
        return canonical(snapshot)


def _snapshots_of(world: World, match_id: str) -> dict[int, bytes]:
    """Return the snapshots of a match by version. No going back of the journal touches them."""
    all_kept: dict[str, dict[int, bytes]] = world.__dict__.setdefault("snapshots", {})
    return all_kept.setdefault(match_id, {})


def _moved(entry: Entry, head: Head) -> Entry:
    """Return an entry as the next one after a head."""
    next_version = head.version + 1
    stored = orjson.loads(entry.commit_bytes)
    content = stored["commit"]
    content["version"] = next_version
    content["prev"] = head.hash

    new_hash = hashlib.sha256(canonical(content)).hexdigest()
    stored["hash"] = new_hash
    return replace(
        entry,
        expected=head.version,
        prev=head.hash,
        commit_bytes=canonical(stored),
        head=replace(entry.head, version=next_version, hash=new_hash),
    )


MOST_SEATS = 5


def _sleeping_scheduler(patch: pytest.MonkeyPatch) -> None:
    """Let the scheduler look at no match."""
    patch.setattr(automation, "sweep", lambda *_: 0)


def _told_secrets(patch: pytest.MonkeyPatch) -> None:
    """Let every caller see the union of all seats' views."""
    everybody = tuple(seat_actor(seat) for seat in range(MOST_SEATS))
    patch.setattr(Caller, "audiences", everybody)


def _unnoted_answers(patch: pytest.MonkeyPatch) -> None:
    """Let no result of a webhook's call be noted."""
    patch.setattr(webhooks, "end", lambda *_: None)


def _silent_ends(patch: pytest.MonkeyPatch) -> None:
    """Let no stream report the end of a match."""
    reported = my_matches._standing

    def without_ends(*arguments: Any) -> Any:
        news = reported(*arguments)
        return None if news and news["event"] == "ended" else news

    patch.setattr(my_matches, "_standing", without_ends)


def _late_calls(patch: pytest.MonkeyPatch) -> None:
    """Let calls be about the version before the present one."""
    call_of = webhooks._call_of

    def before(*arguments: Any) -> Any:
        call = call_of(*arguments)
        return call and replace(call, version=max(1, call.version - 1))

    patch.setattr(webhooks, "_call_of", before)


def _counted_gaps(patch: pytest.MonkeyPatch) -> None:
    """Let time of gaps without a look at clocks count."""
    patch.setattr(clocks, "_joined", lambda _gaps: [])


def _any_clock(patch: pytest.MonkeyPatch) -> None:
    """Let a scheduler with a wrong clock declare that time has run out."""
    patch.setattr(timers.Pulse, "may_judge", lambda *_: True)


def _no_rest(patch: pytest.MonkeyPatch) -> None:
    """Let bots play on at once without any human left."""
    for module in (automation, sides):
        patch.setattr(module, "rests_until", lambda _match: 0)


def _never_roused(patch: pytest.MonkeyPatch) -> None:
    """Let the timer of a match at rest have no effect."""
    patch.setattr(clocks, "rests_until", lambda _match: 0)


def _nothing_owed(patch: pytest.MonkeyPatch) -> None:
    """Let no time run before the start of a match."""
    patch.setattr(JointEntropy, "deadline", lambda *_: None)


def _nothing_dropped(patch: pytest.MonkeyPatch) -> None:
    """Let pledges stand when a seat changes hands after all have pledged."""
    patch.setattr(joint_entropy, "_pledges_are_complete", lambda _match: False)


def _kept_gains(patch: pytest.MonkeyPatch) -> None:
    """Let a take-back leave the gains of turns since in the banks."""

    def with_gains(clock: Clock, _banks: object, added: tuple[int, ...], **_: object) -> Clock:
        return replace(clock, added=added)

    patch.setattr(Clock, "back_to", with_gains)


def _positions_given_again(patch: pytest.MonkeyPatch) -> None:
    """Let nobody ask for the sequenced commits when a feed is read again after a loss."""
    patch.setattr(Log, "known", lambda *_: set())


def _files_not_compared(patch: pytest.MonkeyPatch) -> None:
    """Let sequencers go on from the order, however far the files are."""
    patch.setattr(Sequencer, "_repair", lambda *_: False)


def _losses_not_noticed(patch: pytest.MonkeyPatch) -> None:
    """Let a sequencer take a line that is missing in a feed for one that was trimmed."""
    patch.setattr(Sequencer, "_meet_loss", lambda *_: 0)


def _nothing(_patch: pytest.MonkeyPatch) -> None:
    """Change nothing in the product."""


@dataclass(frozen=True, slots=True)
class Plant:
    """A fault.

    text: its description. seeds: one of the first so many seeds finds it. wrap: wraps the journal
    of every process. patch: changes the product.
    """

    text: str
    seeds: int
    wrap: Wrap | None = None
    patch: Callable[[pytest.MonkeyPatch], None] = _nothing


PLANTS = {
    "version-ignored": Plant(
        "An append ignores the expected version.", seeds=40, wrap=IgnoresTheVersion.wrap
    ),
    "answered-too-soon": Plant(
        "A commit is acknowledged before it is appended.", seeds=15, wrap=AnswersTooSoon.wrap
    ),
    "ids-forgotten": Plant(
        "The journal does not remember command ids.", seeds=60, wrap=ForgetsIds.wrap
    ),
    "retried-blindly": Plant(
        "An append whose answer was lost is retried without a look.",
        seeds=150,
        wrap=RetriesBlindly.wrap,
    ),
    "scheduler-asleep": Plant("The scheduler wakes nobody.", seeds=40, patch=_sleeping_scheduler),
    "no-timer-set": Plant(
        "The journal does not note when a clock runs out.", seeds=40, wrap=SetsNoTimer.wrap
    ),
    "gaps-counted": Plant(
        "Time runs out in which nobody could move.", seeds=300, patch=_counted_gaps
    ),
    "any-clock-judges": Plant(
        "A scheduler whose clock is wrong lets time run out.", seeds=300, patch=_any_clock
    ),
    "gains-kept": Plant(
        "What is taken back leaves its time in the banks.", seeds=250, patch=_kept_gains
    ),
    "bots-never-rest": Plant(
        "Bots play on at once where no human is left.", seeds=100, patch=_no_rest
    ),
    "rest-without-end": Plant("A match at rest is never roused.", seeds=100, patch=_never_roused),
    "nobody-lapses": Plant(
        "A seat that owes a part of the draws keeps its match waiting for ever.",
        seeds=40,
        patch=_nothing_owed,
    ),
    "nothing-dropped": Plant(
        "Pledges stay when a seat changes hands after all have pledged.",
        seeds=40,
        patch=_nothing_dropped,
    ),
    "pending-not-written": Plant(
        "The pending index lacks the matches that wait for the house.",
        seeds=60,
        wrap=KeepsNoPendingHouse.wrap,
    ),
    "waits-by-commit-time": Plant(
        "A commit of a clock that was ahead keeps its match from ever being due.",
        seeds=250,
        wrap=WaitsByTheCommitsTime.wrap,
    ),
    "discarded-told": Plant(
        "What was read before the journal went back is told after it.",
        seeds=400,
        wrap=TellsTheDiscarded.wrap,
    ),
    "snapshot-of-another-history": Plant(
        "A snapshot is used although the journal has gone back behind it.",
        seeds=400,
        wrap=UsesAnySnapshot.wrap,
    ),
    "job-appends-twice": Plant(
        "A job that is done twice appends twice.", seeds=200, wrap=AppendsTwice.wrap
    ),
    "answer-not-noted": Plant(
        "How a call of a webhook went is not noted.", seeds=40, patch=_unnoted_answers
    ),
    "call-of-the-past": Plant(
        "A webhook is called about the version before.", seeds=40, patch=_late_calls
    ),
    "end-not-reported": Plant(
        "The stream of many matches does not report their ends.", seeds=40, patch=_silent_ends
    ),
    "positions-given-again": Plant(
        "What was read before a loss gets a second position after it.",
        seeds=150,
        patch=_positions_given_again,
    ),
    "files-not-compared": Plant(
        "An order that has gone back goes on as if nothing had been published.",
        seeds=200,
        patch=_files_not_compared,
    ),
    "losses-not-noticed": Plant(
        "The log does not notice that a feed has gone back.", seeds=150, patch=_losses_not_noticed
    ),
    "secret-told": Plant(
        "A seat is told the secrets of the others.", seeds=40, patch=_told_secrets
    ),
}
