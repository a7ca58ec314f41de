"""The journal in memory, for tests: the same port, and nothing outlives the process."""

import threading
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from service.journal.errors import ChainBroken, Conflict, Deleted
from service.journal.memory_feeds import Feeds
from service.journal.memory_match import MemoryMatch
from service.journal.memory_pending import PendingIndex
from service.journal.values import (
    STATUSES,
    Appended,
    Entry,
    Epoch,
    Failure,
    FeedEnds,
    Head,
    Last,
    Line,
    Marker,
    Memory,
    Metadata,
    Pending,
    PendingTotals,
    Tail,
    Tombstone,
    Whole,
    check_consecutive,
    made_by,
)


def _milliseconds() -> int:
    return time.time_ns() // 1_000_000


class MemoryJournal:
    """Streams of commits in dictionaries behind one lock.

    `service.journal.port` says what each method promises.   clock: returns milliseconds, as the
    clock of a server would.
    """

    def __init__(self, partitions: int = 256, clock: Callable[[], int] = _milliseconds) -> None:
        self._lock = threading.RLock()
        self._matches: dict[str, MemoryMatch] = {}
        self._feeds = Feeds(partitions)
        self._snapshots: dict[str, bytes] = {}
        self._idle: dict[str, int] = {}
        self._deleted: dict[str, Tombstone] = {}
        self._pending = PendingIndex(clock)

    # ---- commits ----------------------------------------------------------------------------

    def append(self, entry: Entry) -> Appended:
        """Append one commit."""
        with self._lock:
            # In the order of append.lua: a caller whose token is gone learns nothing of a commit.
            self._check_condition(entry)
            made = self.version_made(entry.match, entry.command_id, entry.fingerprint)
            if made is not None:
                return Appended(made, repeated=True)

            self._check_place(entry)
            return self._write(entry)

    def _check_condition(self, entry: Entry) -> None:
        name, value = entry.holds
        if name and self.sidecar_field(entry.match, name) != value:
            raise Conflict(len(self.read(entry.match)))

    def _check_place(self, entry: Entry) -> None:
        match = self._matches.get(entry.match)
        version = len(match.commits) if match else 0
        last_hash = match.head.hash if match else ""

        if entry.expected != version:
            raise Conflict(version)
        if entry.match in self._deleted:
            raise Deleted
        if entry.prev != last_hash:
            raise ChainBroken(
                f"commit {version + 1} does not follow the last commit of match {entry.match}"
            )

    def _write(self, entry: Entry) -> Appended:
        match = self._matches.setdefault(entry.match, MemoryMatch(entry.head))
        version = match.add(entry)

        may_be_idle = entry.head.status in ("open", "running")
        if version == 1 and may_be_idle:
            self._idle[entry.match] = entry.head.updated

        if entry.head.work:
            self._pending.begin(entry.match)
        else:
            self._pending.end(entry.match)

        self._feeds.add(entry.match, version)
        return Appended(version, repeated=False)

    def restore(self, entries: Sequence[Entry]) -> None:
        """Append all commits of a match that does not exist yet."""
        check_consecutive(entries)
        match = entries[0].match

        with self._lock:
            if match in self._matches:
                raise Conflict(self._matches[match].head.version)
            if match in self._deleted:
                raise Deleted

            for entry in entries:
                self.append(entry)

    def version_made(self, match_id: str, command_id: str, fingerprint: str) -> int | None:
        """Return the version that a command id has made."""
        with self._lock:
            known = self._matches.get(match_id)
            return made_by(known.ids, command_id, fingerprint) if known else None

    def read(self, match_id: str, after: int = 0, limit: int | None = None) -> list[bytes]:
        """Return commits after a version."""
        end = None if limit is None else after + limit
        with self._lock:
            known = self._matches.get(match_id)
            return known.commits[after:end] if known else []

    def tail(self, match_id: str, after: int, field: str, limit: int | None = None) -> Tail:
        """Return commits after a version, one field of the sidecar and the head."""
        with self._lock:
            return Tail(
                commits=self.read(match_id, after, limit),
                value=self.sidecar_field(match_id, field),
                head=self.head(match_id),
            )

    def head(self, match_id: str) -> Head | None:
        """Return the head of a match."""
        with self._lock:
            known = self._matches.get(match_id)
            return known.head if known else None

    def heads(self, matches: Sequence[str]) -> list[Head | None]:
        """Return the heads of many matches."""
        with self._lock:
            return [self.head(match) for match in matches]

    def overviews(
        self, asked: Sequence[tuple[str, Sequence[str]]]
    ) -> list[tuple[Head | None, dict[str, str]]]:
        """Return heads and fields of sidecars of many matches."""
        with self._lock:
            return [
                (self.head(match), _only(self.sidecar(match), fields)) for match, fields in asked
            ]

    # ---- beside the commits -----------------------------------------------------------------

    def sidecar_field(self, match_id: str, field: str) -> str | None:
        """Return one field of a match's sidecar."""
        return self.sidecar(match_id).get(field)

    def sidecar(self, match_id: str) -> dict[str, str]:
        """Return the whole sidecar of a match."""
        with self._lock:
            known = self._matches.get(match_id)
            return dict(known.sidecar) if known else {}

    def put_sidecar(
        self, match_id: str, fields: Mapping[str, str | None], holds: tuple[str, str] = ("", "")
    ) -> bool:
        """Set fields of a sidecar outside any commit."""
        name, value = holds

        with self._lock:
            match = self._known(match_id)
            if name and match.sidecar.get(name) != value:
                return False

            match.change_sidecar(fields)
            return True

    def thoughts(self, match_id: str) -> list[bytes]:
        """Return what bots have thought in a match."""
        with self._lock:
            known = self._matches.get(match_id)
            return list(known.thoughts) if known else []

    def put_sidecar_if_missing(self, match_id: str, field: str, value: str) -> None:
        """Set a field of a sidecar outside any commit, unless it is there."""
        with self._lock:
            if match_id in self._matches:
                self._matches[match_id].sidecar.setdefault(field, value)

    def metadata(self, match_id: str) -> Metadata:
        """Return all that is kept of a match beside its commits."""
        with self._lock:
            known = self._matches.get(match_id)
            if known is not None:
                return known.metadata()
            tombstone = self._deleted.get(match_id)
            return Metadata(head=None, ids={}, sidecar={}, tombstone=tombstone)

    def snapshot(self, match_id: str) -> bytes | None:
        """Return the stored snapshot of a match."""
        return self._snapshots.get(match_id)

    def put_snapshot(self, match_id: str, data: bytes) -> None:
        """Store a snapshot of a known match."""
        with self._lock:
            known = self._matches.get(match_id)
            if known is not None and known.commits:
                self._snapshots[match_id] = data

    # ---- indexes and feeds ------------------------------------------------------------------

    def pending(self, waited_ms: int, limit: int) -> list[Pending]:
        """Return matches that have waited for so long, longest first."""
        with self._lock:
            return self._pending.found(waited_ms, limit)

    def pending_totals(self) -> PendingTotals:
        """Return how many matches wait and how many are parked, and the longest wait."""
        with self._lock:
            return self._pending.totals()

    def claim_pending(self, waited_ms: int, longest_pause_ms: int, limit: int) -> list[Pending]:
        """Return matches that are to be looked at now, each put off at once."""
        with self._lock:
            return self._pending.claim(waited_ms, longest_pause_ms, limit)

    def note_failure(self, match_id: str, error: str, pauses_ms: Sequence[int]) -> Failure | None:
        """Note a failure, and put the match off or park it."""
        with self._lock:
            return self._pending.fail(match_id, error, pauses_ms)

    def free_pending(self, match_id: str) -> bool:
        """Forget the failures of a match, so that it is tried again."""
        with self._lock:
            return self._pending.free(match_id)

    def forget_pending(self, matches: Sequence[str]) -> None:
        """Do nothing: here a match that does not wait has neither claim nor failure."""

    def listing(
        self, status: str, before: tuple[int, str] | None, limit: int, game: str = ""
    ) -> list[tuple[int, str]]:
        """Return (listed, match) of public matches, newest first."""
        oldest_first = sorted(
            (head.listed, match)
            for match, head in self._all_heads()
            if head.visibility == "public"
            and status in ("", head.status)
            and game in ("", head.game)
        )
        end = len(oldest_first) if before is None else bisect_left(oldest_first, before)
        newest_first = oldest_first[:end][::-1]
        return newest_first[:limit]

    def written(self) -> str:
        """Return that the store cannot tell whether anything was written."""
        return ""

    def listed_counts(self) -> dict[str, int]:
        """Return how many public matches there are of each status."""
        counts = Counter(
            head.status for _, head in self._all_heads() if head.visibility == "public"
        )
        return {status: counts[status] for status in STATUSES}

    def idle(self, before: int, limit: int) -> list[str]:
        """Return matches that are to be looked at by a time."""
        with self._lock:
            due = sorted((time, match) for match, time in self._idle.items() if time <= before)
        return [match for _, match in due[:limit]]

    def look_again(self, times: Mapping[str, int | None]) -> None:
        """Set when matches are to be looked at again."""
        with self._lock:
            for match, time in times.items():
                if time is None:
                    self._idle.pop(match, None)
                else:
                    self._idle[match] = time

    def feed(self, partition: int, after: str, limit: int) -> list[tuple[str, str, int]]:
        """Return (id, match, version) of a partition's commits."""
        with self._lock:
            return self._feeds.lines(partition, after, limit)

    def matches(self) -> Iterator[str]:
        """Yield the id of every match that was ever begun here."""
        with self._lock:
            begun = self._feeds.begun()
        yield from begun

    def commit_count(self) -> int:
        """Return how many commits were ever appended."""
        with self._lock:
            return self._feeds.count()

    # ---- the epoch --------------------------------------------------------------------------

    def epoch(self) -> Epoch | None:
        """Return the epoch of the journal."""
        return self._feeds.epoch

    def replace_epoch(self, old: Epoch | None, new: Epoch) -> bool:
        """Write a new epoch in the place of the old one."""
        with self._lock:
            return self._feeds.replace_epoch(old, new)

    def feed_ends(self, noted: Mapping[int, Line]) -> FeedEnds:
        """Return the last line of each feed, and which of the noted lines are missing."""
        with self._lock:
            return self._feeds.ends(noted)

    # ---- deleted matches --------------------------------------------------------------------

    def delete(self, match_id: str, tombstone: Tombstone) -> Marker | None:
        """Delete all that is kept of a match but its tombstone."""
        with self._lock:
            if match_id in self._deleted:
                raise Deleted
            if match_id not in self._matches:
                raise Conflict(0)

            self._deleted[match_id] = tombstone
            marker = self._matches.pop(match_id).marker
            self._snapshots.pop(match_id, None)
            self._idle.pop(match_id, None)
            self._pending.end(match_id)
            return marker

    def deleted(self, match_id: str) -> Tombstone | None:
        """Return the tombstone of a deleted match."""
        return self._deleted.get(match_id)

    def put_tombstone(self, match_id: str, tombstone: Tombstone) -> bool:
        """Store a tombstone for an unknown match."""
        with self._lock:
            if match_id in self._matches or match_id in self._deleted:
                return False

            self._deleted[match_id] = tombstone
            self._feeds.add(match_id, 1)
            return True

    # ---- archived matches -------------------------------------------------------------------

    def archive(self, match_id: str, marker: Marker, last: Last) -> None:
        """Let the commits of a match go, and keep a marker instead."""
        with self._lock:
            self._known(match_id).leave(marker, last)
            self._snapshots.pop(match_id, None)
            self._idle.pop(match_id, None)

    def unarchive(self, match_id: str, marker: Marker, whole: Whole) -> None:
        """Put the commits of an archived match back."""
        with self._lock:
            self._known(match_id).come_back(marker, whole)

    def archived(self, match_id: str) -> Marker | None:
        """Return the marker of an archived match."""
        with self._lock:
            known = self._matches.get(match_id)
            return known.marker if known else None

    def all_archived(self) -> Iterator[tuple[str, Marker]]:
        """Yield every archived match with its marker."""
        with self._lock:
            found = [(name, match.marker) for name, match in self._matches.items()]
        for name, marker in found:
            if marker is not None:
                yield name, marker

    # ---- the store itself -------------------------------------------------------------------

    def memory(self) -> Memory:
        """Return that nothing is known of how much memory dictionaries take."""
        return Memory(used=0, bound=0)

    def check(self) -> list[str]:
        """Return []: nothing about a dictionary is configured."""
        return []

    def upgrade(self) -> int:
        """Return 0: no dictionary is of an earlier release."""
        return 0

    def ping(self) -> None:
        """Return at once: a dictionary can always be written."""

    def _all_heads(self) -> list[tuple[str, Head]]:
        with self._lock:
            return [(name, match.head) for name, match in self._matches.items()]

    def _known(self, match_id: str) -> MemoryMatch:
        """Return a match; raises Conflict for an unknown one."""
        if match_id not in self._matches:
            raise Conflict(0)
        return self._matches[match_id]


def _only(sidecar: Mapping[str, str], fields: Sequence[str]) -> dict[str, str]:
    """Return those of some fields that are there."""
    return {name: sidecar[name] for name in fields if name in sidecar}
