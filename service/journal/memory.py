"""The journal in memory, for tests: the same eight ports over dictionaries behind one lock.

`service.journal.port` says what each method promises. Nothing outlives the process.
"""

import threading
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from service.journal import values
from service.journal.errors import ChainBroken, Conflict, Deleted
from service.journal.keys import partition_of
from service.journal.port import Journal


def _milliseconds() -> int:
    return time.time_ns() // 1_000_000


def memory_journal(partitions: int = 256, clock: Callable[[], int] = _milliseconds) -> Journal:
    """Return an empty journal; `clock` returns milliseconds, as the clock of a server would."""
    return journal_over(MemoryStore(partitions, clock))


def journal_over(store: "MemoryStore") -> Journal:
    """Return the journal that a store holds."""
    return Journal(
        events=MemoryEvents(store),
        index=MemoryIndex(store),
        pending=MemoryPending(store),
        timers=MemoryTimers(store),
        metadata=MemoryMetadata(store),
        lifecycle=MemoryLifecycle(store),
        order=MemoryOrder(store),
        server=MemoryServer(),
    )


@dataclass(slots=True)
class StoredMatch:
    """All that is kept of one match; the fields are named as in `Metadata`.

    marker: of an archived match, which has no commits here.
    """

    head: values.Head
    commits: list[bytes] = field(default_factory=list)
    ids: dict[str, tuple[int, str]] = field(default_factory=dict)
    fields: dict[str, str] = field(default_factory=dict)
    marker: values.Marker | None = None
    thoughts: list[bytes] = field(default_factory=list)
    snapshot: bytes | None = None

    def add(self, entry: values.Entry) -> int:
        """Take one more commit in, and what comes with it; return its version."""
        self.head = entry.head
        self.commits.append(entry.commit_bytes)
        version = len(self.commits)

        if entry.command_id:
            self.ids[entry.command_id] = (version, entry.fingerprint)
        self.change(entry.metadata)
        self._think(entry.thought)
        return version

    def change(self, fields: Mapping[str, str | None]) -> None:
        """Set fields of the metadata, and delete those of None."""
        for name, value in fields.items():
            if value is None:
                self.fields.pop(name, None)
            else:
                self.fields[name] = value

    def archive(self, marker: values.Marker, last: values.Last) -> None:
        """Keep a marker instead of the commits; raises Conflict unless they end as was packed."""
        ends_alike = self.head.hash == last.hash and len(self.ids) == last.ids
        # One that has left already has commits by its head, and none here.
        is_whole = len(self.commits) == self.head.version == marker.commits
        if not (self.head.final and ends_alike and is_whole):
            raise Conflict(self.head.version)

        self.marker = marker
        self.snapshot = None
        self.commits.clear()
        self.ids.clear()
        self.thoughts.clear()

    def unarchive(self, marker: values.Marker, whole: values.Whole) -> None:
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
        if kept + len(thought) + 1 <= values.MOST_THOUGHTS:
            self.thoughts.append(thought)


@dataclass(frozen=True, slots=True)
class Wait:
    """That a match waits.

    since: when it began to wait.   again: when it is to be looked at, None before the first look.
    tries: how often it has failed.   error: the type of the last error.
    """

    since: int
    again: int | None = None
    tries: int = 0
    error: str = ""
    parked: bool = False


