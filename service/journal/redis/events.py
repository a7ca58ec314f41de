"""Commits are appended, and answers that were lost on the way are found out."""

from collections.abc import Iterator, Sequence

from redis.exceptions import WatchError

from service.journal.encoding import (
    append_arguments,
    commits_in,
    present_fields,
    read_feed_line,
    read_head,
    read_made,
    text_or_none,
)
from service.journal.errors import ChainBroken, Conflict, Deleted, KeyReused
from service.journal.keys import COMMITS, HEAD, IDS, SIDECAR, TOMBSTONE
from service.journal.redis import store as redis_store
from service.journal.redis.connection import (
    BROKEN,
    Command,
    follows_moves,
    retries_once,
    translates_errors,
)
from service.journal.redis.store import Store
from service.journal.values import Appended, Entry, Head, Tail, check_consecutive, made_by

# §§§ service.journal.redis.events


@translates_errors
def append(store: Store, entry: Entry) -> Appended:
    """Append one commit with one script, atomically, and wait for replicas where they are asked.

    Raises Unconfirmed, whichever try has made the commit.
    """
    try:
        return _append_once(store, entry)
    except BROKEN:
        return _append_after_lost_answer(store, entry)


def _append_once(store: Store, entry: Entry) -> Appended:
    answer, *details = redis_store.write(
        store,
        store.scripts.append,
        store.keys.of_append(entry.match),
        _arguments(store, entry),
    )

    if answer == b"conflict":
        raise Conflict(*details)
    if answer == b"deleted":
        raise Deleted
    if answer == b"reused":
        raise KeyReused(entry.command_id)
    if answer == b"broken":
        version = entry.expected + 1
        raise ChainBroken(
            f"commit {version} does not follow the last commit of match {entry.match}"
        )
    if answer == b"repeated":
        # Nothing was written now, so the first commit of this command is to be confirmed.
        _confirm(store, entry.match)
        return Appended(version=details[0], repeated=True)
    return Appended(version=details[0], repeated=False)


def _arguments(store: Store, entry: Entry) -> list[str | bytes | int]:
    return append_arguments(entry, store.keys.wake_channel(entry.match))


def _append_after_lost_answer(store: Store, entry: Entry) -> Appended:
    """Find out whether an append without an answer has landed; if not, append again.

    The first try may still be on its way, but the expected version lets only one of the two land.
    """
    appended = Appended(version=entry.expected + 1, repeated=False)
    if has_landed(store, entry):
        return appended

    try:
        return _append_once(store, entry)
    except Conflict:
        # It may be a conflict with the first try, which has landed by now.
        if has_landed(store, entry):
            return appended
        raise


def has_landed(store: Store, entry: Entry) -> bool:
    """Return whether the commit stands where the entry was to put it, on replicas too."""
    stream = store.keys.of(entry.match, COMMITS)
    entry_id = f"{entry.expected + 1}-0"
    entries = redis_store.ask(store, entry.match, "XRANGE", stream, entry_id, entry_id)
    return commits_in(entries) == [entry.commit_bytes]


@translates_errors
def restore(store: Store, entries: Sequence[Entry]) -> None:
    """Append all commits of a match that does not exist yet, all or none.

    Stream, head and tombstone are watched: whoever else begins or deletes the match meanwhile makes
    the transaction void. An archived match has a head and no stream.

    Raises Unconfirmed, also instead of Conflict: who finds the match there may take it as done.
    """
    check_consecutive(entries)
    try:
        _restore(store, entries)
    except Conflict:
        _confirm(store, entries[0].match)
        raise
    _confirm(store, entries[0].match)


def _confirm(store: Store, match_id: str) -> None:
    """Have replicas confirm all that there is of a match; raises Unconfirmed."""
    redis_store.ask(store, match_id, "XLEN", store.keys.of(match_id, COMMITS))


@follows_moves
def _restore(store: Store, entries: Sequence[Entry]) -> None:
    match = entries[0].match
    stream = store.keys.of(match, COMMITS)
    head_key = store.keys.of(match, HEAD)
    tombstone = store.keys.of(match, TOMBSTONE)

    with store.transaction(stream) as transaction:
        transaction.watch(stream, head_key, tombstone)
        head = read_head(transaction.get(head_key))
        if head is not None:
            raise Conflict(head.version)
        if transaction.exists(tombstone):
            raise Deleted

        transaction.multi()
        keys = store.keys.of_append(match)
        for entry in entries:
            store.scripts.append(keys=keys, args=_arguments(store, entry), client=transaction)

        try:
            transaction.execute()
        except WatchError:
            raise Conflict(store.client.xlen(stream)) from None


