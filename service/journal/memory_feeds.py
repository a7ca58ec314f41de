"""The feeds of the journal in memory, and its epoch: by both it shows that it has gone back.

`service.journal.port` says what each method promises. The journal calls them behind its lock.
"""

from collections.abc import Mapping

from service.journal.keys import partition_of
from service.journal.values import Epoch, FeedEnds, Line


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
