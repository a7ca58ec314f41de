"""Faults planted in the product, one at a time, to see that the simulation finds them.

They are switches of the tests alone. Most stand between a process and its journal, where a wrong
adapter would stand; the others change one function of the product.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import orjson
import pytest

from domain.seats import seat_actor
from service.journal.errors import Conflict, JournalUnavailable
from service.journal.values import Appended, Entry, Head, Pending, Tail
from service.ledger.canonical import canonical
from service.matches import house, reading
from tests.simulation.kernel import MILLISECOND
from tests.simulation.processes import Process
from tests.simulation.world import World, Wrap


class Wrong:
    """A journal that does one thing wrong and all others as it should."""

    def __init__(self, world: World, process: Process, journal: Any) -> None:
        self.world = world
        self.process = process
        self.journal = journal

    def __getattr__(self, name: str) -> Any:
        return getattr(self.journal, name)

    def head_now(self, match_id: str) -> Head | None:
        """Return a head as it is in the store, without asking for it."""
        return self.world.store.journal.head(match_id)


class IgnoresTheVersion(Wrong):
    """Appends wherever the match stands."""

    def append(self, entry: Entry) -> Any:
        head = self.head_now(entry.match)
        if head is not None:
            entry = replace(entry, expected=head.version, prev=head.hash)
        return self.journal.append(entry)


class AnswersTooSoon(Wrong):
    """Says that a commit is stored before it is."""

    def append(self, entry: Entry) -> Any:
        kernel = self.world.kernel
        later = kernel.now + 5 * MILLISECOND
        kernel.at(later, lambda: self.world.store.apply_unasked("append", (entry,), {}))
        kernel.pause(self.world.faults.up_to(20 * MILLISECOND))
        return Appended(entry.expected + 1, repeated=False)


class ForgetsIds(Wrong):
    """Remembers no command id."""

    def append(self, entry: Entry) -> Any:
        return self.journal.append(replace(entry, command_id=""))


class RetriesBlindly(Wrong):
    """Appends again where the answer was lost, and takes the second answer for the truth."""

    def append(self, entry: Entry) -> Any:
        try:
            return self.journal.append(entry)
        except JournalUnavailable:
            return self.journal.append(entry)


class KeepsNoPendingHouse(Wrong):
    """Does not write down that a match waits for the house."""

    def claim_pending(self, *arguments: Any) -> list[Pending]:
        due: list[Pending] = self.journal.claim_pending(*arguments)
        return [one for one in due if self._waits_for_bots(one.match)]

    def _waits_for_bots(self, match_id: str) -> bool:
        head = self.head_now(match_id)
        return head is not None and head.work != "house"


class WaitsByTheCommitsTime(Wrong):
    """Measures how long a match waits from the time that its last commit tells."""

    def claim_pending(self, waited_ms: int, *more: Any) -> list[Pending]:
        due: list[Pending] = self.journal.claim_pending(waited_ms, *more)
        latest = self.process.clock() - waited_ms
        return [one for one in due if self._was_updated_before(one.match, latest)]

    def _was_updated_before(self, match_id: str, latest: int) -> bool:
        head = self.head_now(match_id)
        return head is not None and head.updated < latest


class AppendsTwice(Wrong):
    """Appends what the house does wherever the match stands, with a hash that fits."""

    def append(self, entry: Entry) -> Any:
        try:
            return self.journal.append(entry)
        except Conflict:
            head = self.head_now(entry.match)
            is_house = b'"actor":"house"' in entry.commit_bytes
            if head is None or not is_house:
                raise
            return self.journal.append(_moved(entry, head))


class TellsTheDiscarded(Wrong):
    """Answers from what it read before, as long as the journal has not come so far again."""

    def __init__(self, world: World, process: Process, journal: Any) -> None:
        super().__init__(world, process, journal)
        self._tails: dict[tuple[str, int], Tail] = {}

    def tail(self, match_id: str, after: int, *more: Any) -> Tail:
        tail: Tail = self.journal.tail(match_id, after, *more)
        known = self._tails.setdefault((match_id, after), tail)
        if known.head is None or tail.head is None or known.head.version <= tail.head.version:
            self._tails[match_id, after] = tail
            return tail
        return known


class UsesAnySnapshot(Wrong):
    """Keeps the first snapshot of each version, and gives it for one of the history as it is."""

    def put_snapshot(self, match_id: str, data: bytes) -> None:
        self.journal.put_snapshot(match_id, data)
        version = orjson.loads(data)["version"]
        _snapshots_of(self.world, match_id).setdefault(version, data)

    def snapshot(self, match_id: str) -> bytes | None:
        self.journal.snapshot(match_id)
        commits = self.world.store.journal.read(match_id)
        kept = _snapshots_of(self.world, match_id)
        usable = [version for version in kept if version <= len(commits)]
        if not usable:
            return None

        snapshot = orjson.loads(kept[max(usable)])
        snapshot["hash"] = orjson.loads(commits[max(usable) - 1])["hash"]
        return canonical(snapshot)


def _snapshots_of(world: World, match_id: str) -> dict[int, bytes]:
    """Return the snapshots of a match by version, which no going back of the journal touches."""
    all_kept: dict[str, dict[int, bytes]] = world.__dict__.setdefault("snapshots", {})
    return all_kept.setdefault(match_id, {})


def _moved(entry: Entry, head: Head) -> Entry:
    """Return an entry as the next one after a head."""
    stored = orjson.loads(entry.commit_bytes)
    content = stored["commit"]
    content["version"] = head.version + 1
    content["prev"] = head.hash
    stored["hash"] = hashlib.sha256(canonical(content)).hexdigest()
    return replace(
        entry,
        expected=head.version,
        prev=head.hash,
        commit_bytes=canonical(stored),
        head=replace(entry.head, version=head.version + 1, hash=stored["hash"]),
    )


def _sleeping_keeper(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(house, "sweep", lambda *_: 0)


def _told_secrets(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(reading, "audiences", lambda _caller: [seat_actor(seat) for seat in range(5)])


def _nothing(_patch: pytest.MonkeyPatch) -> None:
    pass


@dataclass(frozen=True, slots=True)
class Plant:
    """A fault.

    text: what is wrong.   seeds: the first so many seeds find it.
    wrap: what is put between every process and its journal.
    patch: what is changed in the product.
    """

    text: str
    seeds: int
    wrap: Wrap | None = None
    patch: Callable[[pytest.MonkeyPatch], None] = _nothing


PLANTS = {
    "version-ignored": Plant(
        "An append ignores the expected version.", seeds=40, wrap=IgnoresTheVersion
    ),
    "answered-too-soon": Plant(
        "A commit is acknowledged before it is appended.", seeds=15, wrap=AnswersTooSoon
    ),
    "ids-forgotten": Plant("The journal does not remember command ids.", seeds=60, wrap=ForgetsIds),
    "retried-blindly": Plant(
        "An append whose answer was lost is retried without a look.", seeds=150, wrap=RetriesBlindly
    ),
    "keeper-asleep": Plant("The keeper wakes nobody.", seeds=40, patch=_sleeping_keeper),
    "pending-not-written": Plant(
        "The pending index lacks the matches that wait for the house.",
        seeds=60,
        wrap=KeepsNoPendingHouse,
    ),
    "waits-by-commit-time": Plant(
        "A commit of a clock that was ahead keeps its match from ever being due.",
        seeds=250,
        wrap=WaitsByTheCommitsTime,
    ),
    "discarded-told": Plant(
        "What was read before the journal went back is told after it.",
        seeds=120,
        wrap=TellsTheDiscarded,
    ),
    "snapshot-of-another-history": Plant(
        "A snapshot is used although the journal has gone back behind it.",
        seeds=400,
        wrap=UsesAnySnapshot,
    ),
    "job-appends-twice": Plant(
        "A job that is done twice appends twice.", seeds=200, wrap=AppendsTwice
    ),
    "secret-told": Plant(
        "A seat is told the secrets of the others.", seeds=40, patch=_told_secrets
    ),
}
