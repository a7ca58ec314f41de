"""What a journal is: the port that Redis and the in-memory fake implement and one conformance suite checks."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

STATUSES = ("open", "running", "finished", "aborted")


class JournalError(Exception):
    """The root of all that a journal may raise."""


class Conflict(JournalError):
    """The match is not at the expected version; `version` is where it is (0: there is no such match)."""

    def __init__(self, version: int) -> None:
        super().__init__(f"the match is at version {version}")
        self.version = version


class Deleted(Conflict):
    """The match was deleted by the operator; its id is never used again."""

    def __init__(self) -> None:
        super().__init__(0)


class KeyReused(JournalError):
    """The command id was used before with another body (another fingerprint)."""


class ChainBroken(JournalError):
    """The commit does not name the hash of its predecessor."""


class JournalUnavailable(JournalError):
    """The journal cannot be reached or is not safely configured; nothing was appended as far as is known."""


class JournalFull(JournalUnavailable):
    """The store has no memory left: it refuses what would add to it, and still answers questions."""


@dataclass(frozen=True, slots=True)
class Head:
    """What is known of a match without reading its stream.

    hash: of the last commit, hex.   status: open, running, finished or aborted.
    work: who of the service must act: "house", "bots", "exhibition" (bots among whom no human sits) or "" (nobody).
    waiting: the human and bot seats that may act.
    created, updated: milliseconds since the epoch of the first and the last commit.
    imported: milliseconds since the epoch when its record was taken in, 0 for a match that was played here.
    """

    version: int
    hash: str
    status: str
    work: str
    waiting: tuple[int, ...]
    game: str
    visibility: str
    created: int
    updated: int
    imported: int = 0

    def __post_init__(self) -> None:
        if self.status not in STATUSES:
            raise ValueError(
                f"the status is {self.status!r}; it must be one of {', '.join(STATUSES)}"
            )

    @property
    def listed(self) -> int:
        """The time by which lists order the match, in milliseconds since the epoch.

        An imported match stands where its import belongs: the times in its record are whatever its maker wrote.
        """
        return self.imported or self.created


@dataclass(frozen=True, slots=True)
class Entry:
    """One commit to be appended: `commit_bytes` is what is stored, `prev` the hash of its predecessor ("" for the first).

    command_id, fingerprint: a repeated id is answered with the commit it made, or refused if the fingerprint differs;
    an empty id is never remembered.   sidecar: fields to set (None: to delete) in the match's sidecar, atomically.
    holds: a field of the sidecar ("" for none) and what it must hold, or the commit is refused with Conflict.
    """

    match: str
    expected: int
    prev: str
    commit_bytes: bytes
    head: Head
    command_id: str = ""
    fingerprint: str = ""
    sidecar: Mapping[str, str | None] = field(default_factory=dict)
    holds: tuple[str, str] = ("", "")


@dataclass(frozen=True, slots=True)
class Appended:
    """The version that a command has made; repeated: it had been made by an earlier append of the same id."""

    version: int
    repeated: bool


@dataclass(frozen=True, slots=True)
class Pending:
    """A match that waits for the house or for a bot, since a time in milliseconds since the epoch."""

    match: str
    since: int


@dataclass(frozen=True, slots=True)
class Tombstone:
    """What stays of a deleted match: when it was deleted, in milliseconds since the epoch, and by whom."""

    at: int
    by: str


@dataclass(frozen=True, slots=True)
class Metadata:
    """All that is kept of a match beside its commits, at one moment.

    head: None for a match that is not there.   tombstone: None for one that was not deleted.
    ids: command ids, each with the version that it made and the fingerprint of its command.   sidecar: the sidecar.
    """

    head: Head | None
    ids: Mapping[str, tuple[int, str]]
    sidecar: Mapping[str, str]
    tombstone: Tombstone | None


class Memory(NamedTuple):
    """The memory that a store has in use, and the most that it may use; in bytes, 0: no bound, or none is known."""

    used: int
    bound: int


class Tail(NamedTuple):
    """The last commits of a match, one field of its sidecar, and its head (None for an unknown match)."""

    commits: list[bytes]
    value: str | None
    head: Head | None


def check_whole(entries: Sequence[Entry]) -> None:
    """Raise ChainBroken unless the entries are the first commits of one match, each upon its predecessor."""
    prev = ""
    for number, entry in enumerate(entries):
        if (entry.match, entry.expected, entry.prev) != (entries[0].match, number, prev):
            raise ChainBroken(f"commit {number + 1} does not follow the one before it")
        prev = entry.head.hash


class Journal(Protocol):
    """Streams of commits, one a match; version n is the n-th entry."""

    def append(self, entry: Entry) -> Appended:
        """Append one commit atomically, or raise Conflict, KeyReused or ChainBroken and change nothing.

        A first commit under the id of a deleted match is refused with Deleted, which is a Conflict.
        """
        ...

    def restore(self, entries: Sequence[Entry]) -> None:
        """Append all commits of a match that does not exist yet, all or none.

        Raises Conflict if it exists, Deleted if it was deleted, ChainBroken.
        """
        ...

    def version_made(self, match: str, command_id: str, fingerprint: str) -> int | None:
        """Return the version that a command id has made, None if unknown; raises KeyReused."""
        ...

    def read(self, match: str, after: int = 0, limit: int | None = None) -> list[bytes]:
        """Return the commits after a version, oldest first, at most `limit`; [] for an unknown match."""
        ...

    def tail(self, match: str, after: int, field: str, limit: int | None = None) -> Tail:
        """Return `read(match, after, limit)`, one field of the sidecar and the head in one round trip.

        The head is looked at first: commits that are made meanwhile may lead beyond it, never fall short of it.
        """
        ...

    def head(self, match: str) -> Head | None:
        """Return the head of a match, None for an unknown one."""
        ...

    def heads(self, matches: Sequence[str]) -> list[Head | None]:
        """Return the heads of many matches in one round trip."""
        ...

    def overviews(
        self, asked: Sequence[tuple[str, Sequence[str]]]
    ) -> list[tuple[Head | None, dict[str, str]]]:
        """Return the heads of many matches and some fields of their sidecars in one round trip.

        asked: each match with its fields. A field that is not there is left out.
        """
        ...

    def sidecar_field(self, match: str, field: str) -> str | None:
        """Return one field of the match's sidecar (names, hashes of tokens)."""
        ...

    def sidecar(self, match: str) -> dict[str, str]:
        """Return the whole sidecar of a match."""
        ...

    def put_sidecar(
        self, match: str, fields: Mapping[str, str | None], holds: tuple[str, str] = ("", "")
    ) -> bool:
        """Set (None: delete) fields of the sidecar outside any commit, if a field still holds a value ("": any).

        Return whether it does; raise Conflict(0) for an unknown match.
        """
        ...

    def put_sidecar_if_missing(self, match: str, field: str, value: str) -> None:
        """Set a field of a match's sidecar outside any commit, unless it is there; nothing for an unknown match."""
        ...

    def pending(self, before: int, limit: int) -> list[Pending]:
        """Return at most `limit` matches that have waited since before a time (ms), oldest first."""
        ...

    def pending_count(self) -> int:
        """Return how many matches wait for the house or a bot."""
        ...

    def listing(
        self, status: str, before: tuple[int, str] | None, limit: int, game: str = ""
    ) -> list[tuple[int, str]]:
        """Return (listed, match) of public matches, newest first, strictly after the cursor `before`.

        status: one of open, running, finished, aborted, or "" for all.   game: its key, or "" for all.
        listed: as in `Head`.
        """
        ...

    def idle(self, before: int, limit: int) -> list[str]:
        """Return at most `limit` matches that are to be looked at by a time (ms, inclusive), the longest due first.

        A match that is not ended is due from its first commit on, until `look_again` puts it off.
        """
        ...

    def look_again(self, times: Mapping[str, int | None]) -> None:
        """Set when matches are to be looked at again (ms); None: never."""
        ...

    def delete(self, match: str, tombstone: Tombstone) -> None:
        """Delete all that is kept of a match but the tombstone; its id is never used again.

        Raises Conflict for an unknown match, Deleted for one that was deleted before.
        """
        ...

    def deleted(self, match: str) -> Tombstone | None:
        """Return what stays of a deleted match, None for any other."""
        ...

    def feed(self, partition: int, after: str, limit: int) -> list[tuple[str, str, int]]:
        """Return (id, match, version) of a partition's commits in order of commit; after "" from the start."""
        ...

    def matches(self) -> Iterator[str]:
        """Yield the id of every match that was ever begun here, deleted ones too, each once.

        What was begun before the first id is asked for is never missing; what is begun later may be.
        """
        ...

    def commit_count(self) -> int:
        """Return how many commits were ever appended, those of deleted matches too."""
        ...

    def metadata(self, match: str) -> Metadata:
        """Return all that is kept of a match beside its commits, at one moment.

        Commits are never changed: those up to the head's version, read later, belong to the same moment.
        """
        ...

    def put_tombstone(self, match: str, tombstone: Tombstone) -> bool:
        """Lay a tombstone for a match that is not there, so that its id is never used; return whether that was done.

        A match that is there, or has a tombstone, stays as it is.
        """
        ...

    def listed_counts(self) -> dict[str, int]:
        """Return how many public matches there are of each status."""
        ...

    def memory(self) -> Memory:
        """Return how much memory the store has in use, and its bound."""
        ...

    def snapshot(self, match: str) -> bytes | None:
        """Return the stored snapshot, if any."""
        ...

    def put_snapshot(self, match: str, data: bytes) -> None:
        """Store a snapshot of a match that there is; it may be lost at any time."""
        ...

    def check(self) -> list[str]:
        """Return what is unsafe about the store's configuration, a sentence each; [] if all is well."""
        ...

    def upgrade(self) -> int:
        """Add to a journal of an earlier release what it lacks; return how many matches were looked at.

        It is done once for each journal. Doing it again, or while others append, does no harm.
        """
        ...

    def ping(self) -> None:
        """Raise JournalUnavailable if the store cannot be written."""
        ...
