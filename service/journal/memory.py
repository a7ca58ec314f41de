"""The journal in memory, for tests: the same port, nothing outlives the process."""

import threading
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from service.journal.keys import partition_of
from service.journal.port import Appended, ChainBroken, Conflict, Entry, Head, KeyReused, Pending, check_whole


@dataclass(slots=True)
class _Match:
    head: Head
    commits: list[bytes] = field(default_factory=list)
    ids: dict[str, tuple[int, str]] = field(default_factory=dict)
    aside: dict[str, str] = field(default_factory=dict)


class MemoryJournal:
    """Streams of commits in dictionaries behind one lock."""

    def __init__(self, partitions: int = 256) -> None:
        self._partitions = partitions
        self._lock = threading.RLock()
        self._matches: dict[str, _Match] = {}
        self._feeds: list[list[tuple[str, int]]] = [[] for _ in range(partitions)]
        self._snapshots: dict[str, bytes] = {}

    def append(self, entry: Entry) -> Appended:
        """Append one commit atomically, or raise Conflict, KeyReused or ChainBroken and change nothing."""
        with self._lock:
            self._refuse_changed(entry)
            made = self.made(entry.match, entry.command_id, entry.fingerprint)
            if made is not None:
                return Appended(made, repeated=True)
            self._refuse(entry)
            match = self._matches.setdefault(entry.match, _Match(entry.head))
            match.head = entry.head
            match.commits.append(entry.data)
            version = len(match.commits)
            if entry.command_id:
                match.ids[entry.command_id] = (version, entry.fingerprint)
            _change(match.aside, entry.aside)
            self._feeds[partition_of(entry.match, self._partitions)].append((entry.match, version))
            return Appended(version, repeated=False)

    def restore(self, entries: Sequence[Entry]) -> None:
        """Append all commits of a match that does not exist yet, all or none; Conflict if it does, or ChainBroken."""
        check_whole(entries)
        with self._lock:
            if found := self._matches.get(entries[0].match):
                raise Conflict(len(found.commits))
            for entry in entries:
                self.append(entry)

    def _refuse_changed(self, entry: Entry) -> None:
        field, value = entry.holds
        if field and self.aside(entry.match, field) != value:
            raise Conflict(len(self.read(entry.match)))

    def _refuse(self, entry: Entry) -> None:
        match = self._matches.get(entry.match)
        version, last = (len(match.commits), match.head.hash) if match else (0, "")
        if version != entry.expected:
            raise Conflict(version)
        if last != entry.prev:
            raise ChainBroken(f"commit {version + 1} does not follow the last commit of match {entry.match}")

    def made(self, match: str, command_id: str, fingerprint: str) -> int | None:
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

    def tail(self, match: str, after: int, field: str) -> tuple[list[bytes], str | None]:
        """Return `read(match, after)` and one field of the side table at one moment."""
        with self._lock:
            return self.read(match, after), self.aside(match, field)

    def head(self, match: str) -> Head | None:
        """Return the head of a match, None for an unknown one."""
        return self.heads([match])[0]

    def heads(self, matches: Sequence[str]) -> list[Head | None]:
        """Return the heads of many matches at one moment."""
        with self._lock:
            return [self._matches[match].head if match in self._matches else None for match in matches]

    def aside(self, match: str, field: str) -> str | None:
        """Return one field of the match's side table."""
        return self.asides(match).get(field)

    def asides(self, match: str) -> dict[str, str]:
        """Return the whole side table of a match."""
        with self._lock:
            return dict(self._matches[match].aside) if match in self._matches else {}

    def put_aside(self, match: str, fields: Mapping[str, str | None], holds: tuple[str, str] = ("", "")) -> bool:
        """Set (None: delete) fields of the side table outside any commit, if a field still holds a value ("": any).

        Return whether it does; raise Conflict(0) for an unknown match.
        """
        with self._lock:
            if match not in self._matches:
                raise Conflict(0)
            aside = self._matches[match].aside
            if holds[0] and aside.get(holds[0]) != holds[1]:
                return False
            _change(aside, fields)
            return True

    def pending(self, before: int, limit: int) -> list[Pending]:
        """Return at most `limit` matches that have waited since before a time (ms), oldest first."""
        waits = sorted((head.updated, match) for match, head in self._heads() if head.work and head.updated < before)
        return [Pending(match, since) for since, match in waits[:limit]]

    def pending_count(self) -> int:
        """Return how many matches wait for the house or a bot."""
        return sum(1 for _, head in self._heads() if head.work)

    def listing(self, status: str, before: tuple[int, str] | None, limit: int) -> list[tuple[int, str]]:
        """Return (created, match) of public matches, newest first, strictly after the cursor `before`."""
        public = (found for found in self._heads() if found[1].visibility == "public")
        listed = sorted((head.created, match) for match, head in public if status in ("", head.status))
        end = len(listed) if before is None else bisect_left(listed, before)
        return listed[:end][::-1][:limit]

    def feed(self, partition: int, after: str, limit: int) -> list[tuple[str, str, int]]:
        """Return (id, match, version) of a partition's commits in order of commit; after "" from the start."""
        start = int(after or 0)
        with self._lock:
            commits = self._feeds[partition][start : start + limit]
        return [(str(number), *commit) for number, commit in enumerate(commits, start + 1)]

    def snapshot(self, match: str) -> bytes | None:
        """Return the stored snapshot, if any."""
        return self._snapshots.get(match)

    def put_snapshot(self, match: str, data: bytes) -> None:
        """Store a snapshot."""
        self._snapshots[match] = data

    def check(self) -> list[str]:
        """Return []: nothing about a dictionary is configured."""
        return []

    def ping(self) -> None:
        """Return at once: a dictionary can always be written."""

    def _heads(self) -> list[tuple[str, Head]]:
        with self._lock:
            return [(match, found.head) for match, found in self._matches.items()]


def _change(table: dict[str, str], fields: Mapping[str, str | None]) -> None:
    for name, value in fields.items():
        if value is None:
            table.pop(name, None)
        else:
            table[name] = value
