"""What every use case works with, and matches brought to their present state."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from domain import wire
from domain.errors import BadMessage
from domain.games import RULES
from domain.match.state import Match, fold, opened
from service.errors import NotFound
from service.journal import codec
from service.journal.port import Journal

if TYPE_CHECKING:
    from service.signing import Signer

SNAPSHOT_EVERY = 100
CHECKPOINT_EVERY = 50


@dataclass(frozen=True, slots=True)
class Loaded:
    """A match at one version: when its first and last commits were made, and the last one's hash.

    `match` is never changed.
    """

    id: str
    version: int
    created: str
    time: str
    hash: str
    match: Match


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


def timestamp(milliseconds: int) -> str:
    """Return milliseconds since the epoch as RFC 3339 in UTC with milliseconds."""
    moment = datetime.fromtimestamp(milliseconds / 1000, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{milliseconds % 1000:03d}Z"


def milliseconds(time: str) -> int:
    """Return RFC 3339 in UTC, as `timestamp` writes it, as milliseconds since the epoch."""
    return round(datetime.fromisoformat(time).timestamp() * 1000)


def load(desk: Desk, match: str, aside: str = "") -> tuple[Loaded, str | None]:
    """Return a match at its head and one field of its side table; raises NotFound."""
    base = desk.shelf.get(match) or read_snapshot(desk, match)
    entries, value = desk.journal.tail(match, base.version if base else 0, aside)
    if base and entries and codec.parse(entries[0])["commit"]["prev"] != base.hash:
        base = None  # what we kept is not of this stream: the journal alone is the truth
        entries = desk.journal.read(match)
    loaded = forward(base, entries)
    if loaded is None:
        raise NotFound(f"there is no match {match}")
    if entries:
        desk.shelf.put(loaded)
        if len(entries) >= SNAPSHOT_EVERY:
            write_snapshot(desk, loaded)
    return loaded, value


def forward(base: Loaded | None, entries: list[bytes]) -> Loaded | None:
    """Return the match after further commits (None: from its first); the base is left alone."""
    if not entries:
        return base
    parsed = codec.parse_all(entries)
    rules = base.match.rules if base else codec.rules_of(parsed[0])
    match = apply(base.match.copy() if base else None, codec.decode_events(parsed, rules))
    last = parsed[-1]
    commit = last["commit"]
    created = base.created if base else parsed[0]["commit"]["time"]
    return Loaded(commit["match"], commit["version"], created, commit["time"], last["hash"], match)


def apply(match: Match | None, events: list[Any]) -> Match:
    """Apply events in place (None: the first commit's at least, which make the match) and return the match."""
    if match is None:
        match = opened(events[0])
        events = events[1:]
    fold(match, events)
    return match


def at_version(desk: Desk, match: str, version: int) -> Loaded:
    """Return a match as it was after a commit, replayed from the journal; raises NotFound.

    The nearest checkpoint that this process has passed before saves most of the way.
    """
    base = _checkpoint(desk, match, version)
    start = base.version if base else 0
    entries = desk.journal.read(match, start, version - start) if version > start else []
    if base and entries and codec.parse(entries[0])["commit"]["prev"] != base.hash:
        base, entries = None, desk.journal.read(match, 0, version)
    while len(entries) > (room := CHECKPOINT_EVERY - (base.version if base else 0) % CHECKPOINT_EVERY):
        base, entries = forward(base, entries[:room]), entries[room:]
        assert base is not None
        desk.past.put(base, f"{match}@{base.version}")
    loaded = forward(base, entries)
    if loaded is None or loaded.version != version:
        raise NotFound(f"match {match} has no version {version}")
    return loaded


def _checkpoint(desk: Desk, match: str, version: int) -> Loaded | None:
    marks = range(version - version % CHECKPOINT_EVERY, 0, -CHECKPOINT_EVERY)
    return next((found for mark in marks if (found := desk.past.get(f"{match}@{mark}"))), None)


# ---- snapshots: only ever an optimisation ----------------------------------------------------------------------------


def write_snapshot(desk: Desk, loaded: Loaded) -> None:
    """Store the state beside the stream."""
    match = loaded.match
    data = {
        "shape": _shape(match.rules), "rules": match.rules, "version": loaded.version,
        "created": loaded.created, "time": loaded.time, "hash": loaded.hash,
        "match": wire.dump(replace(match, state=None)),
        "state": None if match.state is None else wire.dump(match.state),
    }  # fmt: skip
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
        state = None if held["state"] is None else wire.load(RULES[held["rules"]].state, held["state"])
        whole = replace(wire.load(Match, held["match"]), state=state)
        loaded = Loaded(match, held["version"], held["created"], held["time"], held["hash"], whole)
        known = desk.journal.read(match, loaded.version - 1, 1)
        return loaded if known and codec.parse(known[0])["hash"] == loaded.hash else None
    except (ValueError, KeyError, TypeError, BadMessage):
        return None


def _shape(rules: str) -> str:
    return codec.digest([wire.shape(Match), wire.shape(RULES[rules].state)])
