"""One match of the journal in memory: it grows, leaves for the archive and comes back."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from service.journal.errors import Conflict
from service.journal.values import MOST_THOUGHTS, Entry, Head, Last, Marker, Metadata, Whole


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