class MemoryStore:
    """What the ports share.

    feeds: a list of (match, version, time) for each partition. The id of a line is its time and its
        number, so a line that comes after the journal has gone back has another id.
    trimmed: how many lines have left each feed.   begun: the matches whose first lines they were.
    idle: when matches are to be looked at.   waits: who waits for the house or a bot.
    timers: when what is due, by kind and match.
    last_beat, gaps: when timers were last seen to, and when nobody did.
    set_backs: how often beats have found that the clock was set back.
    """

    def __init__(self, partitions: int, clock: Callable[[], int]) -> None:
        self.clock = clock
        self.lock = threading.RLock()
        self.matches: dict[str, StoredMatch] = {}
        self.deleted: dict[str, values.Tombstone] = {}
        self.idle: dict[str, int] = {}
        self.waits: dict[str, Wait] = {}
        self.timers: dict[tuple[str, str], int] = {}
        self.last_beat: int | None = None
        self.gaps: list[values.Gap] = []
        self.set_backs = values.SetBacks(0, 0)
        self.feeds: list[list[tuple[str, int, int]]] = [[] for _ in range(partitions)]
        self.trimmed = [0] * partitions
        self.begun: list[list[str]] = [[] for _ in range(partitions)]
        self.generation: values.Generation | None = None
        self.order = values.Order()
        self.order_lines: list[bytes] = []

    def get(self, match_id: str) -> StoredMatch | None:
        """Return a match, None for an unknown one."""
        return self.matches.get(match_id)

    def known(self, match_id: str) -> StoredMatch:
        """Return a match; raises Conflict for an unknown one."""
        match = self.get(match_id)
        if match is None:
            raise Conflict(0)
        return match

    def add_to_feed(self, match_id: str, version: int) -> None:
        """Note a commit."""
        partition = partition_of(match_id, len(self.feeds))
        self.feeds[partition].append((match_id, version, self.clock()))

    def lines(self, partition: int, after: int, limit: int | None = None) -> list[values.Line]:
        """Return lines that are still in a feed, after the line with a number; the first has 1."""
        trimmed = self.trimmed[partition]
        start = max(after, trimmed)
        found = self.feeds[partition][start - trimmed :][:limit]
        return [
            (f"{time}-{number}", match, version)
            for number, (match, version, time) in enumerate(found, start + 1)
        ]

    def has_line(self, partition: int, line: values.Line) -> bool:
        """Return whether a line is still in a feed."""
        return self.lines(partition, _number(line[0]) - 1, 1) == [line]


def _number(line_id: str) -> int:
    """Return the number of a line; 0 for the empty id, which comes before all."""
    return int(line_id.rpartition("-")[2] or 0)


class _Port:
    """One port over the store; each of its methods holds the lock."""

    def __init__(self, store: MemoryStore) -> None:
        self._store = store
        self._lock = store.lock


