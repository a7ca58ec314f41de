"""What every use case works with, and matches brought to their present state."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from domain import wire
from domain.errors import BadMessage
from domain.games import RULES
from domain.match.state import Match
from service import metrics
from service.errors import MatchDeleted, NotFound
from service.journal.port import Head, Journal, JournalUnavailable
from service.ledger import codec
from service.ledger.replay import Loaded, forward
from service.ledger.times import timestamp

if TYPE_CHECKING:
    from service.keys.signer import Signer

SNAPSHOT_EVERY = 100
CHECKPOINT_EVERY = 50
PIECE = 200  # commits read in one go


class Shelf:
    """The matches last used, at most `size`; safe between threads because what lies on it is never changed."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._items: OrderedDict[str, Loaded] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, place: str) -> Loaded | None:
        """Return the match that lies at a place, None if there is none."""
        with self._lock:
            if place in self._items:
                self._items.move_to_end(place)
            return self._items.get(place)

    def drop(self, place: str) -> None:
        """Clear a place."""
        with self._lock:
            self._items.pop(place, None)

    def put(self, loaded: Loaded, place: str = "") -> None:
        """Keep the match at a place (its id), unless a later version lies there already."""
        place = place or loaded.id
        with self._lock:
            old = self._items.get(place)
            if old is None or old.version < loaded.version:
                self._items[place] = loaded
            self._items.move_to_end(place)
            if len(self._items) > self._size:
                self._items.popitem(last=False)


@dataclass(frozen=True, slots=True)
class Desk:
    """journal: where commits lie; secret: the server's own 32 bytes; clock: milliseconds since the epoch.

    wake(match, version, work): tells the workers that a match waits for the "house", for "bots", or for "exhibition",
    the bots among whom no human sits; never raises.
    signer: writes receipts; None: there are none.   holders: tokens' fields and whose they were when last looked up.
    exhibitions: how many matches may wait for bots when another one of bots alone begins; 0: any number.
    """

    journal: Journal
    secret: bytes
    clock: Callable[[], int]
    wake: Callable[[str, int, str], None]
    allow_seed: bool = False
    signer: "Signer | None" = None
    shelf: Shelf = field(default_factory=lambda: Shelf(512))
    past: Shelf = field(default_factory=lambda: Shelf(1024))
    holders: dict[str, str] = field(default_factory=dict)
    exhibitions: int = 0


def load(desk: Desk, match: str, aside: str = "") -> tuple[Loaded, str | None]:
    """Return a match at its head and one field of its side table; raises NotFound, MatchDeleted.

    What is remembered of the match counts only if the journal's head bears it out.
    """
    base = desk.shelf.get(match) or read_snapshot(desk, match)
    entries, value, head = desk.journal.tail(match, base.version if base else 0, aside, PIECE)
    if head is None:
        desk.shelf.drop(match)
        raise absent(desk, match)
    if base is not None and not _leads_to(base, entries, head):
        desk.shelf.drop(match)  # what we kept is not of this stream: the journal alone is the truth
        base = None
        entries = desk.journal.read(match, 0, PIECE)

    loaded = _advance(base, entries)
    start = loaded.version if loaded else 0
    for piece in pieces(desk, match, start, head.version):
        loaded = _advance(loaded, piece)
    if loaded is None:
        raise absent(desk, match)

    replayed = loaded.version - (base.version if base else 0)
    if replayed:
        desk.shelf.put(loaded)
        if replayed >= SNAPSHOT_EVERY:
            write_snapshot(desk, loaded)
    return loaded, value


def _leads_to(base: Loaded, entries: list[bytes], head: Head) -> bool:
    """Return whether a match as it is remembered is at the journal's head, or the commits read follow upon it."""
    if entries:
        follows: bool = codec.parse(entries[0])["commit"]["prev"] == base.hash
        return follows
    return (base.version, base.hash) == (head.version, head.hash)


