"""The values of a journal's requests and replies.

All times are milliseconds since the epoch.
"""

import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from service.record.commit import canonical
from service.store.journal.errors import ArchiveDamaged, ChainBroken, HeadDamaged, KeyReused

STATUSES = ("open", "running", "ended", "aborted")
ENDED = ("ended", "aborted")
VISIBILITIES = ("public", "private")

MOST_THOUGHTS = 1024 * 1024  # bytes of all stored thoughts of bots in a match

# Command ids, each with its version and the fingerprint of its command.
Ids = Mapping[str, tuple[int, str]]


@dataclass(frozen=True, slots=True)
class Head:
    """The summary of a match, without its stream.

    hash: hash of the last commit, in hex.
    status: one of STATUSES.
    awaiting: the part of the service to act next: "house", "bots", "exhibition" (bots of a match
        without humans), "" for none. Scripts and backups name this field `work`.
    waiting: the seats that may act, of humans and of bots.
    created, updated: times of the first and of the last commit.
    imported: time of the import, 0 for a match that was played here.
    """

    version: int
    hash: str
    status: str
    awaiting: str
    waiting: tuple[int, ...]
    game: str
    visibility: str
    created: int
    updated: int
    imported: int = 0

    def __post_init__(self) -> None:
        if self.status not in STATUSES:
            choices = ", ".join(STATUSES)
            raise ValueError(f"the status is {self.status!r}, but must be one of {choices}")

    @property
    def final(self) -> bool:
        """True if no commit can follow: the match has ended and is revealed (M9)."""
        return self.status in ENDED and not self.awaiting

    @property
    def listed(self) -> int:
        """The time that orders the match in lists.

        For an imported match this is the time of the import, since its record may have any times.
        """
        return self.imported or self.created


# A head among many. None for an unknown match.
FoundHead = Head | HeadDamaged | None


def undamaged(head: FoundHead) -> Head | None:
    """Return a head, or raise the HeadDamaged in its place."""
    if isinstance(head, HeadDamaged):
        raise head
    return head


@dataclass(frozen=True, slots=True)
class Entry:
    """One commit to append, and the changes that belong to it.

    expected: the version of the match before the commit.
    prev: the hash of the commit before, "" for the first.
    head: the match's head after the commit.
    command_id, fingerprint: a repeated id is answered with its first commit, or refused if its
        fingerprint differs. An empty id is not stored.
    metadata: fields to set in the match's metadata. None deletes a field.
    precondition: a field of the metadata and its required value. The commit is refused with
        Conflict if the value differs. ("", "") for no condition.
    thought: a bot's thoughts on the move: a line of JSON without its line feed, b"" for none. The
        line is stored beside the commits, as long as all thoughts of the match take no more than
        MOST_THOUGHTS.
    deadline: next time of the match's timer CLOCK: a run-out, a lapse, or the end of a rest of its
        bots. 0: the timer is cancelled. None: the timer stays as it is.
    is_resting: True if bots rest. The match is not pending after the commit, until it is roused.
    """

    match: str
    expected: int
    prev: str
    commit_bytes: bytes
    head: Head
    command_id: str = ""
    fingerprint: str = ""
    metadata: Mapping[str, str | None] = field(default_factory=dict)
    precondition: tuple[str, str] = ("", "")
    thought: bytes = b""
    deadline: int | None = None
    is_resting: bool = False


@dataclass(frozen=True, slots=True)
class Appended:
    """The version of a command's commit.

    repeated: True if an earlier append of the same command id made it.
    """

    version: int
    repeated: bool


@dataclass(frozen=True, slots=True)
class Pending:
    """A match that waits for the house or for a bot.

    waited: length of the wait in milliseconds by the store's own clock, at least 0.
    tries: number of failures since the last commit.
    error: type of the last error, "" for none.
    parked: True if nothing more is tried until the operator frees the match or a commit is made.
    """

    match: str
    waited: int
    tries: int = 0
    error: str = ""
    parked: bool = False