class MemoryEvents(_Port):
    """A list of commits for each match, and a feed for each partition."""

    def append(self, entry: values.Entry) -> values.Appended:
        """Append one commit."""
        with self._lock:
            # In the order of append.lua: a caller whose token is gone learns nothing of a commit.
            self._check_precondition(entry)
            made = self.version_made(entry.match, entry.command_id, entry.fingerprint)
            if made is not None:
                return values.Appended(made, repeated=True)

            self._check_place(entry)
            return self._write(entry)

    def _check_precondition(self, entry: values.Entry) -> None:
        name, value = entry.precondition
        if not name:
            return

        match = self._store.get(entry.match)
        if match is None or match.fields.get(name) != value:
            raise Conflict(len(self.read(entry.match)))

    def _check_place(self, entry: values.Entry) -> None:
        match = self._store.get(entry.match)
        version = len(match.commits) if match else 0
        last_hash = match.head.hash if match else ""

        if entry.expected != version:
            raise Conflict(version)
        if entry.match in self._store.deleted:
            raise Deleted
        # A first commit follows nothing, so an archived match takes no commit.
        if entry.prev != last_hash or (version == 0 and entry.prev):
            raise ChainBroken(
                f"commit {version + 1} does not follow the last commit of match {entry.match}"
            )

    def _write(self, entry: values.Entry) -> values.Appended:
        store = self._store
        match = store.matches.setdefault(entry.match, StoredMatch(entry.head))
        version = match.add(entry)

        may_be_idle = entry.head.status in ("open", "running")
        if version == 1 and may_be_idle:
            store.idle[entry.match] = entry.head.updated

        if entry.head.awaiting and not entry.is_resting:
            store.waits[entry.match] = Wait(store.clock())
        else:
            store.waits.pop(entry.match, None)

        if entry.deadline is not None:
            store.timers.pop((values.CLOCK, entry.match), None)
        if entry.deadline:
            store.timers[values.CLOCK, entry.match] = entry.deadline
        if values.HOOKS in match.fields:
            store.timers[values.HOOK, entry.match] = store.clock()

        store.add_to_feed(entry.match, version)
        return values.Appended(version, repeated=False)

    def restore(self, entries: Sequence[values.Entry]) -> None:
        """Append all commits of a match that does not exist yet."""
        values.check_consecutive(entries)
        match = entries[0].match

        with self._lock:
            if match in self._store.matches:
                raise Conflict(self._store.matches[match].head.version)
            if match in self._store.deleted:
                raise Deleted

            for entry in entries:
                self.append(entry)

    def version_made(self, match_id: str, command_id: str, fingerprint: str) -> int | None:
        """Return the version that a command id has made."""
        with self._lock:
            match = self._store.get(match_id)
            return values.made_by(match.ids, command_id, fingerprint) if match else None

    def read(self, match_id: str, after: int = 0, limit: int | None = None) -> list[bytes]:
        """Return commits after a version."""
        end = None if limit is None else after + limit
        with self._lock:
            match = self._store.get(match_id)
            return match.commits[after:end] if match else []

    def tail(self, match_id: str, after: int, field: str, limit: int | None = None) -> values.Tail:
        """Return commits after a version, one field of the metadata and the head."""
        with self._lock:
            match = self._store.get(match_id)
            return values.Tail(
                commits=self.read(match_id, after, limit),
                value=match.fields.get(field) if match else None,
                head=match.head if match else None,
            )

    def head(self, match_id: str) -> values.Head | None:
        """Return the head of a match."""
        with self._lock:
            match = self._store.get(match_id)
            return match.head if match else None

    def heads(self, matches: Sequence[str]) -> list[values.FoundHead]:
        """Return the heads of many matches."""
        with self._lock:
            return [self.head(match) for match in matches]

    def overviews(
        self, asked: Sequence[tuple[str, Sequence[str]]]
    ) -> list[tuple[values.FoundHead, dict[str, str]]]:
        """Return heads and fields of metadata of many matches."""
        with self._lock:
            return [self.overview(match, fields) for match, fields in asked]

    def overview(
        self, match_id: str, fields: Sequence[str]
    ) -> tuple[values.Head | None, dict[str, str]]:
        """Return the head and fields of metadata of a match."""
        with self._lock:
            match = self._store.get(match_id)
            if match is None:
                return None, {}
            return match.head, {name: match.fields[name] for name in fields if name in match.fields}

    def feed(self, partition: int, after: str, limit: int) -> list[values.Line]:
        """Return (id, match, version) of a partition's commits."""
        with self._lock:
            return self._store.lines(partition, _number(after), limit)

    def feed_ends(self, noted: Mapping[int, values.Line]) -> values.FeedEnds:
        """Return the last line of each feed, and which of the noted lines are missing."""
        store = self._store
        last: dict[int, values.Line] = {}
        missing: set[int] = set()
        with self._lock:
            for partition, feed in enumerate(store.feeds):
                if feed:
                    end = store.trimmed[partition] + len(feed)
                    [last[partition]] = store.lines(partition, end - 1)

            for partition, line in noted.items():
                is_trimmed = _number(line[0]) <= store.trimmed[partition]
                if not is_trimmed and not store.has_line(partition, line):
                    missing.add(partition)
        return values.FeedEnds(last, frozenset(missing))

    def matches(self) -> Iterator[str]:
        """Yield the id of every match that was ever begun here."""
        with self._lock:
            lines = [line for feed in self._store.feeds for line in feed]
            begun = [match for names in self._store.begun for match in names]
        yield from begun
        for match, version, _ in lines:
            if version == 1:
                yield match

    def commit_count(self) -> int:
        """Return how many commits were ever appended."""
        with self._lock:
            return sum(map(len, self._store.feeds)) + sum(self._store.trimmed)


