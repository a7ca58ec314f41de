"""Repository: matches at their heads or at an earlier version, from the cache and the journal.

A journal may go back: a backup is restored, or a replica that lagged behind takes over. So no match
is returned from the cache before the present stream confirms it.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import TypeVar

from domain.errors import BadMessage
from service.base import metrics
from service.base.errors import NotFound
from service.matches.access import Access, why_missing
from service.matches.context import Context
from service.record.commit import (
    StoredCommit,
    canonical,
    parse_commit,
    parse_object,
    rules_of as rules_named_by,
)
from service.record.replay import Loaded, replay_commits
from service.record.snapshot import loaded_from, snapshot_of
from service.store.journal.errors import JournalUnavailable
from service.store.journal.values import Head

T = TypeVar("T")

SNAPSHOT_EVERY = 100  # a load that replays at least so many commits writes a snapshot
PIECE = 200  # commits read at once: a multiple of the distance of checkpoints
_TRIES = 4  # to read a match from one stream


class OtherStream(JournalUnavailable):
    """The commits do not follow from a cached match, or from those read before."""

    def __init__(self) -> None:
        super().__init__("the journal was replaced while it was read")


def load(ctx: Context, match_id: str) -> Loaded:
    """Return a match at its head. Raises NotFound, MatchDeleted."""
    return from_one_stream(
        ctx,
        read=lambda: _load(ctx, match_id),
    )


def load_head(ctx: Context, access: Access) -> Loaded:
    """Return a match at the head of its caller's access.

    Raises NotFound or MatchDeleted if the match is gone since.
    """
    head = access.head
    cached = ctx.cache.get(access.match, head.version, head.hash)
    if cached is not None:
        return cached
    return from_one_stream(
        ctx,
        read=lambda: _load_head(ctx, access.match, head),
    )


def load_version(ctx: Context, match_id: str, version: int) -> Loaded:
    """Return a match at a version. Raises NotFound, MatchDeleted.

    The replay begins at the last cached checkpoint up to that version, if there is one.
    """
    return from_one_stream(
        ctx,
        read=lambda: _load_version(ctx, match_id, version),
    )


def from_one_stream(ctx: Context, read: Callable[[], T]) -> T:
    """Return the result of a read from one stream.

    OtherStream means that the journal has gone back, so the whole cache is emptied before another
    try. Raises OtherStream after the last try.
    """
    for _ in range(_TRIES):
        with suppress(OtherStream):
            return read()
        ctx.cache.forget()
    raise OtherStream


def _load(ctx: Context, match_id: str) -> Loaded:
    base = ctx.cache.heads.get(match_id) or load_snapshot(ctx, match_id)
    base_version = base.version if base else 0
    entries, _, head = ctx.journal.events.tail(match_id, base_version, "", PIECE)
    if head is None:
        ctx.cache.heads.drop(match_id)
        raise why_missing(ctx, match_id)
    if base_version > head.version:
        raise OtherStream

    # Commits made meanwhile may be among those read.
    up_to_head = entries[: head.version - base_version]
    return _load_up_to(ctx, match_id, head, base, up_to_head)


def _load_head(ctx: Context, match_id: str, head: Head) -> Loaded:
    base = ctx.cache.heads.get(match_id)
    if base is None and head.version >= SNAPSHOT_EVERY:
        base = load_snapshot(ctx, match_id)
    # The cached match may be newer than the head, which was read before.
    if base is not None and base.version > head.version:
        base = None
    return _load_up_to(ctx, match_id, head, base, [])


def _load_up_to(
    ctx: Context, match_id: str, head: Head, base: Loaded | None, entries: list[bytes]
) -> Loaded:
    """Return a match at a head: the base, then the entries, then the commits after them.

    Raises OtherStream unless the last commit has the head's version and hash.
    """
    loaded = replay_next(base, entries)
    start = loaded.version if loaded else 0
    for piece in pieces(ctx, match_id, start, head.version):
        loaded = replay_next(loaded, piece)
    if loaded is None:
        raise why_missing(ctx, match_id)
    if (loaded.version, loaded.hash) != (head.version, head.hash):
        raise OtherStream

    replayed = loaded.version - (base.version if base else 0)
    if replayed:
        ctx.cache.put(loaded)
    if replayed >= SNAPSHOT_EVERY:
        write_snapshot(ctx, loaded)
    return loaded


def _load_version(ctx: Context, match_id: str, version: int) -> Loaded:
    loaded = ctx.cache.checkpoint_before(match_id, version)
    if loaded is not None and loaded.version == version:
        if not _is_in_stream(ctx, loaded):
            raise OtherStream
        return loaded

    start = loaded.version if loaded else 0
    for entries in pieces(ctx, match_id, start, version):
        loaded = _replay_by_checkpoints(ctx, loaded, entries)
    if loaded is None or loaded.version != version:
        raise NotFound(f"match {match_id} has no version {version}")
    return loaded


def _replay_by_checkpoints(ctx: Context, loaded: Loaded | None, entries: list[bytes]) -> Loaded:
    """Return a match after further commits (one at least), and cache each checkpoint on the way.

    Entries begin with the first commit or after a checkpoint. So each full step ends at a
    checkpoint.
    """
    every = ctx.cache.checkpoint_every
    for start in range(0, len(entries), every):
        loaded = replay_next(loaded, entries[start : start + every])
        assert loaded is not None
        if loaded.version % every == 0:
            ctx.cache.checkpoints.put((loaded.id, loaded.version), loaded)

    assert loaded is not None
    return loaded


def _is_in_stream(ctx: Context, loaded: Loaded) -> bool:
    """Return True if the stream has the last commit of a cached match or a snapshot."""
    last_commit = ctx.journal.events.read(loaded.id, loaded.version - 1, 1)
    return bool(last_commit) and parse_commit(last_commit[0])["hash"] == loaded.hash


def replay_next(base: Loaded | None, entries: list[bytes]) -> Loaded | None:
    """Return a match after further commits, and count the commits in the metrics.

    Raises OtherStream for commits that do not follow the base.
    """
    if base is not None and entries:
        _check_follows(entries, base.hash)

    metrics.REPLAYED.inc(len(entries))
    return replay_commits(base, entries)


def _check_follows(entries: list[bytes], last_hash: str) -> None:
    """Raise OtherStream unless commits (one at least) follow the commit with a hash."""
    if parse_commit(entries[0])["commit"]["prev"] != last_hash:
        raise OtherStream


def pieces(ctx: Context, match_id: str, after: int, until: int) -> Iterator[list[bytes]]:
    """Yield the commits after a version up to another, at most PIECE at a time.

    Raises NotFound or MatchDeleted if the match goes away, and OtherStream if a piece does not
    follow the piece before.
    """
    last_entry = None
    while after < until:
        entries = ctx.journal.events.read(match_id, after, min(PIECE, until - after))
        if not entries:
            raise why_missing(ctx, match_id)
        if last_entry is not None:
            _check_follows(entries, parse_commit(last_entry)["hash"])

        yield entries
        after += len(entries)
        last_entry = entries[-1]


def read_commit(ctx: Context, match_id: str, version: int) -> StoredCommit:
    """Return the stored commit of a version.

    Raises NotFound if the match has no such version, and MatchDeleted if it was deleted.
    """
    entries = ctx.journal.events.read(match_id, version - 1, 1)
    if entries:
        return parse_commit(entries[0])
    if ctx.journal.events.head(match_id) is None:
        raise why_missing(ctx, match_id)
    raise NotFound(f"match {match_id} has no version {version}")


def rules_of(ctx: Context, match_id: str, at_hand: Sequence[StoredCommit] = ()) -> str:
    """Return the rules version in the first commit of a match. It never changes.

    at_hand: commits of the match that were read before. If they begin with the first commit,
        nothing more is read.
    The rules may be unknown to this release. Raises NotFound or MatchDeleted.
    """
    loaded = ctx.cache.heads.get(match_id)
    if loaded is not None:
        return loaded.match.rules

    rules = ctx.cache.rules.get(match_id)
    if rules is None:
        is_there = bool(at_hand) and at_hand[0]["commit"]["version"] == 1
        rules = rules_named_by(at_hand[0] if is_there else read_commit(ctx, match_id, 1))
        ctx.cache.rules.put(match_id, rules)
    return rules


def game_of(rules: str) -> str:
    """Return the key of the game of a rules version, also of an unknown one."""
    return rules.rpartition("/")[0]


def read_commit_hash(ctx: Context, access: Access, version: int) -> str:
    """Return the hash of a version's commit in the present stream, "" for 0.

    Raises the errors of `read_commit`.
    """
    if version == 0:
        return ""
    if version == access.version:
        return access.head.hash
    return read_commit(ctx, access.match, version)["hash"]


# Snapshots: a match's state stored beside its stream. They are only an optimisation.


def write_snapshot(ctx: Context, loaded: Loaded) -> None:
    """Store a match's state, unless a term cannot be in a snapshot now (`Term.without_state`).

    An unavailable journal is no error, since nothing depends on snapshots.
    """
    snapshot = snapshot_of(loaded)
    if snapshot is None:
        return
    with suppress(JournalUnavailable):
        ctx.journal.metadata.put_snapshot(loaded.id, canonical(snapshot))


def load_snapshot(ctx: Context, match_id: str) -> Loaded | None:
    """Return a match from its stored state.

    None if no state is stored, or if its rules are unknown, its shape is another one, it cannot be
    read, or its last commit is not in the stream.
    """
    stored = ctx.journal.metadata.snapshot(match_id)
    if stored is None:
        return None
    try:
        loaded = loaded_from(match_id, parse_object(stored))
        is_usable = loaded is not None and _is_in_stream(ctx, loaded)
    except (ValueError, LookupError, TypeError, BadMessage):
        return None

    return loaded if is_usable else None
