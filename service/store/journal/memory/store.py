"""The dictionaries behind the ports, and their lock."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from service.store.journal import values
from service.store.journal.errors import Conflict
from service.store.journal.keys import partition_of


@dataclass(slots=True)
class MemoryMatch:
    """All data of one match. Fields named as in `Metadata` have the same meaning.

    marker: marker of an archived match. Its commits are not here.
    """

    head: values.Head
    commits: list[bytes] = field(default_factory=list)
    ids: dict[str, tuple[int, str]] = field(default_factory=dict)
    fields: dict[str, str] = field(default_factory=dict)
    marker: values.Marker | None = None
    thoughts: list[bytes] = field(default_factory=list)
    snapshot: bytes | None = None

    def add(self, entry: values.Entry) -> int:
        """Add a commit and its changes. Return its version."""
        self.head = entry.head
        self.commits.append(entry.commit_bytes)
        version = len(self.commits)

        if entry.command_id:
            self.ids[entry.command_id] = (version, entry.fingerprint)
        self.change(entry.metadata)
        self._think(entry.thought)
        return version

    def change(self, fields: Mapping[str, str | None]) -> None:
        """Set fields of the metadata. None deletes a field."""
        for name, value in fields.items():
            if value is None:
                self.fields.pop(name, None)
            else:
                self.fields[name] = value

    def archive(self, marker: values.Marker, last: values.Last) -> None:
        """Replace the commits by a marker.

        Raises Conflict unless the match is final and as it was packed.
        """
        ends_alike = self.head.hash == last.hash and len(self.ids) == last.ids
        # An archived match has commits by its head, and none here.
        is_whole = len(self.commits) == self.head.version == marker.commits
        if not (self.head.final and ends_alike and is_whole):
            raise Conflict(self.head.version)

        self.marker = marker
        self.snapshot = None
        self.commits.clear()
        self.ids.clear()
        self.thoughts.clear()

    def unarchive(self, marker: values.Marker, whole: values.Whole) -> None:
        """Restore the commits in place of the marker. Raises Conflict for another or no marker."""
        if self.marker != marker:
            raise Conflict(self.head.version)

        self.marker = None
        self.commits.extend(whole.commits)
        self.ids.update(whole.ids)
        self.thoughts.extend(whole.thoughts)

    def _think(self, thought: bytes) -> None:
        """Store a bot's thought, if there is any and there is room."""
        if not thought:
            return
        stored_bytes = sum(len(line) + 1 for line in self.thoughts)
        if stored_bytes + len(thought) + 1 <= values.MOST_THOUGHTS:
            self.thoughts.append(thought)


@dataclass(frozen=True, slots=True)
class Wait:
    """The wait of a match.

    since: start of the wait.   again: time of the next look, None before the first or if parked.
    tries: number of failures.   error: type of the last error.
    """

    since: int
    again: int | None = None
    tries: int = 0
    error: str = ""
    parked: bool = False


class MemoryStore:
    """The dictionaries of all ports.

    feeds: a list of (match, version, time) for each partition. The id of a line is its time and its
        number, so lines added after the journal has gone back have other ids.
    trimmed: number of lines trimmed from each feed.   begun: the matches with a trimmed first line.
    idle: time of the next look at each match.   waits: matches that wait for the house or a bot.
    timers: due times, by kind and match.
    last_beat, gaps: time of the last beat, and times without beats.
    set_backs: set-backs of the clock found by beats.
    """

    def __init__(self, partitions: int, clock: Callable[[], int]) -> None:
        self.clock = clock
        self.lock = threading.RLock()
        self.matches: dict[str, MemoryMatch] = {}
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

    def get(self, match_id: str) -> MemoryMatch | None:
        """Return a match, None for an unknown one."""
        return self.matches.get(match_id)

    def known(self, match_id: str) -> MemoryMatch:
        """Return a match. Raises Conflict for an unknown one."""
        match = self.get(match_id)
        if match is None:
            raise Conflict(0)
        return match

    def add_to_feed(self, match_id: str, version: int) -> None:
        """Note a commit."""
        partition = partition_of(match_id, len(self.feeds))
        self.feeds[partition].append((match_id, version, self.clock()))

    def lines(self, partition: int, after: int, limit: int | None = None) -> list[values.Line]:
        """Return lines that are still in a feed, after a line's number. The first line is 1."""
        trimmed = self.trimmed[partition]
        start = max(after, trimmed)
        rest = self.feeds[partition][start - trimmed :][:limit]
        return [
            (f"{time}-{number}", match, version)
            for number, (match, version, time) in enumerate(rest, start + 1)
        ]

    def has_line(self, partition: int, line: values.Line) -> bool:
        """Return True if a line is still in a feed."""
        return self.lines(partition, line_number(line[0]) - 1, 1) == [line]


def line_number(line_id: str) -> int:
    """Return the number of a line, 0 for the empty id before all lines."""
    return int(line_id.rpartition("-")[2] or 0)


class MemoryPort:
    """One port over the store, with the lock of the store."""

    def __init__(self, store: MemoryStore) -> None:
        self._store = store
        self._lock = store.lock