# §§§ service.journal.redis.events
# Commits, command ids and heads are read.


@retries_once
def version_made(store: Store, match_id: str, command_id: str, fingerprint: str) -> int | None:
    """Return the version that a command id has made; raises KeyReused."""
    # The caller answers with this commit, so it is to last as if it were made now.
    packed = redis_store.ask(store, match_id, "HGET", store.keys.of(match_id, IDS), command_id)
    if packed is None:
        return None

    return made_by({command_id: read_made(packed.decode())}, command_id, fingerprint)


@retries_once
def read(store: Store, match_id: str, after: int, limit: int | None) -> list[bytes]:
    """Return commits after a version."""
    [entries] = store.ask(_range_of(store.keys.of(match_id, COMMITS), after, limit))
    return commits_in(entries)


@retries_once
def tail(store: Store, match_id: str, after: int, field: str, limit: int | None) -> Tail:
    """Return commits after a version, one field of the sidecar and the head."""
    # The head comes first: commits made meanwhile may lead beyond it, none falls short of it.
    packed_head, entries, value = store.ask(
        ("GET", store.keys.of(match_id, HEAD)),
        _range_of(store.keys.of(match_id, COMMITS), after, limit),
        ("HGET", store.keys.of(match_id, SIDECAR), field),
    )
    return Tail(
        commits=commits_in(entries),
        value=text_or_none(value),
        head=read_head(packed_head),
    )


@retries_once
def heads(store: Store, matches: Sequence[str]) -> list[Head | None]:
    """Return the heads of many matches."""
    commands = [("GET", store.keys.of(match, HEAD)) for match in matches]
    return [read_head(packed) for packed in store.ask(*commands)]


@retries_once
def overviews(
    store: Store, asked: Sequence[tuple[str, Sequence[str]]]
) -> list[tuple[Head | None, dict[str, str]]]:
    """Return the heads of many matches, each with some fields of its sidecar."""
    commands: list[Command] = []
    for match, fields in asked:
        commands.append(("GET", store.keys.of(match, HEAD)))
        commands.append(("HMGET", store.keys.of(match, SIDECAR), *fields))
    answers = store.ask(*commands)

    # Each match has two answers, one after the other: its head and the values of its fields.
    found = []
    for number, (_, fields) in enumerate(asked):
        packed_head, values = answers[2 * number : 2 * number + 2]
        found.append((read_head(packed_head), present_fields(fields, values)))
    return found


def _range_of(stream: str, after: int, limit: int | None) -> Command:
    """Return the command that reads commits after a version."""
    span: Command = ("XRANGE", stream, _entry_id(after + 1), "+")
    return span if limit is None else (*span, "COUNT", limit)


def _entry_id(version: int) -> str:
    """Return the id that a version has in the stream."""
    return f"{version}-0"


# §§§ service.journal.redis.events
# The feeds: the commits of each partition, in the order they were made.


_LINES = 1000  # of a feed, read in one round trip


@retries_once
def feed(store: Store, partition: int, after: str, limit: int) -> list[tuple[str, str, int]]:
    """Return (id, match, version) of a partition's commits after an id."""
    start = f"({after}" if after else "-"
    entries = store.client.xrange(store.keys.feed[partition], min=start, count=limit)

    lines = []
    for entry_id, fields in entries:
        match, version = read_feed_line(fields[b"m"])
        lines.append((entry_id.decode(), match, version))
    return lines


def matches(store: Store) -> Iterator[str]:
    """Yield every match that was ever begun: each has one first commit in the feeds."""
    for partition in range(store.keys.partitions):
        last_id = ""
        while lines := feed(store, partition, last_id, _LINES):
            for _, match, version in lines:
                if version == 1:
                    yield match

            last_id = lines[-1][0]


@retries_once
def commit_count(store: Store) -> int:
    """Return how many commits were ever appended."""
    [commits] = store.sums("XLEN", store.keys.feed)
    return commits
