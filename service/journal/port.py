"""The journal: eight small ports over one store of matches.

Redis and the store in memory implement them, and one suite of tests holds for both. Times are
milliseconds since the epoch.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from service.journal import values


class EventsPort(Protocol):
    """The commits of matches, and the feeds that name them in the order they were made."""

    def append(self, entry: values.Entry) -> values.Appended:
        """Append one commit, or change nothing and raise Conflict, KeyReused or ChainBroken.

        A first commit under the id of a deleted match is refused with Deleted, which is a Conflict.
        """
        ...

    def restore(self, entries: Sequence[values.Entry]) -> None:
        """Append all commits of a match that does not exist yet, all or none.

        Raises Conflict for a match that exists, Deleted for one that was deleted, ChainBroken for
        commits that do not follow each other.
        """
        ...

    def version_made(self, match_id: str, command_id: str, fingerprint: str) -> int | None:
        """Return the version that a command id has made, None for an unknown one.

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

        The head is looked at first. Commits made meanwhile may be among those returned. Raises
        HeadDamaged.
        """
        ...

    def head(self, match_id: str) -> values.Head | None:
        """Return the head of a match, None for an unknown one. Raises HeadDamaged."""
        ...

    def heads(self, matches: Sequence[str]) -> list[values.FoundHead]:
        """Return the heads of many matches, in the order asked.

        One that cannot be read stops no other: HeadDamaged stands in its place.
        """
        ...

    def overview(
        self, match_id: str, fields: Sequence[str]
    ) -> tuple[values.Head | None, dict[str, str]]:
        """Return the head of a match with some fields of its metadata. Raises HeadDamaged."""
        ...

    def overviews(
        self, asked: Sequence[tuple[str, Sequence[str]]]
    ) -> list[tuple[values.FoundHead, dict[str, str]]]:
        """Return the heads of many matches as `heads` does, each with fields of its metadata.

        asked: each match with its fields. A field that is not there is left out.
        """
        ...

    def feed(self, partition: int, after: str, limit: int) -> list[tuple[str, str, int]]:
        """Return (id, match, version) of a partition's commits, in the order they were made.

        Lines that were trimmed are left out (`OrderPort.trim`).
        after: the id of the last line seen, "" for the start.
        """
        ...

    def feed_ends(self, noted: Mapping[int, values.Line]) -> values.FeedEnds:
        """Return the last line of each partition's feed, and which of the noted lines are missing.

        noted: a line for some of the partitions.
        """
        ...

    def matches(self) -> Iterator[str]:
        """Yield the id of every match that was ever begun here, deleted ones too, each once.

        A match that begins after the first id is asked for may be missing.
        """
        ...

    def commit_count(self) -> int:
        """Return how many commits were ever appended, those of deleted matches too."""
        ...


class IndexPort(Protocol):
    """Matches found by what they are: public ones by status and game, idle ones by time."""

    def listing(
        self, status: str, before: tuple[int, str] | None, limit: int, game: str = ""
    ) -> list[tuple[int, str]]:
        """Return (listed, match) of public matches before a cursor, newest first.

        status: one of STATUSES, or "" for all.
        before: the last (listed, match) seen, None for the start.
        game: its key, or "" for all.
        """
        ...

    def listed_counts(self) -> dict[str, int]:
        """Return how many public matches there are of each status."""
        ...

    def written(self) -> str:
        """Return a fingerprint of all that was written; an equal one says: nothing since.

        "" where the store does not know.
        """
        ...

    def idle(self, before: int, limit: int) -> list[str]:
        """Return at most `limit` matches to be looked at by a time, inclusive, first due first.

        A match that has not ended is due from its first commit on, until `look_again` puts it off.
        """
        ...

    def look_again(self, times: Mapping[str, int | None]) -> None:
        """Set when matches are to be looked at again; None: never."""
        ...


class PendingPort(Protocol):
    """Matches that wait for the house or for a bot."""

    def due(self, waited_ms: int, limit: int) -> list[values.Pending]:
        """Return at most `limit` matches that have waited for so long, longest first.

        Those that have failed, and those that are parked, are among them.
        """
        ...

    def totals(self) -> values.PendingTotals:
        """Return how many matches wait and how many are parked, and the longest wait."""
        ...

    def claim(self, waited_ms: int, longest_pause_ms: int, limit: int) -> list[values.Pending]:
        """Return at most `limit` matches that are to be looked at now, each put off at once.

        waited_ms: a match is to be looked at when it has waited for so long, then again after
        pauses as long as it has waited, at least `waited_ms` and at most `longest_pause_ms`.
        A match that has failed is to be looked at when its pause is over, a parked one never.
        """
        ...

    def fail(self, match_id: str, error: str, pauses_ms: Sequence[int]) -> values.Failure | None:
        """Note that the house or a bot could not act, and put the match off or park it.

        error: the type of the error.   pauses_ms: the pause after the first failure since the last
        commit, after the second and so on, ten minutes at most; the failure after the last pause
        parks the match.
        Return None, and note nothing, if the match does not wait. Its next commit takes all back.
        """
        ...

    def free(self, match_id: str) -> bool:
        """Forget the failures of a match, so that it is tried again; return whether it had any."""
        ...

    def rouse(self, match_id: str) -> bool:
        """Have a match wait from now on that was resting (`Entry.is_resting`).

        Return True if it was, and a house or bot is awaited.
        """
        ...

    def forget(self, matches: Sequence[str]) -> None:
        """Forget claims and failures of matches that do not wait any more, as their heads say."""
        ...


class TimersPort(Protocol):
    """What is due in a match at a time: its clock runs out, or its webhooks are to be called.

    Timers are set by commits (`Entry.deadline`, and the field HOOKS of the metadata).
    """

    def beat(self, time: int, longest_ms: int) -> values.Beat:
        """Note that timers are seen to now; refused where an append would be.

        time: by the caller's clock; if the store's differs by more than `longest_ms`, nothing is
        noted.
        longest_ms: a longer time without a beat is a gap, which is noted, too. If the store's clock
        was set back by more, gaps end now at the latest, and all timers are due now.
        """
        ...

    def set_backs(self) -> values.SetBacks:
        """Return how often the clock was set back, by what beats have found."""
        ...

    def time(self) -> int:
        """Return the time by the clock that timers are due by."""
        ...

    def claim(self, leases_ms: Mapping[str, int], limit: int) -> list[values.Timer]:
        """Return timers that are due, each put off at once.

        leases_ms: for how long, by kind.   limit: of each server that holds partitions.
        """
        ...

    def settle(self, timer: values.Timer, wait_ms: int | None) -> bool:
        """Have a claimed timer due again in so many milliseconds, None for never.

        Return False, and change nothing, if a commit has set it since the claim.
        """
        ...

    def ring(self, kind: str, match_id: str) -> None:
        """Have a timer due now."""
        ...


class MetadataPort(Protocol):
    """What is kept of a match beside its commits."""

    def field(self, match_id: str, field: str) -> str | None:
        """Return one field of a match's metadata, None where it is not there."""
        ...

    def fields(self, match_id: str) -> dict[str, str]:
        """Return all fields of a match's metadata, {} for an unknown match."""
        ...

    def put(
        self,
        match_id: str,
        fields: Mapping[str, str | None],
        precondition: tuple[str, str] = ("", ""),
    ) -> bool:
        """Set fields outside any commit; None deletes a field.

        precondition: a field and the value it must hold, or nothing is changed; (field, ""): it
        must be missing or empty; ("", ""): none.
        Return whether the condition held. Raises Conflict(0) for an unknown match.
        """
        ...

    def put_if_missing(self, match_id: str, field: str, value: str) -> None:
        """Set a missing field outside any commit. An empty field is not missing.

        Nothing happens for an unknown match.
        """
        ...

    def thoughts(self, match_id: str) -> list[bytes]:
        """Return what bots have thought in a match, a line of JSON for each move, oldest first.

        [] for an unknown match. The thoughts are not in the hash chain.
        """
        ...

    def snapshot(self, match_id: str) -> bytes | None:
        """Return the stored snapshot of a match, if any."""
        ...

    def put_snapshot(self, match_id: str, data: bytes) -> None:
        """Store a snapshot of a known match; it may be lost at any time."""
        ...

    def dump(self, match_id: str) -> values.Metadata:
        """Return all that is kept of a match beside its commits, at one moment.

        Commits never change: those up to the head's version may be read later.
        """
        ...


