"""Commits of matches, and the feeds that name them in their order."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from service.store.journal import values


class EventsPort(Protocol):
    """The commits of matches, and the feeds that name them in the order they were made."""

    def append(self, entry: values.Entry) -> values.Appended:
        """Append one commit, or change nothing and raise Conflict, KeyReused or ChainBroken.

        A first commit under the id of a deleted match is refused with Deleted, a kind of Conflict.
        """
        ...

    def restore(self, entries: Sequence[values.Entry]) -> None:
        """Append all commits of a match that does not exist yet, all or none.

        Raises Conflict for an existing match, HeadDamaged for one with a damaged head, Deleted for
        a deleted one, ChainBroken for commits that do not follow each other.
        """
        ...

    def version_made(self, match_id: str, command_id: str, fingerprint: str) -> int | None:
        """Return the version of a command id, None for an unknown one.

        Raises KeyReused if the command had another fingerprint.
        """
        ...

    def read(self, match_id: str, after: int = 0, limit: int | None = None) -> list[bytes]:
        """Return at most `limit` commits after a version, oldest first.

        [] for an unknown match.
        """
        ...

    def tail(self, match_id: str, after: int, field: str, limit: int | None = None) -> values.Tail:
        """Return `read(match, after, limit)`, one field of the metadata and the head at once.

        The head is read first, so commits made meanwhile may be among the returned ones. Raises
        HeadDamaged.
        """
        ...

    def head(self, match_id: str) -> values.Head | None:
        """Return the head of a match, None for an unknown one. Raises HeadDamaged."""
        ...

    def heads(self, matches: Sequence[str]) -> list[values.FoundHead]:
        """Return the heads of many matches, in the order asked.

        HeadDamaged takes the place of a damaged head.
        """
        ...

    def overview(
        self, match_id: str, fields: Sequence[str]
    ) -> tuple[values.Head | None, dict[str, str]]:
        """Return the head of a match with some fields of its metadata. Raises HeadDamaged."""
        ...

    def overviews(
        self, requests: Sequence[tuple[str, Sequence[str]]]
    ) -> list[tuple[values.FoundHead, dict[str, str]]]:
        """Return the heads of many matches as `heads` does, each with fields of its metadata.

        requests: each match with its fields. Missing fields are left out.
        """
        ...

    def feed(self, partition: int, after: str, limit: int) -> list[tuple[str, str, int]]:
        """Return (id, match, version) of a partition's commits, in the order they were made.

        Lines that were trimmed are left out (`OrderPort.trim`).
        after: the id of the last line seen, "" for the start.
        """
        ...

    def feed_ends(self, noted: Mapping[int, values.Line]) -> values.FeedEnds:
        """Return the last line of each feed, and the partitions without their noted line.

        noted: a line for some of the partitions.
        """
        ...

    def matches(self) -> Iterator[str]:
        """Yield the id of every match that was ever begun here, deleted ones too, each once.

        A match that begins after the first id was requested may be missing.
        """
        ...

    def commit_count(self) -> int:
        """Return the number of all commits ever appended, those of deleted matches too.

        Each tombstone of `LifecyclePort.put_tombstone` counts as a commit.
        """
        ...
