"""Matches brought to their present state, or to an earlier one, from memory and the journal.

A journal may go back: a backup is put back, or a replica that lagged behind takes over. So nothing
that is remembered is used before the stream, as it is now, bears it out.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeVar

from domain import wire
from domain.errors import BadMessage
from domain.games import RULES
from domain.match.state import Match
from service import metrics
from service.errors import MatchDeleted, NotFound
from service.journal.errors import JournalUnavailable
from service.ledger.commit import (
    StoredCommit,
    canonical,
    digest,
    parse_commit,
    parse_object,
    timestamp,
)
from service.ledger.replay import Loaded, forward
from service.matches.cache import is_in_journal
from service.matches.context import Context

# §§§ service.matches.repository
# Snapshots: a match's state stored beside its stream; only ever an optimisation.


def write_snapshot(ctx: Context, loaded: Loaded) -> None:
    """Store a match's state; a journal that does not take it has every commit all the same."""
    match = loaded.match
    state = None if match.state is None else wire.dump(match.state)
    snapshot = {
        "shape": _shape(match.rules),
        "rules": match.rules,
        "version": loaded.version,
        "created": loaded.created,
        "time": loaded.time,
        "hash": loaded.hash,
        "match": wire.dump(replace(match, state=None)),
        "state": state,
    }

    with suppress(JournalUnavailable):
        ctx.journal.metadata.put_snapshot(loaded.id, canonical(snapshot))


def read_snapshot(ctx: Context, match_id: str) -> Loaded | None:
    """Return the stored state of a match.

    None if there is none, or if it is of other rules, of another shape, unreadable or ahead of the
    journal.
    """
    stored = ctx.journal.metadata.snapshot(match_id)
    if stored is None:
        return None
    try:
        loaded = _restored(match_id, parse_object(stored))
        is_usable = loaded is not None and is_in_journal(ctx.journal, loaded)
    except (ValueError, KeyError, TypeError, BadMessage):
        return None

    return loaded if is_usable else None


def _restored(match_id: str, snapshot: dict[str, Any]) -> Loaded | None:
    """Return a match as a snapshot holds it, None if its state has another shape today."""
    rules = snapshot["rules"]
    if snapshot["shape"] != _shape(rules):
        return None

    state = snapshot["state"]
    if state is not None:
        state = wire.load(RULES[rules].state, state)
    return Loaded(
        id=match_id,
        version=snapshot["version"],
        created=snapshot["created"],
        time=snapshot["time"],
        hash=snapshot["hash"],
        match=replace(wire.load(Match, snapshot["match"]), state=state),
    )


def _shape(rules: str) -> str:
    """Return a digest of the types that a snapshot's match and state are made of."""
    return digest([wire.fingerprint(Match), wire.fingerprint(RULES[rules].state)])


# §§§ service.matches.repository


T = TypeVar("T")

SNAPSHOT_EVERY = 100  # commits replayed in one go, after which a snapshot is written
CHECKPOINT_EVERY = 50  # versions; past states are remembered at the multiples
PIECE = 200  # commits read in one go; a multiple of CHECKPOINT_EVERY
_TRIES = 4  # to read a match whose stream becomes another meanwhile


class OtherStream(JournalUnavailable):
    """What is read does not follow from what is remembered, or was read before."""

    def __init__(self) -> None:
        super().__init__("the journal became another one while it was read")


def load(ctx: Context, match_id: str) -> Loaded:
    """Return a match at its head; raises NotFound, MatchDeleted."""
    loaded, _ = load_with_field(ctx, match_id, "")
    return loaded


def load_with_field(ctx: Context, match_id: str, field: str) -> tuple[Loaded, str | None]:
    """Return a match at its head, and one field of its sidecar; raises NotFound, MatchDeleted.

    What is remembered of the match counts only if the journal's head bears it out.
    """
    return from_one_stream(
        ctx,
        read=lambda: _load_with_field(ctx, match_id, field),
    )


def from_one_stream(ctx: Context, read: Callable[[], T]) -> T:
    """Return what is read of one stream.

    If it is another one than what is remembered is of, the journal has gone back, and everything
    remembered is forgotten. Raises OtherStream if it becomes another one again and again.
    """
    for _ in range(_TRIES):
        with suppress(OtherStream):
            return read()
        ctx.forget()
    raise OtherStream


def _load_with_field(ctx: Context, match_id: str, field: str) -> tuple[Loaded, str | None]:
    base = ctx.shelf.get(match_id) or read_snapshot(ctx, match_id)
    base_version = base.version if base else 0
    entries, value, head = ctx.journal.events.tail(match_id, base_version, field, PIECE)
    if head is None:
        ctx.shelf.drop(match_id)
        raise why_missing(ctx, match_id)

    loaded = advance(base, entries)
    start = loaded.version if loaded else 0
    for piece in pieces(ctx, match_id, start, head.version):
        loaded = advance(loaded, piece)
    if loaded is None:
        raise why_missing(ctx, match_id)

    # Commits made meanwhile may lead beyond the head. Without any, the match ends with it.
    is_beyond_head = loaded.version > head.version and loaded.version > base_version
    if not is_beyond_head and (loaded.version, loaded.hash) != (head.version, head.hash):
        raise OtherStream

    _remember(ctx, loaded, loaded.version - base_version)
    return loaded, value


