"""Matches brought to their present state, or to an earlier one, from memory and the journal."""

from collections.abc import Iterator

from service import metrics
from service.errors import MatchDeleted, NotFound
from service.journal.values import Head
from service.ledger.commit import StoredCommit, parse_commit
from service.ledger.replay import Loaded, forward
from service.ledger.times import timestamp
from service.matches.desk import Desk
from service.matches.shelf import is_in_journal
from service.matches.snapshots import read_snapshot, write_snapshot

SNAPSHOT_EVERY = 100  # commits replayed in one go, after which a snapshot is written
CHECKPOINT_EVERY = 50  # versions; past states are remembered at the multiples
PIECE = 200  # commits read in one go; a multiple of CHECKPOINT_EVERY


def load(desk: Desk, match_id: str) -> Loaded:
    """Return a match at its head; raises NotFound, MatchDeleted."""
    loaded, _ = load_with_field(desk, match_id, "")
    return loaded


def load_with_field(desk: Desk, match_id: str, field: str) -> tuple[Loaded, str | None]:
    """Return a match at its head, and one field of its sidecar; raises NotFound, MatchDeleted.

    What is remembered of the match counts only if the journal's head bears it out.
    """
    base = desk.shelf.get(match_id) or read_snapshot(desk, match_id)
    base_version = base.version if base else 0
    entries, value, head = desk.journal.tail(match_id, base_version, field, PIECE)
    if head is None:
        desk.shelf.drop(match_id)
        raise why_missing(desk, match_id)

    if base is not None and not _leads_to(base, entries, head):
        # What was remembered is not of this stream: the journal alone is the truth.
        desk.shelf.drop(match_id)
        base = None
        base_version = 0
        entries = desk.journal.read(match_id, 0, PIECE)

    loaded = _advance(base, entries)
    start = loaded.version if loaded else 0
    for piece in pieces(desk, match_id, start, head.version):
        loaded = _advance(loaded, piece)
    if loaded is None:
        raise why_missing(desk, match_id)

    _remember(desk, loaded, loaded.version - base_version)
    return loaded, value


def _leads_to(base: Loaded, entries: list[bytes], head: Head) -> bool:
    """Return whether a remembered match is at the head, or the commits read follow upon it."""
    if entries:
        follows: bool = parse_commit(entries[0])["commit"]["prev"] == base.hash
        return follows
    return (base.version, base.hash) == (head.version, head.hash)


def _advance(base: Loaded | None, entries: list[bytes]) -> Loaded | None:
    """Return a match after further commits, and count them."""
    metrics.REPLAYED.inc(len(entries))
    return forward(base, entries)


def _remember(desk: Desk, loaded: Loaded, replayed: int) -> None:
    """Keep a match for which so many commits had to be replayed."""
    if replayed:
        desk.shelf.put(loaded)
    if replayed >= SNAPSHOT_EVERY:
        write_snapshot(desk, loaded)


def why_missing(desk: Desk, match_id: str) -> NotFound | MatchDeleted:
    """Return why there is no such match: there never was one, or the operator has deleted it."""
    tombstone = desk.journal.deleted(match_id)
    if tombstone is None:
        return NotFound(f"there is no match {match_id}")
    return MatchDeleted(match_id, timestamp(tombstone.at))


def pieces(desk: Desk, match_id: str, after: int, until: int) -> Iterator[list[bytes]]:
    """Yield the commits after a version up to another, at most PIECE at a time.

    So only these are held at once. Raises NotFound or MatchDeleted if the match goes away.
    """
    while after < until:
        entries = desk.journal.read(match_id, after, min(PIECE, until - after))
        if not entries:
            raise why_missing(desk, match_id)
        yield entries
        after += len(entries)


def entry_of(desk: Desk, match_id: str, version: int) -> StoredCommit:
    """Return the stored entry of the commit that made a version, which there is."""
    [entry] = desk.journal.read(match_id, version - 1, 1)
    return parse_commit(entry)


def at_version(desk: Desk, match_id: str, version: int) -> Loaded:
    """Return a match as it was after a commit, replayed from the journal; raises NotFound.

    The nearest checkpoint that this process has passed before saves most of the way.
    """
    loaded = _checkpoint_before(desk, match_id, version)
    if loaded is not None and not is_in_journal(desk.journal, loaded):
        loaded = None

    start = loaded.version if loaded else 0
    for entries in pieces(desk, match_id, start, version):
        loaded = _advance_by_checkpoints(desk, loaded, entries)
    if loaded is None or loaded.version != version:
        raise NotFound(f"match {match_id} has no version {version}")
    return loaded


def _checkpoint_before(desk: Desk, match_id: str, version: int) -> Loaded | None:
    """Return the latest checkpoint remembered that is not after a version, None without any."""
    latest = version - version % CHECKPOINT_EVERY
    for checkpoint in range(latest, 0, -CHECKPOINT_EVERY):
        remembered = desk.past.get(_place(match_id, checkpoint))
        if remembered is not None:
            return remembered
    return None


def _advance_by_checkpoints(desk: Desk, loaded: Loaded | None, entries: list[bytes]) -> Loaded:
    """Return a match after further commits (one at least), and remember each checkpoint on the way.

    Pieces begin at a checkpoint, so a step of CHECKPOINT_EVERY commits ends at one.
    """
    for start in range(0, len(entries), CHECKPOINT_EVERY):
        loaded = _advance(loaded, entries[start : start + CHECKPOINT_EVERY])
        assert loaded is not None
        if loaded.version % CHECKPOINT_EVERY == 0:
            place = _place(loaded.id, loaded.version)
            desk.past.drop(place)
            desk.past.put(loaded, place)

    assert loaded is not None
    return loaded


def _place(match_id: str, version: int) -> str:
    return f"{match_id}@{version}"
