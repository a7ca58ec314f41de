"""The journal in Redis Streams (Redis 7 or Valkey): one script in one slot appends, atomically."""

import functools
import heapq
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from redis import BlockingConnectionPool, Redis
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as Unreachable
from redis.exceptions import OutOfMemoryError, RedisError, ResponseError, WatchError
from redis.exceptions import TimeoutError as Unanswered
from redis.retry import Retry

from service.journal.errors import (
    ChainBroken,
    Conflict,
    Deleted,
    JournalFull,
    JournalUnavailable,
    KeyReused,
)
from service.journal.keys import (
    HEADS,
    LAYOUT,
    PARTITIONS,
    PROBE,
    Keys,
    beside_head,
    partition_of,
    wake_channel,
)
from service.journal.packing import (
    append_arguments,
    changes,
    commits_of,
    found_fields,
    listed_member,
    read_fed,
    read_head,
    read_listed,
    read_made,
    read_tombstone,
    text_or_none,
    texts,
)
from service.journal.values import (
    STATUSES,
    Appended,
    Entry,
    Head,
    Memory,
    Metadata,
    Pending,
    Tail,
    Tombstone,
    check_consecutive,
)

P = ParamSpec("P")
R = TypeVar("R")
Method = Callable[Concatenate["RedisJournal", P], R]

_THREADS = 64
_CONNECT_SECONDS = 2
_ANSWER_SECONDS = 5
_LAYOUT = 2  # of the keys: 1 had no index of the games and none of idle matches
_SCANNED = 1000  # heads looked at in one round trip of an upgrade
_FED = 1000  # lines of a feed read in one round trip

_SETTINGS = {
    "appendonly": ("yes", "the append-only file is off, so a restart loses matches"),
    "appendfsync": (
        "always",
        "the append-only file is not synced at every write, so a crash loses accepted moves",
    ),
    "maxmemory-policy": (
        "noeviction",
        "Redis may evict keys when its memory is full, which destroys matches",
    ),
}


def open_journal(url: str, partitions: int = 256) -> "RedisJournal":
    """Return the journal at a redis://, rediss:// or unix:// URL; connects at first use."""
    return RedisJournal(connect(url), partitions)


def connect(url: str) -> Redis:
    """Return a client with a connection for each thread of the service.

    It never retries by itself, since an append is not the client's to repeat. RESP2 is asked for because its answers
    have the same shape in every release of the client that is allowed here.
    """
    pool = BlockingConnectionPool.from_url(
        url,
        max_connections=_THREADS,
        timeout=_ANSWER_SECONDS,
        socket_connect_timeout=_CONNECT_SECONDS,
        socket_timeout=_ANSWER_SECONDS,
        retry=Retry(NoBackoff(), 0),
        protocol=2,
    )
    return Redis(connection_pool=pool)


