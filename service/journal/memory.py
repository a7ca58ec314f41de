"""The journal in memory, for tests: the same port, and nothing outlives the process."""

import threading
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from service.journal.errors import ChainBroken, Conflict, Deleted
from service.journal.keys import partition_of
from service.journal.values import (
    MOST_THOUGHTS,
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

# §§§ service.journal.memory
# The feeds of the journal in memory, and its epoch: by both it shows that it has gone back.
#
# `service.journal.port` says what each method promises. The journal calls them behind its lock.


class Feeds:
    """A list of (match, version) for each partition; the first line has the id "1".

    epoch: of the journal, None before it has one.
    """

    def __init__(self, partitions: int) -> None:
        self.epoch: Epoch | None = None
        self._partitions = partitions
        self._feeds: list[list[tuple[str, int]]] = [[] for _ in range(partitions)]

    def add(self, match_id: str, version: int) -> None:
        """Note a commit."""
        partition = partition_of(match_id, self._partitions)
        self._feeds[partition].append((match_id, version))

    def lines(self, partition: int, after: str, limit: int) -> list[tuple[str, str, int]]:
        """Return (id, match, version) of a partition's commits."""
        start = int(after or 0)
        lines = self._feeds[partition][start : start + limit]
        return [
            (str(number), match, version)
            for number, (match, version) in enumerate(lines, start + 1)
        ]

    def begun(self) -> list[str]:
        """Return the id of every match that was ever begun here."""
        return [match for feed in self._feeds for match, version in feed if version == 1]

    def count(self) -> int:
        """Return how many commits were ever appended."""
        return sum(map(len, self._feeds))

    def replace_epoch(self, old: Epoch | None, new: Epoch) -> bool:
        """Write a new epoch in the place of the old one."""
        is_there = self.epoch == old
        if is_there:
            self.epoch = new
        return is_there

    def ends(self, noted: Mapping[int, Line]) -> FeedEnds:
        """Return the last line of each feed, and which of the noted lines are missing."""
        last: dict[int, Line] = {}
        for partition, feed in enumerate(self._feeds):
            if feed:
                match, version = feed[-1]
                last[partition] = (str(len(feed)), match, version)

        missing = [number for number, line in noted.items() if not self._has_line(number, line)]
        return FeedEnds(last, frozenset(missing))

    def _has_line(self, partition: int, line: Line) -> bool:
        entry_id, *of_match = line
        feed = self._feeds[partition]
        place = int(entry_id) - 1
        return place < len(feed) and feed[place] == tuple(of_match)


# §§§ service.journal.memory
# One match of the journal in memory: it grows, leaves for the archive and comes back.


@dataclass(slots=True)
class MemoryMatch:
    """All that is kept of one match; the fields are named as in `Metadata`.

    marker: of an archived match, which has no commits here.
    """

    head: Head
    commits: list[bytes] = field(default_factory=list)
    ids: dict[str, tuple[int, str]] = field(default_factory=dict)
    sidecar: dict[str, str] = field(default_factory=dict)
    marker: Marker | None = None
    thoughts: list[bytes] = field(default_factory=list)

    def add(self, entry: Entry) -> int:
        """Take one more commit in, and what comes with it; return its version."""
        self.head = entry.head
        self.commits.append(entry.commit_bytes)
        version = len(self.commits)

        if entry.command_id:
            self.ids[entry.command_id] = (version, entry.fingerprint)
        self.change_sidecar(entry.sidecar)
        self._think(entry.thought)
        return version

    def metadata(self) -> Metadata:
        """Return all that is kept beside the commits."""
        return Metadata(
            head=self.head,
            ids=dict(self.ids),
            sidecar=dict(self.sidecar),
            tombstone=None,
            thoughts=list(self.thoughts),
        )

    def change_sidecar(self, fields: Mapping[str, str | None]) -> None:
        """Set fields of the sidecar, and delete those of None."""
        for name, value in fields.items():
            if value is None:
                self.sidecar.pop(name, None)
            else:
                self.sidecar[name] = value

    def leave(self, marker: Marker, last: Last) -> None:
        """Keep a marker instead of the commits; raises Conflict unless they end as was packed."""
        ends_alike = self.head.hash == last.hash and len(self.ids) == last.ids
        # One that has left already has commits by its head, and none here.
        is_whole = len(self.commits) == self.head.version == marker.commits
        if not (self.head.final and ends_alike and is_whole):
            raise Conflict(self.head.version)

        self.marker = marker
        self.commits.clear()
        self.ids.clear()
        self.thoughts.clear()

    def come_back(self, marker: Marker, whole: Whole) -> None:
        """Put the commits back in the place of the marker; raises Conflict if it has another."""
        if self.marker != marker:
            raise Conflict(self.head.version)

        self.marker = None
        self.commits.extend(whole.commits)
        self.ids.update(whole.ids)
        self.thoughts.extend(whole.thoughts)

    def _think(self, thought: bytes) -> None:
        """Keep what a bot has thought, if there is any and there is room."""
        if not thought:
            return
        kept = sum(len(line) + 1 for line in self.thoughts)
        if kept + len(thought) + 1 <= MOST_THOUGHTS:
            self.thoughts.append(thought)


# §§§ service.journal.memory
# The matches of the journal in memory that wait for the house or a bot.
#
# `service.journal.port` says what each method promises. The journal calls them behind its lock.


@dataclass(frozen=True, slots=True)
class _Wait:
    """One match that waits.

    since: when it began to wait.   again: when it is to be looked at, None before the first look.
    tries: how often it has failed.   error: the type of the last error.
    """

    since: int
    again: int | None = None
    tries: int = 0
    error: str = ""
    parked: bool = False


class PendingIndex:
    """Who waits since when, and when to look at it; `clock` returns milliseconds."""

    def __init__(self, clock: Callable[[], int]) -> None:
        self._clock = clock
        self._waits: dict[str, _Wait] = {}

    def begin(self, match_id: str) -> None:
        """Note that a match waits from now on."""
        self._waits[match_id] = _Wait(self._clock())

    def end(self, match_id: str) -> None:
        """Note that a match does not wait."""
        self._waits.pop(match_id, None)

    def found(self, waited_ms: int, limit: int) -> list[Pending]:
        """Return matches that have waited for so long, longest first."""
        all_waits = [self._told(match) for match in self._waits]
        long_enough = [told for told in all_waits if told.waited >= waited_ms]
        long_enough.sort(key=lambda told: (-told.waited, told.match))
        return long_enough[:limit]

    def totals(self) -> PendingTotals:
        """Return how many wait and how many are parked, and the longest wait."""
        all_waits = [self._told(match) for match in self._waits]
        waits = [told.waited for told in all_waits if not told.parked]
        return PendingTotals(
            waiting=len(waits),
            parked=len(all_waits) - len(waits),
            longest_wait=max(waits, default=0),
        )

    def claim(self, waited_ms: int, longest_pause_ms: int, limit: int) -> list[Pending]:
        """Return matches that are to be looked at now, each put off until its next look."""
        now = self._clock()
        due = [told for told in self.found(0, len(self._waits)) if self._is_due(told, waited_ms)]
        # Those that were never claimed come first, so that many that fail do not keep them out.
        due.sort(key=lambda told: self._waits[told.match].again is not None)
        claimed = due[:limit]

        for told in claimed:
            pause = min(max(told.waited, waited_ms, 1), longest_pause_ms)
            self._waits[told.match] = replace(self._waits[told.match], again=now + pause)
        return claimed

    def fail(self, match_id: str, error: str, pauses_ms: Sequence[int]) -> Failure | None:
        """Note a failure, and put the match off or park it."""
        wait = self._waits.get(match_id)
        if wait is None:
            return None

        tries = wait.tries + 1
        parked = tries > len(pauses_ms)
        again = None if parked else self._clock() + pauses_ms[tries - 1]
        self._waits[match_id] = replace(
            wait,
            again=again,
            tries=tries,
            error=error,
            parked=parked,
        )
        return Failure(tries, parked)

    def free(self, match_id: str) -> bool:
        """Forget the failures of a match; return whether it had any."""
        wait = self._waits.get(match_id)
        if wait is None or not wait.tries:
            return False

        self._waits[match_id] = _Wait(wait.since)
        return True

    def _told(self, match_id: str) -> Pending:
        wait = self._waits[match_id]
        return Pending(
            match=match_id,
            waited=max(self._clock() - wait.since, 0),
            tries=wait.tries,
            error=wait.error,
            parked=wait.parked,
        )

    def _is_due(self, told: Pending, waited_ms: int) -> bool:
        wait = self._waits[told.match]
        if wait.parked:
            return False
        if wait.again is None:
            return told.waited >= waited_ms or wait.since > self._clock()
        return wait.again <= self._clock()


# §§§ service.journal.memory


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