class PendingTotals(NamedTuple):
    """The numbers of waiting and of parked matches, and the longest wait.

    longest_wait: in milliseconds, 0 if none waits. Parked matches count only as parked.
    """

    waiting: int
    parked: int
    longest_wait: int


# Kinds of timers, under their stored names. A match may have one of each. workers/app.py names the
# handlers.
CLOCK = "clock"  # set by a commit (`Entry.deadline`)
HOOK = "hook"  # due with each commit, if the metadata has the field WEBHOOK_NONCE
TIMER_KINDS = (CLOCK, HOOK)


class Timer(NamedTuple):
    """A due timer of a match, claimed by one caller.

    kind: one of TIMER_KINDS.   due: time of the timer, by the store's own clock.
    claimed_until: end of the lease. After that another caller may claim the timer.
    """

    kind: str
    match: str
    due: int
    claimed_until: int


class Gap(NamedTuple):
    """A time without beats: from the last beat before the gap to the first beat after the gap."""

    start: int
    end: int


class Beat(NamedTuple):
    """The store's reply to a beat.

    time: by the store's own clock.   gaps: the latest gaps, oldest first.
    set_back_ms: size of a set-back of the clock since the last beat (SetBacks), 0 for none.
    """

    time: int
    gaps: tuple[Gap, ...]
    set_back_ms: int = 0


class SetBacks(NamedTuple):
    """Set-backs of the store's clock by more than the shortest gap.

    times: number of set-backs.
    ahead_until: time of the last beat before the last set-back, 0 without any.
    """

    times: int
    ahead_until: int


class Failure(NamedTuple):
    """The number of a match's failures since its last commit, and True if it is parked."""

    tries: int
    parked: bool


@dataclass(frozen=True, slots=True)
class Tombstone:
    """The remains of a deleted match: the time of its deletion and the operator.

    visibility: visibility of the match, one of VISIBILITIES, "" if unknown.
    """

    at: int
    by: str
    visibility: str = ""


@dataclass(frozen=True, slots=True)
class Marker:
    """The journal's data of an archived match, in place of its commits.

    sha256, size: of the file of the packed match, in hex and in bytes.
    commits: number of commits. An archived match gets no more.
    stored: bytes of the commits before packing.   at: time of the archiving.
    """

    sha256: str
    size: int
    commits: int
    stored: int
    at: int


FoundMarker = Marker | ArchiveDamaged


class Last(NamedTuple):
    """The end of a match: the hash of its last commit, and the number of its command ids."""

    hash: str
    ids: int


@dataclass(frozen=True, slots=True)
class Whole:
    """The archived data of a match: command ids, and commits and thoughts, oldest first."""

    commits: list[bytes]
    ids: Ids
    thoughts: list[bytes] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Metadata:
    """The data of a match beside its commits, at one moment. Snapshot and marker are left out.

    head: None for an unknown or deleted match.
    ids: each command id with its version and the fingerprint of its command.
    tombstone: None for a match that was not deleted.
    thoughts: thoughts of bots, each a line of JSON, oldest first.
    """

    head: Head | None
    ids: Ids
    fields: Mapping[str, str]
    tombstone: Tombstone | None
    thoughts: list[bytes] = field(default_factory=list)


class Memory(NamedTuple):
    """The memory of a store in use and its bound, in bytes. 0 if unknown or unbounded."""

    used: int
    bound: int


class Tail(NamedTuple):
    """Commits of a match after a version, one field of its metadata, and its head.

    A missing field or head is None.
    """

    commits: list[bytes]
    value: str | None
    head: Head | None


# A line of a feed: its id, and the match and version of its commit.
Line = tuple[str, str, int]


@dataclass(frozen=True, slots=True)
class FeedEnds:
    """The ends of the feeds, by the numbers of their partitions.

    last: the last line of each feed that has any, unless it is damaged.
    missing: the partitions with a feed that lacks its noted line. A damaged or trimmed line is not
        missing.
    """

    last: Mapping[int, Line]
    missing: frozenset[int]