class MemoryIndex(_Port):
    """Public matches, sorted anew for each list, and the times of idle ones."""

    def listing(
        self, status: str, before: tuple[int, str] | None, limit: int, game: str = ""
    ) -> list[tuple[int, str]]:
        """Return (listed, match) of public matches, newest first."""
        oldest_first = sorted(
            (head.listed, match)
            for match, head in self._public_heads()
            if status in ("", head.status) and game in ("", head.game)
        )
        end = len(oldest_first) if before is None else bisect_left(oldest_first, before)
        newest_first = oldest_first[:end][::-1]
        return newest_first[:limit]

    def listed_counts(self) -> dict[str, int]:
        """Return how many public matches there are of each status."""
        counts = Counter(head.status for _, head in self._public_heads())
        return {status: counts[status] for status in values.STATUSES}

    def _public_heads(self) -> list[tuple[str, values.Head]]:
        with self._lock:
            heads = [(name, match.head) for name, match in self._store.matches.items()]
        return [(name, head) for name, head in heads if head.visibility == "public"]

    def written(self) -> str:
        """Return that the store does not know whether anything was written."""
        return ""

    def idle(self, before: int, limit: int) -> list[str]:
        """Return matches that are to be looked at by a time."""
        with self._lock:
            times = self._store.idle.items()
            due = sorted((time, match) for match, time in times if time <= before)
        return [match for _, match in due[:limit]]

    def look_again(self, times: Mapping[str, int | None]) -> None:
        """Set when matches are to be looked at again."""
        with self._lock:
            for match, time in times.items():
                if time is None:
                    self._store.idle.pop(match, None)
                else:
                    self._store.idle[match] = time


class MemoryPending(_Port):
    """Who waits since when, and when to look at it."""

    def due(self, waited_ms: int, limit: int) -> list[values.Pending]:
        """Return matches that have waited for so long, longest first."""
        with self._lock:
            long_enough = [one for one in self._all() if one.waited >= waited_ms]
        long_enough.sort(key=lambda one: (-one.waited, one.match))
        return long_enough[:limit]

    def totals(self) -> values.PendingTotals:
        """Return how many matches wait and how many are parked, and the longest wait."""
        with self._lock:
            pending = self._all()
        waits = [one.waited for one in pending if not one.parked]
        return values.PendingTotals(
            waiting=len(waits),
            parked=len(pending) - len(waits),
            longest_wait=max(waits, default=0),
        )

    def claim(self, waited_ms: int, longest_pause_ms: int, limit: int) -> list[values.Pending]:
        """Return matches that are to be looked at now, each put off until its next look."""
        with self._lock:
            waits = self._store.waits
            due = [one for one in self.due(0, len(waits)) if self._is_due(one, waited_ms)]
            # Those that were never claimed come first, so that many that fail do not keep them out.
            due.sort(key=lambda one: waits[one.match].again is not None)
            claimed = due[:limit]

            now = self._store.clock()
            for one in claimed:
                pause = min(max(one.waited, waited_ms, 1), longest_pause_ms)
                waits[one.match] = replace(waits[one.match], again=now + pause)
        return claimed

    def fail(self, match_id: str, error: str, pauses_ms: Sequence[int]) -> values.Failure | None:
        """Note a failure, and put the match off or park it."""
        with self._lock:
            wait = self._store.waits.get(match_id)
            if wait is None:
                return None

            tries = wait.tries + 1
            parked = tries > len(pauses_ms)
            again = None if parked else self._store.clock() + pauses_ms[tries - 1]
            self._store.waits[match_id] = Wait(wait.since, again, tries, error, parked)
        return values.Failure(tries, parked)

    def free(self, match_id: str) -> bool:
        """Forget the failures of a match; return whether it had any."""
        with self._lock:
            wait = self._store.waits.get(match_id)
            if wait is None or not wait.tries:
                return False

            self._store.waits[match_id] = Wait(wait.since)
        return True

    def rouse(self, match_id: str) -> bool:
        """Have a match wait that was resting; return True if it was."""
        with self._lock:
            match = self._store.matches.get(match_id)
            if match is None or not match.head.awaiting or match_id in self._store.waits:
                return False
            self._store.waits[match_id] = Wait(self._store.clock())
        return True

    def forget(self, matches: Sequence[str]) -> None:
        """Do nothing: here a match that does not wait has neither claim nor failure."""

    def _all(self) -> list[values.Pending]:
        now = self._store.clock()
        return [
            values.Pending(
                match=match,
                waited=max(now - wait.since, 0),
                tries=wait.tries,
                error=wait.error,
                parked=wait.parked,
            )
            for match, wait in self._store.waits.items()
        ]

    def _is_due(self, pending: values.Pending, waited_ms: int) -> bool:
        wait = self._store.waits[pending.match]
        now = self._store.clock()
        if wait.parked:
            return False
        if wait.again is None:
            return pending.waited >= waited_ms or wait.since > now
        return wait.again <= now


