"""The values that go into a journal and come out of it.

All times are milliseconds since the epoch.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from service.store.journal.errors import ArchiveDamaged, ChainBroken, HeadDamaged, KeyReused

STATUSES = ("open", "running", "finished", "aborted")
ENDED = ("finished", "aborted")
VISIBILITIES = ("public", "private")

MOST_THOUGHTS = 1024 * 1024  # bytes of all that is kept of what bots have thought in a match

# Command ids, each with the version that it made and the fingerprint of its command.
Ids = Mapping[str, tuple[int, str]]


@dataclass(frozen=True, slots=True)
class Head:
    """What is known of a match without reading its stream.

    hash: of the last commit, in hex.
    status: one of STATUSES.
    awaiting: who of the service must act: "house", "bots", "exhibition" (only bots sit there), "".
        Its stored name is older: `work`.
    waiting: the seats that may act, of humans and of bots.
    created, updated: times of the first and of the last commit.
    imported: when its record was taken in; 0 for a match that was played here.
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
            raise ValueError(f"the status is {self.status!r}; it must be one of {choices}")

    @property
    def final(self) -> bool:
        """True if no commit can follow: the match has ended and is revealed (M9)."""
        return self.status in ENDED and not self.awaiting

    @property
    def listed(self) -> int:
        """The time by which lists order the match.

        For an imported match it is that of its import: the times in its record are whatever the
        maker of the record wrote.
        """
        return self.imported or self.created


# One of many heads that were read together. None: there is no such match.
FoundHead = Head | HeadDamaged | None


def undamaged(head: FoundHead) -> Head | None:
    """Return a head. Raises HeadDamaged if it is none."""
    if isinstance(head, HeadDamaged):
        raise head
    return head


