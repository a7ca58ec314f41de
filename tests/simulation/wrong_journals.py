"""Journals that do one thing wrong: each stands between a process and its journal.

They are switches of the tests alone, where a wrong adapter would stand (see planted.py).
"""

import hashlib
from dataclasses import replace
from typing import Any

import orjson

from service.journal.errors import Conflict, JournalUnavailable
from service.journal.values import Appended, Entry, Head, Pending, Tail
from service.ledger.commit import canonical
from tests.simulation.kernel import MILLISECOND
from tests.simulation.processes import Process
from tests.simulation.world import World


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
        if head is None:
            return self.journal.append(entry)

        moved_entry = replace(entry, expected=head.version, prev=head.hash)
        return self.journal.append(moved_entry)


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
        return [pending for pending in due if self._waits_for_bots(pending.match)]

    def _waits_for_bots(self, match_id: str) -> bool:
        head = self.head_now(match_id)
        return head is not None and head.work != "house"


class WaitsByTheCommitsTime(Wrong):
    """Measures how long a match waits from the time that its last commit tells."""

    def claim_pending(self, waited_ms: int, *more: Any) -> list[Pending]:
        due: list[Pending] = self.journal.claim_pending(waited_ms, *more)
        latest = self.process.clock() - waited_ms
        return [pending for pending in due if self._was_updated_before(pending.match, latest)]

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

            moved_entry = _moved(entry, head)
            return self.journal.append(moved_entry)


class TellsTheDiscarded(Wrong):
    """Answers from what it read before, as long as the journal has not come so far again."""

    def __init__(self, world: World, process: Process, journal: Any) -> None:
        super().__init__(world, process, journal)
        self._tails: dict[tuple[str, int], Tail] = {}

    def tail(self, match_id: str, after: int, *more: Any) -> Tail:
        tail: Tail = self.journal.tail(match_id, after, *more)
        question = (match_id, after)

        known = self._tails.get(question)
        if known is not None and _is_ahead(known, tail):
            return known

        self._tails[question] = tail
        return tail


def _is_ahead(known: Tail, tail: Tail) -> bool:
    """Return whether a match was further when it was read before."""
    if known.head is None or tail.head is None:
        return False
    return known.head.version > tail.head.version


class UsesAnySnapshot(Wrong):
    """Keeps the first snapshot of each version, and gives it for one of the history as it is."""

    def put_snapshot(self, match_id: str, snapshot_bytes: bytes) -> None:
        self.journal.put_snapshot(match_id, snapshot_bytes)
        version = orjson.loads(snapshot_bytes)["version"]
        _snapshots_of(self.world, match_id).setdefault(version, snapshot_bytes)

    def snapshot(self, match_id: str) -> bytes | None:
        self.journal.snapshot(match_id)
        commits = self.world.store.journal.read(match_id)
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
    """Return the snapshots of a match by version, which no going back of the journal touches."""
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