class MemoryTimers(_Port):
    """What is due at a time."""

    def beat(self, time: int, longest_ms: int) -> values.Beat:
        """Note that timers are seen to now, and return the gaps."""
        store = self._store
        with self._lock:
            now = store.clock()
            if abs(now - time) > longest_ms:
                return values.Beat(now, tuple(store.gaps))
            last = now if store.last_beat is None else store.last_beat
            set_back_ms = last - now if last - now > longest_ms else 0
            if set_back_ms:
                begun = [gap for gap in store.gaps if gap.start < now]
                store.gaps = [values.Gap(gap.start, min(gap.end, now)) for gap in begun]
                store.timers = {place: min(due, now) for place, due in store.timers.items()}
                store.set_backs = values.SetBacks(store.set_backs.times + 1, last)
            if now - last > longest_ms:
                store.gaps.append(values.Gap(last, now))
            store.last_beat = now
            return values.Beat(now, tuple(store.gaps), set_back_ms)

    def set_backs(self) -> values.SetBacks:
        """Return how often the clock was set back, by what beats have found."""
        return self._store.set_backs

    def time(self) -> int:
        """Return the time by the store's clock."""
        return self._store.clock()

    def claim(self, leases_ms: Mapping[str, int], limit: int) -> list[values.Timer]:
        """Return timers that are due, each put off at once."""
        with self._lock:
            now = self._store.clock()
            due = sorted(
                (time, kind, match)
                for (kind, match), time in self._store.timers.items()
                if time <= now
            )
            claimed = [
                values.Timer(kind, match, time, now + leases_ms[kind])
                for time, kind, match in due[:limit]
            ]
            for timer in claimed:
                self._store.timers[timer.kind, timer.match] = timer.claimed_until
        return claimed

    def settle(self, timer: values.Timer, wait_ms: int | None) -> bool:
        """Have a claimed timer due again, unless a commit has set it since the claim."""
        place = (timer.kind, timer.match)
        with self._lock:
            if self._store.timers.get(place) != timer.claimed_until:
                return False
            if wait_ms is None:
                del self._store.timers[place]
            else:
                self._store.timers[place] = self._store.clock() + wait_ms
        return True

    def ring(self, kind: str, match_id: str) -> None:
        """Have a timer due now."""
        with self._lock:
            self._store.timers[kind, match_id] = self._store.clock()