@dataclass(frozen=True, slots=True)
class Entry:
    """One commit to append, and what changes with it.

    expected: the version of the match before the commit.
    prev: the hash of the commit before; "" for the first.
    head: the match's head after the commit.
    command_id, fingerprint: an id that was used before is answered with the commit it made, or
        refused if its fingerprint differs. An empty id is never remembered.
    metadata: fields to set in the match's metadata; None deletes a field.
    precondition: a field of the metadata and the value it must hold, or the commit is refused with
        Conflict; ("", "") for no condition.
    thought: what a bot has thought of the move: a line of JSON without its line feed, b"" for none.
        It is kept beside the commits, as long as all thoughts of the match take no more than
        MOST_THOUGHTS.
    deadline: when the match's clock runs out; 0: it does not run; None: the match has none.
    is_resting: True if nobody works on the match before the deadline. It is pending only once it
        is roused.
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
    """The version that a command has made.

    repeated: an earlier append of the same command id had made it.
    """

    version: int
    repeated: bool


@dataclass(frozen=True, slots=True)
class Pending:
    """A match that waits for the house or for a bot.

    waited: for how many milliseconds by the store's own clock, never less than 0.
    tries: how often the work has failed since the last commit.
    error: the type of the last error, "" if there was none.
    parked: whether no more is tried until an operator says so, or the match has moved on.
    """

    match: str
    waited: int
    tries: int = 0
    error: str = ""
    parked: bool = False


class PendingTotals(NamedTuple):
    """How many matches wait, how many are parked, and how long one has waited at most.

    longest_wait: in milliseconds, 0 if none waits. The parked ones do not count for it.
    """

    waiting: int
    parked: int
    longest_wait: int


CLOCK = "clock"  # its deadline comes with a commit
HOOK = "hook"  # due with each commit of a match whose metadata has the field WEBHOOK_NONCE
# A match may have a timer of each kind. Names are stored. workers/app.py says who handles a kind.
TIMER_KINDS = (CLOCK, HOOK)


class Timer(NamedTuple):
    """Something in a match that is due, claimed by one caller.

    kind: one of TIMER_KINDS.   due: since when, by the store's own clock.
    claimed_until: then another caller is given it, unless it is settled before.
    """

    kind: str
    match: str
    due: int
    claimed_until: int


class Gap(NamedTuple):
    """A time in which nobody saw to timers: from the last beat before it to the first one after."""

    start: int
    end: int


class Beat(NamedTuple):
    """What the store says to somebody who sees to timers.

    time: by the store's own clock.   gaps: the latest ones, oldest first.
    set_back_ms: by how much that clock was set back since the last beat, 0 if it was not.
    """

    time: int
    gaps: tuple[Gap, ...]
    set_back_ms: int = 0


class SetBacks(NamedTuple):
    """How often the store's clock was set back by more than a beat's longest pause.

    ahead_until: the time that the clock had shown before it was set back last, 0 for never.
    """

    times: int
    ahead_until: int


class Failure(NamedTuple):
    """How often the work of a match has failed since its last commit, and whether it is parked."""

    tries: int
    parked: bool


@dataclass(frozen=True, slots=True)
class Tombstone:
    """What stays of a deleted match: when it was deleted, and by which operator.

    visibility: one of VISIBILITIES, as the match was; "" where it was not noted.
    """

    at: int
    by: str
    visibility: str = ""


@dataclass(frozen=True, slots=True)
class Marker:
    """What the journal keeps of a match whose commits lie in the archive.

    sha256, size: of the packed match, in hex and in bytes.
    commits: how many there are; after an archived match no commit follows.
    stored: how many bytes the commits had in the journal.   at: when they left it.
    """

    sha256: str
    size: int
    commits: int
    stored: int
    at: int


FoundMarker = Marker | ArchiveDamaged


class Last(NamedTuple):
    """What a match ends with: the hash of its last commit, and how many command ids it has."""

    hash: str
    ids: int


@dataclass(frozen=True, slots=True)
class Whole:
    """What leaves of a match for the archive: commits, command ids and thoughts, oldest first."""

    commits: list[bytes]
    ids: Ids
    thoughts: list[bytes] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Metadata:
    """All that is kept of a match beside its commits, at one moment.

    head: None for an unknown match.
    ids: each command id with the version that it made and the fingerprint of its command.
    tombstone: None for a match that was not deleted.
    thoughts: what bots have thought, a line of JSON for each move, oldest first.
    """

    head: Head | None
    ids: Ids
    fields: Mapping[str, str]
    tombstone: Tombstone | None
    thoughts: list[bytes] = field(default_factory=list)


class Memory(NamedTuple):
    """The memory that a store uses and may use at most, in bytes; 0 where nothing is known."""

    used: int
    bound: int


class Tail(NamedTuple):
    """The last commits of a match, one field of its metadata, and its head.

    The field and the head are None where they are not there.
    """

    commits: list[bytes]
    value: str | None
    head: Head | None


# A line of a feed: its id, and the match and version that it names.
Line = tuple[str, str, int]


@dataclass(frozen=True, slots=True)
class FeedEnds:
    """How far the feeds go, by the numbers of their partitions.

    last: the last line of each feed that has any, unless it is damaged.
    missing: the partitions whose noted line is not in the feed. A damaged one is there.
    """

    last: Mapping[int, Line]
    missing: frozenset[int]


class Cursor(NamedTuple):
    """Up to which line a partition's feed is sequenced.

    id, match, version: of that line; an empty id: from the beginning.
    doubtful: whether commits that follow may be in the log already, because the feed has gone back.
    """

    id: str = ""
    match: str = ""
    version: int = 0
    doubtful: bool = False


@dataclass(frozen=True, slots=True)
class FeedNews:
    """What is new in the feeds.

    lines: (partition, line), in the order of each feed, without damaged ones.
    missing: the partitions whose feed does not have the line that was known of it.
    """

    lines: list[tuple[int, Line]]
    missing: frozenset[int]


@dataclass(frozen=True, slots=True)
class Order:
    """How far the order of the log goes (`OrderPort`).

    size: how many lines are decided.
    base: the position of the first line that is still held.
    published: the size of the checkpoint.   checkpoint: a signed note, b"" before the first.
    cosigned: the newest checkpoint that enough witnesses have signed, too, b"" before the first.
    cosigned_size: its size.
    key: the verifier key that it is signed with, "" before the first.
    generation: of the journal, when lines were last decided.
    cursors: up to where each partition is sequenced.
    stopped: why the log stands still, "" while it does not.
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


BUNDLE = 256  # lines of the log that lie in one file


def first_kept(published: int) -> int:
    """Return the first position whose line the order keeps, if a checkpoint has a size."""
    return published - published % BUNDLE


def place_of(line_id: str) -> tuple[int, ...]:
    """Return the sort key of the id of a feed's line."""
    return tuple(map(int, line_id.split("-")))


@dataclass(frozen=True, slots=True)
class GoneBack:
    """That a journal has lost commits that it once held.

    had, has: how many commits it had when that was last noted, and how many when it was noticed.
    noted, noticed: when that was.
    """

    had: int
    noted: int
    has: int
    noticed: int


@dataclass(frozen=True, slots=True)
class Generation:
    """Which history a journal goes on with: another one each time that it has gone back.

    id: random.
    since: when it began.
    superseded: ids of generations before it, whose end is known.
    gone_back: what was lost when it began; None if nothing was, or an operator has accepted it.
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
    """Return the version that a command id has made, None if there is none; raises KeyReused."""
    if command_id not in ids:
        return None
    version, first_fingerprint = ids[command_id]
    if fingerprint != first_fingerprint:
        raise KeyReused(command_id)
    return version