def advance(base: Loaded | None, entries: list[bytes]) -> Loaded | None:
    """Return a match after further commits, and count them.

    Raises OtherStream for commits that do not follow it.
    """
    if base is not None and entries:
        _check_follows(entries, base.hash)

    metrics.REPLAYED.inc(len(entries))
    return forward(base, entries)


def _check_follows(entries: list[bytes], last_hash: str) -> None:
    """Raise OtherStream unless commits (one at least) follow the one with a hash."""
    if parse_commit(entries[0])["commit"]["prev"] != last_hash:
        raise OtherStream


def _remember(ctx: Context, loaded: Loaded, replayed: int) -> None:
    """Keep a match for which so many commits had to be replayed."""
    if replayed:
        ctx.shelf.put(loaded)
    if replayed >= SNAPSHOT_EVERY:
        write_snapshot(ctx, loaded)


def why_missing(ctx: Context, match_id: str) -> NotFound | MatchDeleted:
    """Return why there is no such match: there never was one, or the operator has deleted it."""
    tombstone = ctx.journal.lifecycle.deleted(match_id)
    if tombstone is None:
        return NotFound(f"there is no match {match_id}")
    return MatchDeleted(match_id, timestamp(tombstone.at))


def pieces(ctx: Context, match_id: str, after: int, until: int) -> Iterator[list[bytes]]:
    """Yield the commits after a version up to another, at most PIECE at a time.

    So only these are held at once. Raises NotFound or MatchDeleted if the match goes away, and
    OtherStream if a piece does not follow the one before.
    """
    last_hash = None
    while after < until:
        entries = ctx.journal.events.read(match_id, after, min(PIECE, until - after))
        if not entries:
            raise why_missing(ctx, match_id)
        if last_hash is not None:
            _check_follows(entries, last_hash)

        yield entries
        after += len(entries)
        last_hash = parse_commit(entries[-1])["hash"]


def entry_of(ctx: Context, match_id: str, version: int) -> StoredCommit:
    """Return the stored entry of the commit that made a version.

    Raises NotFound or MatchDeleted if it is not there, or no longer.
    """
    entries = ctx.journal.events.read(match_id, version - 1, 1)
    if entries:
        return parse_commit(entries[0])
    if ctx.journal.events.head(match_id) is None:
        raise why_missing(ctx, match_id)
    raise NotFound(f"match {match_id} has no version {version}")


def hash_at(ctx: Context, loaded: Loaded, version: int) -> str:
    """Return the hash of the commit that made a version, as the stream has it now; "" for 0.

    Raises what `entry_of` raises.
    """
    if version == 0:
        return ""
    if version == loaded.version:
        return loaded.hash
    return entry_of(ctx, loaded.id, version)["hash"]


def at_version(ctx: Context, match_id: str, version: int) -> Loaded:
    """Return a match as it was after a commit, replayed from the journal; raises NotFound.

    The nearest checkpoint that this process has passed before saves most of the way.
    """
    return from_one_stream(
        ctx,
        read=lambda: _at_version(ctx, match_id, version),
    )


def _at_version(ctx: Context, match_id: str, version: int) -> Loaded:
    loaded = _checkpoint_before(ctx, match_id, version)
    start = loaded.version if loaded else 0
    for entries in pieces(ctx, match_id, start, version):
        loaded = _advance_by_checkpoints(ctx, loaded, entries)
    if loaded is None or loaded.version != version:
        raise NotFound(f"match {match_id} has no version {version}")
    return loaded


def _checkpoint_before(ctx: Context, match_id: str, version: int) -> Loaded | None:
    """Return the latest checkpoint that is not after a version, None without any.

    One that the stream does not bear out is forgotten.
    """
    latest = version - version % CHECKPOINT_EVERY
    for checkpoint in range(latest, 0, -CHECKPOINT_EVERY):
        place = _place(match_id, checkpoint)
        remembered = ctx.past.get(place)
        if remembered is None:
            continue

        if is_in_journal(ctx.journal, remembered):
            return remembered
        ctx.past.drop(place)
    return None


def _advance_by_checkpoints(ctx: Context, loaded: Loaded | None, entries: list[bytes]) -> Loaded:
    """Return a match after further commits (one at least), and remember each checkpoint on the way.

    Pieces begin at a checkpoint, so a step of CHECKPOINT_EVERY commits ends at one.
    """
    for start in range(0, len(entries), CHECKPOINT_EVERY):
        loaded = advance(loaded, entries[start : start + CHECKPOINT_EVERY])
        assert loaded is not None
        if loaded.version % CHECKPOINT_EVERY == 0:
            place = _place(loaded.id, loaded.version)
            ctx.past.drop(place)
            ctx.past.put(loaded, place)

    assert loaded is not None
    return loaded


def _place(match_id: str, version: int) -> str:
    return f"{match_id}@{version}"