def absent(desk: Desk, match: str) -> NotFound | MatchDeleted:
    """Return why there is no match of this id: there never was, or the operator has deleted it."""
    tombstone = desk.journal.deleted(match)
    if tombstone is None:
        return NotFound(f"there is no match {match}")
    return MatchDeleted(match, timestamp(tombstone.at))


def pieces(desk: Desk, match: str, after: int, until: int) -> Iterator[list[bytes]]:
    """Yield the commits after a version up to another, a few at a time, so that none but these are held at once.

    Raises NotFound or MatchDeleted if the match goes away meanwhile.
    """
    while after < until:
        entries = desk.journal.read(match, after, min(PIECE, until - after))
        if not entries:
            raise absent(desk, match)
        yield entries
        after += len(entries)


def _advance(base: Loaded | None, entries: list[bytes]) -> Loaded | None:
    """Return the match after further commits, and count them."""
    metrics.REPLAYED.inc(len(entries))
    return forward(base, entries)


def at_version(desk: Desk, match: str, version: int) -> Loaded:
    """Return a match as it was after a commit, replayed from the journal; raises NotFound.

    The nearest checkpoint that this process has passed before saves most of the way.
    """
    loaded = _checkpoint(desk, match, version)
    if loaded is not None and not _still_holds(desk, loaded):
        loaded = None
    for entries in pieces(desk, match, loaded.version if loaded else 0, version):
        for start in range(
            0, len(entries), CHECKPOINT_EVERY
        ):  # checkpoints lie at its multiples, and so do pieces
            loaded = _advance(loaded, entries[start : start + CHECKPOINT_EVERY])
            assert loaded is not None
            if loaded.version % CHECKPOINT_EVERY == 0:
                desk.past.drop(f"{match}@{loaded.version}")
                desk.past.put(loaded, f"{match}@{loaded.version}")
    if loaded is None or loaded.version != version:
        raise NotFound(f"match {match} has no version {version}")
    return loaded


def _still_holds(desk: Desk, loaded: Loaded) -> bool:
    """Return whether the journal has the commit that a remembered state ends with."""
    known = desk.journal.read(loaded.id, loaded.version - 1, 1)
    return bool(known) and codec.parse(known[0])["hash"] == loaded.hash


def _checkpoint(desk: Desk, match: str, version: int) -> Loaded | None:
    marks = range(version - version % CHECKPOINT_EVERY, 0, -CHECKPOINT_EVERY)
    return next((found for mark in marks if (found := desk.past.get(f"{match}@{mark}"))), None)


# ---- snapshots: only ever an optimisation ----------------------------------------------------------------------------


def write_snapshot(desk: Desk, loaded: Loaded) -> None:
    """Store the state beside the stream; a journal that does not take it has every commit all the same."""
    match = loaded.match
    data = {
        "shape": _shape(match.rules), "rules": match.rules, "version": loaded.version,
        "created": loaded.created, "time": loaded.time, "hash": loaded.hash,
        "match": wire.dump(replace(match, state=None)),
        "state": None if match.state is None else wire.dump(match.state),
    }  # fmt: skip
    with suppress(JournalUnavailable):
        desk.journal.put_snapshot(loaded.id, codec.canonical(data))


def read_snapshot(desk: Desk, match: str) -> Loaded | None:
    """Return the stored state; None if there is none, or it is of other rules, another shape, unreadable or ahead."""
    data = desk.journal.snapshot(match)
    if data is None:
        return None
    try:
        held = codec.parse(data)
        if held["shape"] != _shape(held["rules"]):
            return None
        state = (
            None if held["state"] is None else wire.load(RULES[held["rules"]].state, held["state"])
        )
        whole = replace(wire.load(Match, held["match"]), state=state)
        loaded = Loaded(match, held["version"], held["created"], held["time"], held["hash"], whole)
        return loaded if _still_holds(desk, loaded) else None
    except (ValueError, KeyError, TypeError, BadMessage):
        return None


def _shape(rules: str) -> str:
    return codec.digest([wire.fingerprint(Match), wire.fingerprint(RULES[rules].state)])