def _told(method: Method[P, R]) -> Method[P, R]:
    """Turn the errors of Redis into JournalUnavailable."""

    @functools.wraps(method)
    def call(self: "RedisJournal", /, *args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return method(self, *args, **kwargs)
        except (Unreachable, Unanswered) as error:
            raise JournalUnavailable(f"Redis cannot be reached: {error}") from error
        except OutOfMemoryError as error:
            raise JournalFull(f"Redis refuses: {error}") from error
        except RedisError as error:
            raise JournalUnavailable(f"Redis refuses: {error}") from error

    return call


def _asked(method: Method[P, R]) -> Method[P, R]:
    """Do the same for what may be asked twice: it is, over a new connection, when the first one broke."""

    def twice(self: "RedisJournal", /, *args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return method(self, *args, **kwargs)
        except (Unreachable, Unanswered):
            return method(self, *args, **kwargs)

    return functools.wraps(method)(_told(twice))


class RedisJournal:
    """Streams of commits in Redis; safe to share among threads."""

    def __init__(self, client: Redis, partitions: int) -> None:
        # The client is typed for both its blocking and its asyncio face; here every answer is at hand.
        self._redis: Any = client
        self._keys = Keys(partitions)
        self._append = client.register_script(_script("append"))
        self._put_sidecar = client.register_script(_script("sidecar"))
        self._put_snapshot = client.register_script(_script("snapshot"))
        self._delete = client.register_script(_script("delete"))
        self._index = client.register_script(_script("index"))
        self._put_tombstone = client.register_script(_script("tombstone"))

    def close(self) -> None:
        """Close all connections."""
        self._redis.connection_pool.disconnect()

    @_told
    def append(self, entry: Entry) -> Appended:
        """Append one commit atomically, or raise Conflict, KeyReused or ChainBroken and change nothing.

        A first commit under the id of a deleted match is refused with Deleted, which is a Conflict.
        """
        try:
            return self._append_once(entry)
        except (Unreachable, Unanswered):
            return self._settle(entry)

    def _append_once(self, entry: Entry) -> Appended:
        answer, *rest = self._append(
            keys=self._keys.appended(entry.match), args=append_arguments(entry)
        )
        if answer == b"conflict":
            raise Conflict(*rest)
        if answer == b"deleted":
            raise Deleted
        if answer == b"reused":
            raise KeyReused(
                f"the command id {entry.command_id} was used before for another command"
            )
        if answer == b"broken":
            raise ChainBroken(
                f"commit {entry.expected + 1} does not follow the last commit of match {entry.match}"
            )
        return Appended(rest[0], repeated=answer == b"repeated")

    def _settle(self, entry: Entry) -> Appended:
        """Find out whether an append without an answer landed; if not, append again.

        The first try may still be on its way, but the expected version lets only one of the two land.
        """
        if self._landed(entry):
            return Appended(entry.expected + 1, repeated=False)
        try:
            return self._append_once(entry)
        except Conflict:
            if self._landed(entry):
                return Appended(entry.expected + 1, repeated=False)
            raise

    @_told
    def restore(self, entries: Sequence[Entry]) -> None:
        """Append all commits of a match that does not exist yet, all or none.

        Raises Conflict if it exists, Deleted if it was deleted, ChainBroken. Stream and tombstone are watched: whoever
        else begins or deletes the match meanwhile makes the transaction void.
        """
        check_consecutive(entries)
        match = entries[0].match
        stream, tombstone = self._keys.of(match, "commits"), self._keys.of(match, "deleted")
        with self._redis.pipeline() as pipeline:
            pipeline.watch(stream, tombstone)
            if length := pipeline.xlen(stream):
                raise Conflict(length)
            if pipeline.exists(tombstone):
                raise Deleted
            pipeline.multi()
            for entry in entries:
                self._append(
                    keys=self._keys.appended(entry.match),
                    args=append_arguments(entry),
                    client=pipeline,
                )
            try:
                pipeline.execute()
            except WatchError:
                raise Conflict(self._redis.xlen(stream)) from None

    def _landed(self, entry: Entry) -> bool:
        return self._commits(self._redis, entry.match, entry.expected, 1) == [entry.commit_bytes]

    @_asked
    def version_made(self, match: str, command_id: str, fingerprint: str) -> int | None:
        """Return the version that a command id has made, None if unknown; raises KeyReused."""
        known = self._redis.hget(self._keys.of(match, "ids"), command_id)
        if known is None:
            return None
        version, of = read_made(known.decode())
        if of != fingerprint:
            raise KeyReused(f"the command id {command_id} was used before for another command")
        return version

    @_asked
    def read(self, match: str, after: int = 0, limit: int | None = None) -> list[bytes]:
        """Return the commits after a version, oldest first, at most `limit`; [] for an unknown match."""
        return self._commits(self._redis, match, after, limit)

    def _commits(self, client: Any, match: str, after: int, limit: int | None) -> list[bytes]:
        return commits_of(
            client.xrange(self._keys.of(match, "commits"), min=f"{after + 1}-0", count=limit)
        )

    @_asked
    def tail(self, match: str, after: int, field: str, limit: int | None = None) -> Tail:
        """Return `read(match, after, limit)`, one field of the sidecar and the head in one round trip."""
        with self._pipeline() as pipeline:
            pipeline.get(self._keys.of(match, "head"))
            pipeline.xrange(self._keys.of(match, "commits"), min=f"{after + 1}-0", count=limit)
            pipeline.hget(self._keys.of(match, "aside"), field)
            head, commits, value = pipeline.execute()
        return Tail(commits_of(commits), text_or_none(value), read_head(head))

    def head(self, match: str) -> Head | None:
        """Return the head of a match, None for an unknown one."""
        return self.heads([match])[0]

    @_asked
    def heads(self, matches: Sequence[str]) -> list[Head | None]:
        """Return the heads of many matches in one round trip."""
        return [
            read_head(found)
            for found in self._each("get", [self._keys.of(match, "head") for match in matches])
        ]

    @_asked
    def overviews(
        self, asked: Sequence[tuple[str, Sequence[str]]]
    ) -> list[tuple[Head | None, dict[str, str]]]:
        """Return the heads of many matches and some fields of their sidecars in one round trip."""
        with self._pipeline() as pipeline:
            for match, fields in asked:
                pipeline.get(self._keys.of(match, "head"))
                pipeline.hmget(self._keys.of(match, "aside"), fields)
            answers = pipeline.execute()
        found = zip(asked, answers[::2], answers[1::2], strict=True)
        return [
            (read_head(head), found_fields(fields, values)) for (_, fields), head, values in found
        ]

    @_asked
    def sidecar_field(self, match: str, field: str) -> str | None:
        """Return one field of the match's sidecar."""
        return text_or_none(self._redis.hget(self._keys.of(match, "aside"), field))

    @_asked
    def sidecar(self, match: str) -> dict[str, str]:
        """Return the whole sidecar of a match."""
        return texts(self._redis.hgetall(self._keys.of(match, "aside")))

    @_asked
    def put_sidecar(
        self, match: str, fields: Mapping[str, str | None], holds: tuple[str, str] = ("", "")
    ) -> bool:
        """Set (None: delete) fields of the sidecar outside any commit, if a field still holds a value ("": any).

        Return whether it does; raise Conflict(0) for an unknown match.
        """
        put, drop = changes(fields)
        keys = [self._keys.of(match, "head"), self._keys.of(match, "aside")]
        done = self._put_sidecar(keys=keys, args=[*holds, len(put), *put, *drop])
        if not done:
            raise Conflict(0)
        return bool(done == 1)

    @_asked
    def put_sidecar_if_missing(self, match: str, field: str, value: str) -> None:
        """Set a field of a match's sidecar outside any commit, unless it is there; nothing for an unknown match."""
        head = self._keys.of(match, "head")
        with self._redis.pipeline() as pipeline, suppress(WatchError):
            pipeline.watch(head)  # whoever deletes the match meanwhile makes the transaction void
            if pipeline.exists(head):
                pipeline.multi()
                pipeline.hsetnx(self._keys.of(match, "aside"), field, value)
                pipeline.execute()

    @_asked
    def pending(self, before: int, limit: int) -> list[Pending]:
        """Return at most `limit` matches that have waited since before a time (ms), oldest first."""
        found = self._each(
            "zrangebyscore", self._keys.pending, "-inf", f"({before}", 0, limit, withscores=True
        )
        waits = sorted(
            (int(since), match.decode()) for match, since in itertools.chain.from_iterable(found)
        )
        return [Pending(match, since) for since, match in waits[:limit]]

    @_asked
    def pending_count(self) -> int:
        """Return how many matches wait for the house or a bot."""
        return sum(self._each("zcard", self._keys.pending))

    @_asked
    def listing(
        self, status: str, before: tuple[int, str] | None, limit: int, game: str = ""
    ) -> list[tuple[int, str]]:
        """Return (listed, match) of public matches, newest first, strictly after the cursor `before`.

        All members have the same score, so Redis orders them by their bytes: by game and status, by time, by match.
        """
        group = f"@{game}:{status}" if game else status
        newest = (
            f"({group}{listed_member(*before)}" if before else f"({group};"
        )  # ";" comes next after ":"
        found = self._each("zrevrangebylex", self._keys.listing, newest, f"[{group}:", 0, limit)
        members = itertools.islice(heapq.merge(*found, reverse=True), limit)
        return [read_listed(member.decode().removeprefix(f"{group}:")) for member in members]

    @_asked
    def idle(self, before: int, limit: int) -> list[str]:
        """Return at most `limit` matches that are to be looked at by a time (ms, inclusive), the longest due first."""
        found = self._each(
            "zrangebyscore", self._keys.idle, "-inf", before, 0, limit, withscores=True
        )
        due = sorted(
            (int(since), match.decode()) for match, since in itertools.chain.from_iterable(found)
        )
        return [match for _, match in due[:limit]]

    @_asked
    def look_again(self, times: Mapping[str, int | None]) -> None:
        """Set when matches are to be looked at again (ms); None: never."""
        with self._pipeline() as pipeline:
            for match, time in times.items():
                key = self._keys.idle[partition_of(match, self._keys.partitions)]
                if time is None:
                    pipeline.zrem(key, match)
                else:
                    pipeline.zadd(key, {match: time})
            pipeline.execute()

    @_told
    def delete(self, match: str, tombstone: Tombstone) -> None:
        """Delete all that is kept of a match but the tombstone; its id is never used again.

        Raises Conflict for an unknown match, Deleted for one that was deleted before.
        """
        arguments = [f"{tombstone.at}|{tombstone.by}", match, wake_channel(match)]
        done = self._delete(keys=self._keys.of_deletion(match), args=arguments)
        if done == 0:
            raise Conflict(0)
        if done == -1:
            raise Deleted

    @_asked
    def deleted(self, match: str) -> Tombstone | None:
        """Return what stays of a deleted match, None for any other."""
        return read_tombstone(self._redis.get(self._keys.of(match, "deleted")))

    @_asked
    def feed(self, partition: int, after: str, limit: int) -> list[tuple[str, str, int]]:
        """Return (id, match, version) of a partition's commits in order of commit; after "" from the start."""
        entries = self._redis.xrange(
            self._keys.feed[partition], min=f"({after}" if after else "-", count=limit
        )
        return [(entry.decode(), *read_fed(fields[b"m"])) for entry, fields in entries]

    def matches(self) -> Iterator[str]:
        """Yield the id of every match that was ever begun here, deleted ones too, each once.

        The feeds tell: each match has exactly one first commit in them.
        """
        for partition in range(self._keys.partitions):
            last = ""
            while lines := self.feed(partition, last, _FED):
                yield from (match for _, match, version in lines if version == 1)
                last = lines[-1][0]

    @_asked
    def commit_count(self) -> int:
        """Return how many commits were ever appended, those of deleted matches too."""
        return sum(self._each("xlen", self._keys.feed))

    @_asked
    def metadata(self, match: str) -> Metadata:
        """Return all that is kept of a match beside its commits, at one moment: read in one transaction."""
        head, ids, sidecar, tombstone = self._keys.of_metadata(match)
        with self._redis.pipeline(transaction=True) as transaction:
            transaction.get(head)
            transaction.hgetall(ids)
            transaction.hgetall(sidecar)
            transaction.get(tombstone)
            found_head, found_ids, found_sidecar, found_tombstone = transaction.execute()

        made = {command_id: read_made(text) for command_id, text in texts(found_ids).items()}
        return Metadata(
            read_head(found_head), made, texts(found_sidecar), read_tombstone(found_tombstone)
        )

    @_told
    def put_tombstone(self, match: str, tombstone: Tombstone) -> bool:
        """Lay a tombstone for a match that is not there; return whether that was done."""
        arguments = [f"{tombstone.at}|{tombstone.by}", match]
        return bool(self._put_tombstone(keys=self._keys.of_tombstone(match), args=arguments))

    @_asked
    def listed_counts(self) -> dict[str, int]:
        """Return how many public matches there are of each status: one look into each partition's listing."""
        with self._pipeline() as pipeline:
            for status in STATUSES:
                for key in self._keys.listing:
                    pipeline.zlexcount(
                        key, f"[{status}:", f"({status};"
                    )  # ";" comes next after ":"
            counts: list[int] = pipeline.execute()

        partitions = self._keys.partitions
        return {
            status: sum(counts[place * partitions : (place + 1) * partitions])
            for place, status in enumerate(STATUSES)
        }

    @_asked
    def memory(self) -> Memory:
        """Return how much memory Redis has in use, and its bound."""
        found = self._redis.info("memory")
        return Memory(int(found.get("used_memory", 0)), int(found.get("maxmemory", 0)))

    @_asked
    def snapshot(self, match: str) -> bytes | None:
        """Return the stored snapshot, if any."""
        found: bytes | None = self._redis.get(self._keys.of(match, "snapshot"))
        return found

    @_asked
    def put_snapshot(self, match: str, data: bytes) -> None:
        """Store a snapshot of a match that there is; it may be lost at any time."""
        self._put_snapshot(
            keys=[self._keys.of(match, "head"), self._keys.of(match, "snapshot")], args=[data]
        )

    @_asked
    def check(self) -> list[str]:
        """Return what is unsafe about the configuration of Redis, a sentence each; [] if all is well."""
        return [*self._unsafe_settings(), *self._other_partitions()]

    def _unsafe_settings(self) -> list[str]:
        try:
            found = self._redis.config_get(*_SETTINGS)
        except ResponseError as error:
            return [f"The settings {', '.join(_SETTINGS)} of Redis could not be checked: {error}."]
        return [
            f"Redis has {name} {found.get(name)}: {danger}. Write '{name} {safe}' into its configuration file, "
            f"and mend it until the next start with: CONFIG SET {name} {safe}"
            for name, (safe, danger) in _SETTINGS.items()
            if found.get(name) != safe
        ]

    def _other_partitions(self) -> list[str]:
        """A match is looked for in another place once the number of partitions changes."""
        if not self._redis.exists(
            PARTITIONS
        ):  # looked at first: a full server refuses even a write that does nothing
            self._redis.set(PARTITIONS, self._keys.partitions, nx=True)
        stored = int(self._redis.get(PARTITIONS))
        if stored == self._keys.partitions:
            return []
        return [
            f"The journal was begun with {stored} partitions and is opened with {self._keys.partitions}: use {stored}."
        ]

    @_asked
    def upgrade(self) -> int:
        """Add to a journal of an earlier release what it lacks; return how many matches were looked at.

        It is done once for each journal. Doing it again, or while others append, does no harm.
        """
        if int(self._redis.get(LAYOUT) or 1) >= _LAYOUT:
            return 0
        looked_at = 0
        heads = self._redis.scan_iter(match=HEADS, count=_SCANNED)
        while batch := list(itertools.islice(heads, _SCANNED)):
            with self._pipeline() as pipeline:
                for key in batch:
                    match, keys = beside_head(key.decode())
                    self._index(keys=keys, args=[match], client=pipeline)
                pipeline.execute()
            looked_at += len(batch)
        self._redis.set(LAYOUT, _LAYOUT)
        return looked_at

    @_asked
    def ping(self) -> None:
        """Raise JournalUnavailable if Redis cannot be written."""
        self._redis.set(PROBE, 1)

    def _pipeline(self) -> Any:
        return self._redis.pipeline(transaction=False)

    def _each(self, command: str, keys: Sequence[str], *args: Any, **options: Any) -> list[Any]:
        """Return the answers of one command for many keys, in one round trip."""
        with self._pipeline() as pipeline:
            for key in keys:
                getattr(pipeline, command)(key, *args, **options)
            answers: list[Any] = pipeline.execute()
        return answers


def _script(name: str) -> str:
    return (Path(__file__).parent / "lua" / f"{name}.lua").read_text()
