"""The port of the journal, over one Redis server or several.

Each method only hands over to the function that does it; `service.journal.port` says what it
promises.
"""

from collections.abc import Iterator, Mapping, Sequence

from service.journal.redis import events, index, lifecycle, maintenance, work_queue
from service.journal.redis import metadata as redis_metadata
from service.journal.redis.servers import Servers, open_servers
from service.journal.redis.store import Store
from service.journal.values import (
    Appended,
    Entry,
    Epoch,
    Failure,
    FeedEnds,
    Head,
    Last,
    Line,
    Marker,
    Memory,
    Metadata,
    Pending,
    PendingTotals,
    Tail,
    Tombstone,
    Whole,
)


def open_journal(url: str, partitions: int = 256, replicas: int = 0) -> "RedisJournal":
    """Return the journal at the URL of one server, of a cluster or of Sentinels.

    It connects at first use. replicas: how many replicas must confirm each write.
    """
    return RedisJournal(open_servers(url), partitions, replicas)


class RedisJournal:
    """Streams of commits in Redis; safe to share among threads."""

    def __init__(self, servers: Servers, partitions: int, replicas: int = 0) -> None:
        self._opened = Store(servers, partitions, replicas)
        self._is_known = False

    @property
    def _store(self) -> Store:
        """The servers; before their first use the journal's layout is looked at.

        Raises JournalUnusable for that of a later release: nothing is read or written then.
        """
        if not self._is_known:
            maintenance.demand_known_layout(self._opened)
            self._is_known = True
        return self._opened

    def close(self) -> None:
        """Close all connections."""
        self._opened.close()

    # ---- commits ----------------------------------------------------------------------------

    def append(self, entry: Entry) -> Appended:
        """Append one commit."""
        return events.append(self._store, entry)

    def restore(self, entries: Sequence[Entry]) -> None:
        """Append all commits of a match that does not exist yet."""
        events.restore(self._store, entries)

    def version_made(self, match_id: str, command_id: str, fingerprint: str) -> int | None:
        """Return the version that a command id has made."""
        return events.version_made(self._store, match_id, command_id, fingerprint)

    def read(self, match_id: str, after: int = 0, limit: int | None = None) -> list[bytes]:
        """Return commits after a version."""
        return events.read(self._store, match_id, after, limit)

    def tail(self, match_id: str, after: int, field: str, limit: int | None = None) -> Tail:
        """Return commits after a version, one field of the sidecar and the head."""
        return events.tail(self._store, match_id, after, field, limit)

    def head(self, match_id: str) -> Head | None:
        """Return the head of a match."""
        return events.heads(self._store, [match_id])[0]

    def heads(self, matches: Sequence[str]) -> list[Head | None]:
        """Return the heads of many matches in one round trip."""
        return events.heads(self._store, matches)

    def overviews(
        self, asked: Sequence[tuple[str, Sequence[str]]]
    ) -> list[tuple[Head | None, dict[str, str]]]:
        """Return heads and fields of sidecars of many matches in one round trip."""
        return events.overviews(self._store, asked)

    # ---- beside the commits -----------------------------------------------------------------

    def sidecar_field(self, match_id: str, field: str) -> str | None:
        """Return one field of a match's sidecar."""
        return redis_metadata.sidecar_field(self._store, match_id, field)

    def sidecar(self, match_id: str) -> dict[str, str]:
        """Return the whole sidecar of a match."""
        return redis_metadata.sidecar(self._store, match_id)

    def put_sidecar(
        self, match_id: str, fields: Mapping[str, str | None], holds: tuple[str, str] = ("", "")
    ) -> bool:
        """Set fields of a sidecar outside any commit."""
        return redis_metadata.put_sidecar(self._store, match_id, fields, holds)

    def thoughts(self, match_id: str) -> list[bytes]:
        """Return what bots have thought in a match."""
        return redis_metadata.thoughts(self._store, match_id)

    def put_sidecar_if_missing(self, match_id: str, field: str, value: str) -> None:
        """Set a field of a sidecar outside any commit, unless it is there."""
        redis_metadata.put_sidecar_if_missing(self._store, match_id, field, value)

    def metadata(self, match_id: str) -> Metadata:
        """Return all that is kept of a match beside its commits."""
        return redis_metadata.metadata(self._store, match_id)

    def snapshot(self, match_id: str) -> bytes | None:
        """Return the stored snapshot of a match."""
        return redis_metadata.snapshot(self._store, match_id)

    def put_snapshot(self, match_id: str, data: bytes) -> None:
        """Store a snapshot of a known match."""
        redis_metadata.put_snapshot(self._store, match_id, data)

    # ---- indexes and feeds ------------------------------------------------------------------

    def pending(self, waited_ms: int, limit: int) -> list[Pending]:
        """Return matches that have waited for so long, longest first."""
        return work_queue.pending(self._store, waited_ms, limit)

    def pending_totals(self) -> PendingTotals:
        """Return how many matches wait and how many are parked, and the longest wait."""
        return work_queue.totals(self._store)

    def claim_pending(self, waited_ms: int, longest_pause_ms: int, limit: int) -> list[Pending]:
        """Return matches that are to be looked at now, each put off at once."""
        return work_queue.claim(self._store, waited_ms, longest_pause_ms, limit)

    def note_failure(self, match_id: str, error: str, pauses_ms: Sequence[int]) -> Failure | None:
        """Note a failure, and put the match off or park it."""
        return work_queue.note_failure(self._store, match_id, error, pauses_ms)

    def free_pending(self, match_id: str) -> bool:
        """Forget the failures of a match, so that it is tried again."""
        return work_queue.free(self._store, match_id)

    def forget_pending(self, matches: Sequence[str]) -> None:
        """Forget claims and failures of matches that do not wait any more."""
        work_queue.forget(self._store, matches)

    def listing(
        self, status: str, before: tuple[int, str] | None, limit: int, game: str = ""
    ) -> list[tuple[int, str]]:
        """Return (listed, match) of public matches, newest first."""
        return index.listing(self._store, status, before, limit, game)

    def written(self) -> str:
        """Return a mark of all that was written to the store."""
        return index.written(self._store)

    def listed_counts(self) -> dict[str, int]:
        """Return how many public matches there are of each status."""
        return index.listed_counts(self._store)

    def idle(self, before: int, limit: int) -> list[str]:
        """Return matches that are to be looked at by a time."""
        return index.idle(self._store, before, limit)

    def look_again(self, times: Mapping[str, int | None]) -> None:
        """Set when matches are to be looked at again."""
        index.look_again(self._store, times)

    def feed(self, partition: int, after: str, limit: int) -> list[tuple[str, str, int]]:
        """Return (id, match, version) of a partition's commits."""
        return events.feed(self._store, partition, after, limit)

    def matches(self) -> Iterator[str]:
        """Yield the id of every match that was ever begun here."""
        return events.matches(self._store)

    def commit_count(self) -> int:
        """Return how many commits were ever appended."""
        return events.commit_count(self._store)

    # ---- the epoch --------------------------------------------------------------------------

    def epoch(self) -> Epoch | None:
        """Return the epoch of the journal."""
        return lifecycle.epoch(self._store)

    def replace_epoch(self, old: Epoch | None, new: Epoch) -> bool:
        """Write a new epoch in the place of the old one."""
        return lifecycle.replace_epoch(self._store, old, new)

    def feed_ends(self, noted: Mapping[int, Line]) -> FeedEnds:
        """Return the last line of each feed, and which of the noted lines are missing."""
        return lifecycle.feed_ends(self._store, noted)

    # ---- deleted matches --------------------------------------------------------------------

    def delete(self, match_id: str, tombstone: Tombstone) -> Marker | None:
        """Delete all that is kept of a match but its tombstone."""
        return lifecycle.delete(self._store, match_id, tombstone)

    def deleted(self, match_id: str) -> Tombstone | None:
        """Return the tombstone of a deleted match."""
        return lifecycle.deleted(self._store, match_id)

    def put_tombstone(self, match_id: str, tombstone: Tombstone) -> bool:
        """Store a tombstone for an unknown match."""
        return lifecycle.put_tombstone(self._store, match_id, tombstone)

    # ---- archived matches -------------------------------------------------------------------

    def archive(self, match_id: str, marker: Marker, last: Last) -> None:
        """Let the commits of a match go, and keep a marker instead."""
        lifecycle.archive(self._store, match_id, marker, last)

    def unarchive(self, match_id: str, marker: Marker, whole: Whole) -> None:
        """Put the commits of an archived match back."""
        lifecycle.unarchive(self._store, match_id, marker, whole)

    def archived(self, match_id: str) -> Marker | None:
        """Return the marker of an archived match."""
        return lifecycle.archived(self._store, match_id)

    def all_archived(self) -> Iterator[tuple[str, Marker]]:
        """Yield every archived match with its marker."""
        return lifecycle.all_archived(self._store)

    # ---- the server -------------------------------------------------------------------------

    def memory(self) -> Memory:
        """Return how much memory Redis has in use, and its bound."""
        return maintenance.memory(self._store)

    def check(self) -> list[str]:
        """Return what is unsafe about the configuration of Redis."""
        return maintenance.check(self._store)

    def upgrade(self) -> int:
        """Add to a journal of an earlier release what it lacks."""
        return maintenance.upgrade(self._store)

    def ping(self) -> None:
        """Raise JournalUnavailable if Redis cannot be written."""
        maintenance.ping(self._store)