class MemoryMetadata(_Port):
    """Fields, thoughts and snapshots."""

    def field(self, match_id: str, field: str) -> str | None:
        """Return one field of a match's metadata."""
        return self.fields(match_id).get(field)

    def fields(self, match_id: str) -> dict[str, str]:
        """Return all fields of a match's metadata."""
        with self._lock:
            match = self._store.get(match_id)
            return dict(match.fields) if match else {}

    def put(
        self,
        match_id: str,
        fields: Mapping[str, str | None],
        precondition: tuple[str, str] = ("", ""),
    ) -> bool:
        """Set fields outside any commit."""
        name, value = precondition

        with self._lock:
            match = self._store.known(match_id)
            if name and match.fields.get(name, "") != value:
                return False

            match.change(fields)
            return True

    def put_if_missing(self, match_id: str, field: str, value: str) -> None:
        """Set a missing field outside any commit."""
        with self._lock:
            match = self._store.get(match_id)
            if match is not None:
                match.fields.setdefault(field, value)

    def thoughts(self, match_id: str) -> list[bytes]:
        """Return what bots have thought in a match."""
        with self._lock:
            match = self._store.get(match_id)
            return list(match.thoughts) if match else []

    def snapshot(self, match_id: str) -> bytes | None:
        """Return the stored snapshot of a match."""
        with self._lock:
            match = self._store.get(match_id)
            return match.snapshot if match else None

    def put_snapshot(self, match_id: str, data: bytes) -> None:
        """Store a snapshot of a known match."""
        with self._lock:
            match = self._store.get(match_id)
            if match is not None and match.commits:
                match.snapshot = data

    def dump(self, match_id: str) -> values.Metadata:
        """Return all that is kept of a match beside its commits."""
        with self._lock:
            match = self._store.get(match_id)
            if match is None:
                tombstone = self._store.deleted.get(match_id)
                return values.Metadata(head=None, ids={}, fields={}, tombstone=tombstone)
            return values.Metadata(
                head=match.head,
                ids=dict(match.ids),
                fields=dict(match.fields),
                tombstone=None,
                thoughts=list(match.thoughts),
            )


class MemoryLifecycle(_Port):
    """Tombstones, markers of archived matches, and the generation."""

    def delete(self, match_id: str, tombstone: values.Tombstone) -> values.Marker | None:
        """Delete all that is kept of a match but its tombstone."""
        store = self._store
        with self._lock:
            if match_id in store.deleted:
                raise Deleted
            marker = store.known(match_id).marker

            store.deleted[match_id] = tombstone
            del store.matches[match_id]
            store.idle.pop(match_id, None)
            store.waits.pop(match_id, None)
            for kind in (values.CLOCK, values.HOOK):
                store.timers.pop((kind, match_id), None)
            return marker

    def deleted(self, match_id: str) -> values.Tombstone | None:
        """Return the tombstone of a deleted match."""
        return self._store.deleted.get(match_id)

    def put_tombstone(self, match_id: str, tombstone: values.Tombstone) -> bool:
        """Store a tombstone for an unknown match."""
        store = self._store
        with self._lock:
            if match_id in store.matches or match_id in store.deleted:
                return False

            store.deleted[match_id] = tombstone
            store.add_to_feed(match_id, 1)
            return True

    def archive(self, match_id: str, marker: values.Marker, last: values.Last) -> None:
        """Let the commits of a match go, and keep a marker instead."""
        with self._lock:
            self._store.known(match_id).archive(marker, last)
            self._store.idle.pop(match_id, None)

    def unarchive(self, match_id: str, marker: values.Marker, whole: values.Whole) -> None:
        """Put the commits of an archived match back."""
        with self._lock:
            self._store.known(match_id).unarchive(marker, whole)

    def archived(self, match_id: str) -> values.Marker | None:
        """Return the marker of an archived match."""
        with self._lock:
            match = self._store.get(match_id)
            return match.marker if match else None

    def all_archived(self) -> Iterator[tuple[str, values.FoundMarker]]:
        """Yield every archived match with its marker."""
        with self._lock:
            found = [(name, match.marker) for name, match in self._store.matches.items()]
        for name, marker in found:
            if marker is not None:
                yield name, marker

    def generation(self) -> values.Generation | None:
        """Return the generation of the journal."""
        return self._store.generation

    def replace_generation(self, old: values.Generation | None, new: values.Generation) -> bool:
        """Write a new generation in the place of the old one."""
        with self._lock:
            is_there = self._store.generation == old
            if is_there:
                self._store.generation = new
            return is_there


