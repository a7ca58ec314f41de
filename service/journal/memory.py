"""The journal in memory, for tests: the same port, nothing outlives the process."""

import threading
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from service.journal.errors import ChainBroken, Conflict, Deleted, KeyReused
from service.journal.keys import partition_of
from service.journal.values import (
    STATUSES,
    Appended,
    Entry,
    Head,
    Memory,
    Metadata,
    Pending,
    Tail,
    Tombstone,
    check_consecutive,
)


@dataclass(slots=True)
class _Match:
    head: Head
    commits: list[bytes] = field(default_factory=list)
    ids: dict[str, tuple[int, str]] = field(default_factory=dict)
    sidecar: dict[str, str] = field(default_factory=dict)


class MemoryJournal:
    """Streams of commits in dictionaries behind one lock."""

    def __init__(self, partitions: int = 256) -> None:
        self._partitions = partitions
        self._lock = threading.RLock()
        self._matches: dict[str, _Match] = {}
        self._feeds: list[list[tuple[str, int]]] = [[] for _ in range(partitions)]
        self._snapshots: dict[str, bytes] = {}
        self._idle: dict[str, int] = {}
        self._deleted: dict[str, Tombstone] = {}

    def append(self, entry: Entry) -> Appended:
        """Append one commit atomically, or raise Conflict, KeyReused or ChainBroken and change nothing.

        A first commit under the id of a deleted match is refused with Deleted, which is a Conflict.
        """
        with self._lock:
            self._refuse_changed(entry)
            made = self.version_made(entry.match, entry.command_id, entry.fingerprint)
            if made is not None:
                return Appended(made, repeated=True)
            self._refuse(entry)
            match = self._matches.setdefault(entry.match, _Match(entry.head))
            match.head = entry.head
            match.commits.append(entry.commit_bytes)
            version = len(match.commits)
            if version == 1 and entry.head.status in ("open", "running"):
                self._idle[entry.match] = entry.head.updated
            if entry.command_id:
                match.ids[entry.command_id] = (version, entry.fingerprint)
            _change(match.sidecar, entry.sidecar)
            self._feeds[partition_of(entry.match, self._partitions)].append((entry.match, version))
            return Appended(version, repeated=False)

    def restore(self, entries: Sequence[Entry]) -> None:
        """Append all commits of a match that does not exist yet, all or none.

        Raises Conflict if it exists, Deleted if it was deleted, ChainBroken.
        """
        check_consecutive(entries)
        with self._lock:
            if found := self._matches.get(entries[0].match):
                raise Conflict(len(found.commits))
            if entries[0].match in self._deleted:
                raise Deleted
            for entry in entries:
                self.append(entry)

    def _refuse_changed(self, entry: Entry) -> None:
        field, value = entry.holds
        if field and self.sidecar_field(entry.match, field) != value:
            raise Conflict(len(self.read(entry.match)))

    def _refuse(self, entry: Entry) -> None:
        match = self._matches.get(entry.match)
        version, last = (len(match.commits), match.head.hash) if match else (0, "")
        if version != entry.expected:
            raise Conflict(version)
        if entry.match in self._deleted:
            raise Deleted
        if last != entry.prev:
            raise ChainBroken(
                f"commit {version + 1} does not follow the last commit of match {entry.match}"
            )

    def version_made(self, match: str, command_id: str, fingerprint: str) -> int | None:
        """Return the version that a command id has made, None if unknown; raises KeyReused."""
        with self._lock:
            found = self._matches.get(match)
            if not found or command_id not in found.ids:
                return None
            version, of = found.ids[command_id]
        if of != fingerprint:
            raise KeyReused(f"the command id {command_id} was used before for another command")
        return version

    def read(self, match: str, after: int = 0, limit: int | None = None) -> list[bytes]:
        """Return the commits after a version, oldest first, at most `limit`; [] for an unknown match."""
        with self._lock:
            found = self._matches.get(match)
            return found.commits[after : None if limit is None else after + limit] if found else []

    def tail(self, match: str, after: int, field: str, limit: int | None = None) -> Tail:
        """Return `read(match, after, limit)`, one field of the sidecar and the head at one moment."""
        with self._lock:
            return Tail(
                self.read(match, after, limit), self.sidecar_field(match, field), self.head(match)
            )

    def head(self, match: str) -> Head | None:
        """Return the head of a match, None for an unknown one."""
        return self.heads([match])[0]

    def heads(self, matches: Sequence[str]) -> list[Head | None]:
        """Return the heads of many matches at one moment."""
        with self._lock:
            return [
                self._matches[match].head if match in self._matches else None for match in matches
            ]

    def overviews(
        self, asked: Sequence[tuple[str, Sequence[str]]]
    ) -> list[tuple[Head | None, dict[str, str]]]:
        """Return the heads of many matches and some fields of their sidecars at one moment."""
        with self._lock:
            return [
                (self.head(match), _only(self.sidecar(match), fields)) for match, fields in asked
            ]

    def sidecar_field(self, match: str, field: str) -> str | None:
        """Return one field of the match's sidecar."""
        return self.sidecar(match).get(field)

    def sidecar(self, match: str) -> dict[str, str]:
        """Return the whole sidecar of a match."""
        with self._lock:
            return dict(self._matches[match].sidecar) if match in self._matches else {}

    def put_sidecar(
        self, match: str, fields: Mapping[str, str | None], holds: tuple[str, str] = ("", "")
    ) -> bool:
        """Set (None: delete) fields of the sidecar outside any commit, if a field still holds a value ("": any).

        Return whether it does; raise Conflict(0) for an unknown match.
        """
        with self._lock:
            if match not in self._matches:
                raise Conflict(0)
            sidecar = self._matches[match].sidecar
            if holds[0] and sidecar.get(holds[0]) != holds[1]:
                return False
            _change(sidecar, fields)
            return True

    def put_sidecar_if_missing(self, match: str, field: str, value: str) -> None:
        """Set a field of a match's sidecar outside any commit, unless it is there; nothing for an unknown match."""
        with self._lock:
            if match in self._matches:
                self._matches[match].sidecar.setdefault(field, value)

    def pending(self, before: int, limit: int) -> list[Pending]:
        """Return at most `limit` matches that have waited since before a time (ms), oldest first."""
        waits = sorted(
            (head.updated, match)
            for match, head in self._heads()
            if head.work and head.updated < before
        )
        return [Pending(match, since) for since, match in waits[:limit]]

    def pending_count(self) -> int:
        """Return how many matches wait for the house or a bot."""
        return sum(1 for _, head in self._heads() if head.work)

    def listing(
        self, status: str, before: tuple[int, str] | None, limit: int, game: str = ""
    ) -> list[tuple[int, str]]:
        """Return (listed, match) of public matches, newest first, strictly after the cursor `before`."""
        listed = sorted(
            (head.listed, match)
            for match, head in self._heads()
            if head.visibility == "public"
            and status in ("", head.status)
            and game in ("", head.game)
        )
        end = len(listed) if before is None else bisect_left(listed, before)
        return listed[:end][::-1][:limit]

    def idle(self, before: int, limit: int) -> list[str]:
        """Return at most `limit` matches that are to be looked at by a time (ms, inclusive), the longest due first."""
        with self._lock:
            due = sorted((time, match) for match, time in self._idle.items() if time <= before)
        return [match for _, match in due[:limit]]

    def look_again(self, times: Mapping[str, int | None]) -> None:
        """Set when matches are to be looked at again (ms); None: never."""
        with self._lock:
            for match, time in times.items():
                if time is None:
                    self._idle.pop(match, None)
                else:
                    self._idle[match] = time

    def delete(self, match: str, tombstone: Tombstone) -> None:
        """Delete all that is kept of a match but the tombstone; its id is never used again.

        Raises Conflict for an unknown match, Deleted for one that was deleted before.
        """
        with self._lock:
            if match in self._deleted:
                raise Deleted
            if match not in self._matches:
                raise Conflict(0)
            self._deleted[match] = tombstone
            del self._matches[match]
            self._snapshots.pop(match, None)
            self._idle.pop(match, None)

    def deleted(self, match: str) -> Tombstone | None:
        """Return what stays of a deleted match, None for any other."""
        return self._deleted.get(match)

    def feed(self, partition: int, after: str, limit: int) -> list[tuple[str, str, int]]:
        """Return (id, match, version) of a partition's commits in order of commit; after "" from the start."""
        start = int(after or 0)
        with self._lock:
            commits = self._feeds[partition][start : start + limit]
        return [(str(number), *commit) for number, commit in enumerate(commits, start + 1)]

    def matches(self) -> Iterator[str]:
        """Yield the id of every match that was ever begun here, deleted ones too, each once."""
        for feed in self._feeds:
            with self._lock:
                begun = [match for match, version in feed if version == 1]
            yield from begun

    def commit_count(self) -> int:
        """Return how many commits were ever appended, those of deleted matches too."""
        return sum(map(len, self._feeds))

    def metadata(self, match: str) -> Metadata:
        """Return all that is kept of a match beside its commits, at one moment."""
        with self._lock:
            found = self._matches.get(match)
            if found is None:
                return Metadata(None, {}, {}, self._deleted.get(match))
            return Metadata(found.head, dict(found.ids), dict(found.sidecar), None)

    def put_tombstone(self, match: str, tombstone: Tombstone) -> bool:
        """Lay a tombstone for a match that is not there; return whether that was done."""
        with self._lock:
            if match in self._matches or match in self._deleted:
                return False
            self._deleted[match] = tombstone
            self._feeds[partition_of(match, self._partitions)].append((match, 1))
            return True

    def listed_counts(self) -> dict[str, int]:
        """Return how many public matches there are of each status."""
        statuses = [head.status for _, head in self._heads() if head.visibility == "public"]
        return {status: statuses.count(status) for status in STATUSES}

    def memory(self) -> Memory:
        """Return that nothing is known: dictionaries do not tell."""
        return Memory(0, 0)

    def snapshot(self, match: str) -> bytes | None:
        """Return the stored snapshot, if any."""
        return self._snapshots.get(match)

    def put_snapshot(self, match: str, data: bytes) -> None:
        """Store a snapshot of a match that there is."""
        with self._lock:
            if match in self._matches:
                self._snapshots[match] = data

    def check(self) -> list[str]:
        """Return []: nothing about a dictionary is configured."""
        return []

    def upgrade(self) -> int:
        """Return 0: no dictionary is of an earlier release."""
        return 0

    def ping(self) -> None:
        """Return at once: a dictionary can always be written."""

    def _heads(self) -> list[tuple[str, Head]]:
        with self._lock:
            return [(match, found.head) for match, found in self._matches.items()]


def _only(table: Mapping[str, str], fields: Sequence[str]) -> dict[str, str]:
    return {name: table[name] for name in fields if name in table}


def _change(table: dict[str, str], fields: Mapping[str, str | None]) -> None:
    for name, value in fields.items():
        if value is None:
            table.pop(name, None)
        else:
            table[name] = value