class Cursor(NamedTuple):
    """The last line of a partition's feed that the sequencer has handled.

    id, match, version: of that line. An empty id is the beginning of the feed.
    doubtful: True if the feed has gone back, so that the next commits may be in the log already.
    """

    id: str = ""
    match: str = ""
    version: int = 0
    doubtful: bool = False


@dataclass(frozen=True, slots=True)
class FeedNews:
    """New lines of the feeds.

    lines: (partition, line), in the order of each feed, without damaged ones.
    missing: the partitions with a feed that lacks the line named by its cursor.
    """

    lines: list[tuple[int, Line]]
    missing: frozenset[int]


@dataclass(frozen=True, slots=True)
class Order:
    """The state of the order of the log (`OrderPort`).

    size: number of decided lines.
    base: position of the first line stored in the order. Earlier lines are in the log's files.
    published: size of the checkpoint.   checkpoint: a signed note, b"" before the first.
    cosigned: the newest checkpoint signed by enough witnesses, b"" before the first.
    cosigned_size: size of the cosigned checkpoint.
    key: verifier key of the checkpoint, "" before the first.
    generation: the journal's generation when lines were last decided.
    cursors: the last sequenced line of each partition.
    stopped: reason of a standstill of the log, "" for none.
    """

    size: int = 0
    base: int = 0
    published: int = 0
    checkpoint: bytes = b""
    key: str = ""
    generation: str = ""
    cursors: Mapping[int, Cursor] = field(default_factory=dict)
    stopped: str = ""
    cosigned: bytes = b""
    cosigned_size: int = 0


BUNDLE = 256  # lines of the log in one file


def first_kept(published: int) -> int:
    """Return the position after all full bundles of a log of this size."""
    return published - published % BUNDLE


def place_of(line_id: str) -> tuple[int, ...]:
    """Return the sort key of the id of a feed's line."""
    return tuple(map(int, line_id.split("-")))


@dataclass(frozen=True, slots=True)
class GoneBack:
    """A loss of commits from the journal.

    had, noted: number of commits before the loss as far as noted, and the time of the note.
    has, noticed: number of commits when the loss was noticed, and that time.
    """

    had: int
    noted: int
    has: int
    noticed: int


@dataclass(frozen=True, slots=True)
class Generation:
    """The identity of a journal since its last loss, exchange or restore (journal_watch.py).

    id: random.
    since: beginning of the generation.
    superseded: ids of earlier generations, oldest first, the latest 100.
    gone_back: the last loss. None without one, or once an operator has accepted the loss.
    """

    id: str
    since: int
    superseded: tuple[str, ...] = ()
    gone_back: GoneBack | None = None


def check_consecutive(entries: Sequence[Entry]) -> None:
    """Raise ChainBroken unless the entries are the first commits of one match, in their order."""
    match = entries[0].match
    prev = ""

    for version, entry in enumerate(entries):
        follows = entry.match == match and entry.expected == version and entry.prev == prev
        if not follows:
            raise ChainBroken(f"commit {version + 1} does not follow the one before it")

        prev = entry.head.hash


def made_by(ids: Ids, command_id: str, fingerprint: str) -> int | None:
    """Return the version of a command id, None for an unknown one. Raises KeyReused."""
    if command_id not in ids:
        return None
    version, first_fingerprint = ids[command_id]
    if fingerprint != first_fingerprint:
        raise KeyReused(command_id)
    return version


@dataclass(frozen=True, slots=True)
class Range:
    """The commits after version `after` up to version `until`, which is included.

    closed: True if nothing will ever be added to the range: it ends at a requested version that
        exists, or a commit after it exists.
    start: the version before all requested commits. `after` is greater if the caller has read some
        of them.
    """

    after: int
    until: int
    closed: bool
    start: int = 0


def fingerprint(request: object, key: bytes = b"") -> str:
    """Return a digest to distinguish requests with the same idempotency key.

    The digest is stored with the match.

    request: JSON values.
    key: the server's secret if the request has a name. By a digest without a secret the name could
        be guessed.
    """
    return hmac.digest(key, canonical(request), "sha256").hex()[:32]