class LifecyclePort(Protocol):
    """Matches that are deleted or archived, and the generation of the whole journal."""

    def delete(self, match_id: str, tombstone: values.Tombstone) -> values.Marker | None:
        """Delete all that is kept of a match but its tombstone; its id is never used again.

        Return the marker of an archived match, whose file is the caller's to remove. Raises
        Conflict for an unknown match, Deleted for one that was deleted before.
        """
        ...

    def deleted(self, match_id: str) -> values.Tombstone | None:
        """Return the tombstone of a deleted match, None for any other."""
        ...

    def put_tombstone(self, match_id: str, tombstone: values.Tombstone) -> bool:
        """Store a tombstone for an unknown match, so that its id is never used.

        Return whether that was done: a match that is there, or was deleted, stays as it is.
        """
        ...

    def archive(self, match_id: str, marker: values.Marker, last: values.Last) -> None:
        """Let commits, command ids, thoughts and snapshot go, and keep a marker instead.

        last: what the match must end with. Head, metadata, listing and feed stay; `read`, `tail`,
        `thoughts` and `version_made` find nothing any more, and nothing is appended. Raises
        Conflict if the match is not final, ends with something else, or is archived already.
        """
        ...

    def unarchive(self, match_id: str, marker: values.Marker, whole: values.Whole) -> None:
        """Put what has left of an archived match back, in the place of its marker.

        Raises Conflict if the match has another marker, or none.
        """
        ...

    def archived(self, match_id: str) -> values.Marker | None:
        """Return the marker of an archived match, None for any other. Raises ArchiveDamaged."""
        ...

    def all_archived(self) -> Iterator[tuple[str, values.FoundMarker]]:
        """Yield every archived match with its marker, each once.

        ArchiveDamaged stands in the place of a damaged marker.

        A match that is archived, or put back, after the first was asked for may be missing.
        """
        ...

    def generation(self) -> values.Generation | None:
        """Return the generation of the journal, None for one that was never given any."""
        ...

    def replace_generation(self, old: values.Generation | None, new: values.Generation) -> bool:
        """Write a new generation in the place of the old one; also done on a full store.

        Return whether the old one was still there.
        """
        ...


