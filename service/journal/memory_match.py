"""One match of the journal in memory, and how its commits leave for the archive and come back."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from service.journal.errors import Conflict
from service.journal.values import MOST_THOUGHTS, Head, Last, Marker, Whole


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

    def think(self, thought: bytes) -> None:
        """Keep what a bot has thought, if there is any and there is room."""
        kept = sum(len(line) + 1 for line in self.thoughts)
        if thought and kept + len(thought) + 1 <= MOST_THOUGHTS:
            self.thoughts.append(thought)

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
        if not (self.head.final and ends_alike and len(self.commits) == marker.commits):
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
