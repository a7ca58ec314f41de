"""Commits and feeds in lists."""

from collections.abc import Iterator, Mapping, Sequence

from service.base.metadata_fields import WEBHOOK_NONCE
from service.store.journal import values
from service.store.journal.errors import ChainBroken, Conflict, Deleted
from service.store.journal.memory.store import MemoryMatch, MemoryPort, Wait, line_number


class MemoryEvents(MemoryPort):
    """A list of commits for each match, and a feed for each partition."""

    def append(self, entry: values.Entry) -> values.Appended:
        """Append one commit."""
        with self._lock:
            # Keep the order of append.lua: a caller with a deleted token does not learn if a
            # command id was used.
            self._check_precondition(entry)
            version = self.version_made(entry.match, entry.command_id, entry.fingerprint)
            if version is not None:
                return values.Appended(version, repeated=True)

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
        match = store.matches.setdefault(entry.match, MemoryMatch(entry.head))
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
        if WEBHOOK_NONCE in match.fields:
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
        self, requests: Sequence[tuple[str, Sequence[str]]]
    ) -> list[tuple[values.FoundHead, dict[str, str]]]:
        """Return heads and fields of metadata of many matches."""
        with self._lock:
            return [self.overview(match, fields) for match, fields in requests]

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
            return self._store.lines(partition, line_number(after), limit)

    def feed_ends(self, noted: Mapping[int, values.Line]) -> values.FeedEnds:
        """Return the last line of each feed, and the partitions without their noted line."""
        store = self._store
        last: dict[int, values.Line] = {}
        missing: set[int] = set()
        with self._lock:
            for partition, feed in enumerate(store.feeds):
                if feed:
                    end = store.trimmed[partition] + len(feed)
                    [last[partition]] = store.lines(partition, end - 1)

            for partition, line in noted.items():
                is_trimmed = line_number(line[0]) <= store.trimmed[partition]
                if not is_trimmed and not store.has_line(partition, line):
                    missing.add(partition)
        return values.FeedEnds(last, frozenset(missing))

    def matches(self) -> Iterator[str]:
        """Yield the id of every match that was ever begun here."""
        with self._lock:
            lines = [line for feed in self._store.feeds for line in feed]
            trimmed = [match for names in self._store.begun for match in names]
        yield from trimmed
        for match, version, _ in lines:
            if version == 1:
                yield match

    def commit_count(self) -> int:
        """Return the number of all lines that the feeds ever had."""
        with self._lock:
            return sum(map(len, self._store.feeds)) + sum(self._store.trimmed)