class OrderPort(Protocol):
    """The order of the log (`service.log`): which commit has which position.

    A line is what the log holds of a commit. Once it is decided, its position never changes.
    """

    def state(self, *, whole: bool = True) -> values.Order:
        """Return how far the order goes; without the cursors, if they are not wanted."""
        ...

    def settled(self) -> values.Order:
        """Return how far the order goes, once replicas have confirmed all of it."""
        ...

    def news(self, cursors: Mapping[int, values.Cursor], limit: int) -> values.News:
        """Return lines of the feeds after some cursors, once replicas have confirmed them.

        limit: of each server that holds partitions.
        """
        ...

    def decide(
        self,
        seen: values.Order,
        lines: Sequence[bytes],
        cursors: Mapping[int, values.Cursor],
        generation: str,
    ) -> bool:
        """Append lines, and set cursors and generation with them.

        Nothing changes, and the answer is False, unless the order has the size that was seen, and
        these cursors are those that were seen. If the answer is lost, that shows in the state.
        """
        ...

    def decided(self, position: int, limit: int) -> list[bytes] | None:
        """Return lines from a position on; None if the first of them is held no more."""
        ...

    def publish(self, published: int, lines: Sequence[bytes], key: str, checkpoint: bytes) -> bool:
        """Publish a checkpoint after that of the size `published`; forget lines in full bundles.

        lines: what it covers beyond that one.   key: its verifier key. Return whether that was
        done: nothing changes if another checkpoint was published meanwhile, if other lines are
        decided by now, or if the log has another key.
        """
        ...

    def cosign(self, size: int, checkpoint: bytes) -> bool:
        """Keep a published checkpoint of a size, which witnesses have signed, too.

        Return whether that was done: nothing changes if a greater one is kept.
        """
        ...

    def adopt(self, size: int, published: int, new: values.Order, lines: Sequence[bytes]) -> bool:
        """Replace the order, if it and its checkpoint have these sizes; return whether they had.

        lines: those from the base of the new one on.
        """
        ...

    def trim(self, partition: int, cursor: values.Cursor, age_ms: int, limit: int) -> int:
        """Let some of the oldest lines of a feed go that come before the line of a cursor.

        age_ms: how old they must be, at least.   limit: how many go at most. Return how many: none
        if the feed lacks the line of the cursor. What the feed is asked beside `feed` and `news` is
        answered as if they were still there.
        """
        ...

    def report(self, stopped: str) -> None:
        """Note why the log stands still, "" if it does not."""
        ...


class ServerPort(Protocol):
    """The store itself: its settings, its memory, and whether it can be written."""

    def check(self) -> list[str]:
        """Return what is unsafe about the store's configuration, a sentence each.

        Raises JournalUnusable if the store cannot hold a journal, whatever its configuration, or
        if a later release has written it.
        """
        ...

    def upgrade(self) -> int:
        """Add to a journal of an earlier release what it lacks; return how many matches it has.

        It is done once for each journal, and then returns 0. Doing it again, or while others
        append, does no harm.
        """
        ...

    def ping(self) -> None:
        """Raise JournalUnavailable if the store cannot be written."""
        ...

    def memory(self) -> values.Memory:
        """Return how much memory the store has in use, and its bound."""
        ...


def _nothing() -> None:
    """Close nothing."""


@dataclass(frozen=True, slots=True)
class Journal:
    """Streams of commits, one a match: version n is the nth commit.

    close: closes all connections.
    """

    events: EventsPort
    index: IndexPort
    pending: PendingPort
    timers: TimersPort
    metadata: MetadataPort
    lifecycle: LifecyclePort
    order: OrderPort
    server: ServerPort
    close: Callable[[], None] = _nothing