class MemoryOrder(_Port):
    """The order of the log."""

    def state(self, *, whole: bool = True) -> values.Order:
        """Return how far the order goes."""
        with self._lock:
            order = self._store.order
        return order if whole else replace(order, cursors={})

    def settled(self) -> values.Order:
        """Return how far the order goes: there are no replicas."""
        return self.state()

    def news(self, cursors: Mapping[int, values.Cursor], limit: int) -> values.News:
        """Return lines of the feeds after some cursors."""
        store = self._store
        lines: list[tuple[int, values.Line]] = []
        missing: set[int] = set()
        with self._lock:
            for partition in range(len(store.feeds)):
                cursor = cursors.get(partition, values.Cursor())
                if cursor.id and not store.has_line(partition, cursor[:3]):
                    missing.add(partition)
                    continue
                new = store.lines(partition, _number(cursor.id))
                lines += [(partition, line) for line in new]
        return values.News(lines[:limit], frozenset(missing))

    def decide(
        self,
        seen: values.Order,
        lines: Sequence[bytes],
        cursors: Mapping[int, values.Cursor],
        generation: str,
    ) -> bool:
        """Append lines if the order is as it was seen."""
        store = self._store
        with self._lock:
            present = store.order.cursors
            is_other = any(present.get(one) != seen.cursors.get(one) for one in cursors)
            if store.order.size != seen.size or is_other:
                return False
            store.order_lines.extend(lines)
            store.order = replace(
                store.order,
                size=seen.size + len(lines),
                cursors={**store.order.cursors, **cursors},
                generation=generation,
            )
        return True

    def decided(self, position: int, limit: int) -> list[bytes] | None:
        """Return lines from a position on."""
        with self._lock:
            first = position - self._store.order.base
            return None if first < 0 else self._store.order_lines[first : first + limit]

    def publish(self, published: int, lines: Sequence[bytes], key: str, checkpoint: bytes) -> bool:
        """Publish a checkpoint, and forget lines in full bundles."""
        store = self._store
        size = published + len(lines)
        with self._lock:
            order = store.order
            if order.published != published or order.key not in ("", key):
                return False
            if store.order_lines[published - order.base : size - order.base] != list(lines):
                return False
            base = max(order.base, values.first_kept(size))
            del store.order_lines[: base - order.base]
            store.order = replace(order, published=size, base=base, key=key, checkpoint=checkpoint)
        return True

    def cosign(self, size: int, checkpoint: bytes) -> bool:
        """Keep a checkpoint that witnesses have signed, too."""
        store = self._store
        with self._lock:
            if not store.order.cosigned_size <= size <= store.order.published:
                return False
            store.order = replace(store.order, cosigned=checkpoint, cosigned_size=size)
        return True

    def adopt(self, size: int, published: int, new: values.Order, lines: Sequence[bytes]) -> bool:
        """Replace the order."""
        with self._lock:
            if (self._store.order.size, self._store.order.published) != (size, published):
                return False
            self._store.order = new
            self._store.order_lines = list(lines)
        return True

    def trim(self, partition: int, cursor: values.Cursor, age_ms: int, limit: int) -> int:
        """Let old lines of a feed go that come before a cursor."""
        store = self._store
        with self._lock:
            if not store.has_line(partition, cursor[:3]):
                return 0
            newest = store.clock() - age_ms
            feed = store.feeds[partition]
            before = _number(cursor.id) - 1 - store.trimmed[partition]
            old = [line for line in feed[: min(before, limit)] if line[2] <= newest]
            store.begun[partition] += [match for match, version, _ in old if version == 1]
            del feed[: len(old)]
            store.trimmed[partition] += len(old)
        return len(old)

    def report(self, stopped: str) -> None:
        """Note why the log stands still."""
        with self._lock:
            self._store.order = replace(self._store.order, stopped=stopped)


class MemoryServer:
    """Dictionaries: nothing about them is configured, and they can always be written."""

    def check(self) -> list[str]:
        """Return []: nothing is unsafe."""
        return []

    def upgrade(self) -> int:
        """Return 0: no dictionary is of an earlier release."""
        return 0

    def ping(self) -> None:
        """Return at once."""

    def memory(self) -> values.Memory:
        """Return that nothing is known of how much memory dictionaries take."""
        return values.Memory(used=0, bound=0)
