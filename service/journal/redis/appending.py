"""Commits are appended, and answers that were lost on the way are found out."""

from collections.abc import Sequence

from redis.exceptions import WatchError

from service.journal.errors import ChainBroken, Conflict, Deleted, KeyReused
from service.journal.keys import COMMITS, HEAD, TOMBSTONE
from service.journal.packing import append_arguments, commits_in, read_head
from service.journal.redis import confirming
from service.journal.redis.connection import BROKEN, follows_moves, translates_errors
from service.journal.redis.store import Store
from service.journal.values import Appended, Entry, check_consecutive


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
    answer, *details = confirming.write(
        store,
        store.scripts.append,
        store.keys.of_append(entry.match),
        _arguments(store, entry),
        entry.meanwhile,
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
    entries = confirming.ask(store, entry.match, "XRANGE", stream, entry_id, entry_id)
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
    confirming.ask(store, match_id, "XLEN", store.keys.of(match_id, COMMITS))


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
