"""The log as it is read: positions, entries, tiles and proofs, as far as its checkpoint goes.

What is in it never changes. It is read from the files, and its last entries, which do not fill a
bundle yet, from the order in the journal.
"""

import os
import sqlite3
import struct
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

import orjson

from service.archive.places import NotThere
from service.journal.port import OrderPort
from service.journal.values import Order
from service.ledger.commit import canonical
from service.log import tree
from service.log.files import LogFiles, LogUnavailable
from service.log.tree import WIDTH, Hashes

BUNDLES_KEPT = 64  # in memory; one has some 60 kB
TILES_KEPT = 256  # in memory; one has 8 kB
_TRIES = 5  # at what moves on while it is read
_BUNDLES_AT_ONCE = 400  # taken into the index by one call
_KEY_BYTES = 16  # of a commit's hash, in the index


class NotIndexed(LogUnavailable):
    """Positions are still being indexed, so nobody knows whether this one is there."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What the log holds at a position.

    leaf: the canonical JSON that the tree is over: `hash`, `match` and `version` of a commit, of
        private matches `hash` alone; or `generation` and `gone_back`, which say that the journal
        had lost commits by then, and an operator has accepted it.
    hash: of the commit, "" for the latter.
    match, version: "" and 0 where the leaf does not name them; then the following are "", too.
    time: of the commit.   game: its key.   status: of the match when the commit was sequenced.
    """

    position: int
    leaf: bytes
    hash: str
    match: str = ""
    version: int = 0
    time: str = ""
    game: str = ""
    status: str = ""


# ---- lines: how the order and the bundles hold entries ------------------------------------------


def public_line(match: str, version: int, commit_hash: str, beside: Sequence[str]) -> bytes:
    """Return the line of a commit of a public match; beside: time, game and status."""
    leaf = canonical({"hash": commit_hash, "match": match, "version": version})
    return leaf + b"\n" + "|".join(beside).encode()


def private_line(commit_hash: str) -> bytes:
    """Return the line of a commit of a private match."""
    return canonical({"hash": commit_hash}) + b"\n"


def gone_back_line(generation: str, time: str) -> bytes:
    """Return the line that says that the journal had gone back when it got a generation."""
    return canonical({"generation": generation, "gone_back": time}) + b"\n"


def leaf_of(line: bytes) -> bytes:
    """Return the leaf that a line holds."""
    return line[: line.index(b"\n")]


def read_line(position: int, line: bytes) -> Entry:
    """Return the entry that a line holds."""
    leaf, _, beside = line.partition(b"\n")
    fields = orjson.loads(leaf)
    match = fields.get("match", "")
    if not match:
        return Entry(position, leaf, fields.get("hash", ""))
    time, game, status = beside.decode().split("|")
    return Entry(position, leaf, fields["hash"], match, fields["version"], time, game, status)


# ---- the log -----------------------------------------------------------------------------------


class Log:
    """One log; safe to share among threads. All methods raise JournalUnavailable.

    files: where it lies.
    index: a file of this machine that is made when a position is first looked for.
    """

    def __init__(self, order: OrderPort, files: LogFiles, index: Path) -> None:
        self._order = order
        self.files = files
        self._index = _Index(index)
        self._full_bundle = lru_cache(maxsize=BUNDLES_KEPT)(self._read_full_bundle)
        self._tile = lru_cache(maxsize=TILES_KEPT)(files.tile)
        self._level_0 = lru_cache(maxsize=TILES_KEPT)(self._hash_full_bundle)

    def state(self) -> Order:
        """Return how far the log goes; the cursors are left out."""
        return self._order.state(whole=False)

    def size(self) -> int:
        """Return how many entries there are, as the checkpoint says."""
        return self.state().published

    def checkpoint(self) -> bytes:
        """Return the newest checkpoint, a signed note; b"" before the first."""
        return self.state().checkpoint

    def entries(self, after: int, limit: int) -> list[Entry]:
        """Return entries from the position `after` on, oldest first: `after` were seen before."""
        end = min(self.size(), after + limit)
        found: list[Entry] = []
        for number in range(after // WIDTH, -(-end // WIDTH)):
            start = number * WIDTH
            lines = self._lines(number, min(WIDTH, end - start))
            first = max(after - start, 0)
            found += [read_line(start + at, lines[at]) for at in range(first, len(lines))]
        return found

    def tile(self, level: int, number: int, width: int = WIDTH) -> bytes | None:
        """Return a tile of hashes (C2SP tlog-tiles), None if the log is too small for it."""
        size = self.size()
        if not 0 < width <= tree.tile_width(level, number, size):
            return None
        return tree.joined(self._reader(size)(level, number, width))

    def bundle(self, number: int, width: int = WIDTH) -> bytes | None:
        """Return a bundle of leaves (C2SP tlog-tiles), None if the log is too small for it."""
        if not 0 < width <= tree.tile_width(0, number, self.size()):
            return None
        leaves = map(leaf_of, self._lines(number, width))
        return b"".join(struct.pack(">H", len(leaf)) + leaf for leaf in leaves)

    def inclusion(self, position: int, size: int) -> list[bytes]:
        """Return the proof of a position in the log of a size; 0 <= position < size <= size()."""
        return tree.inclusion(position, size, self._nodes(size))

    def consistency(self, old: int, size: int) -> list[bytes]:
        """Return the proof that the log of a size goes on from an old one; 0 < old <= size."""
        return tree.consistency(old, size, self._nodes(size))

    def root(self, size: int) -> bytes:
        """Return the root of the log of a size up to size()."""
        return self._nodes(size).over(0, size) if size else tree.EMPTY_ROOT

    def position(self, commit_hash: str) -> int | None:
        """Return where a commit is, None if it is not in the log; raises NotIndexed.

        The index of this machine catches up first, by so much as one request may take.
        """
        has_more = self.catch_up()
        found = self._index.find(commit_hash)
        if found is None and has_more:
            raise NotIndexed("the log is being indexed: try again")
        return found

    def known(self, hashes: Sequence[str]) -> set[str]:
        """Return which of some commits are in the log, whatever it takes to find out."""
        while self.catch_up():
            pass
        return {one for one in hashes if self._index.find(one) is not None}

    def catch_up(self) -> bool:
        """Take some entries into the index; return whether there are more."""
        state = self.state()
        for _ in range(_BUNDLES_AT_ONCE):
            indexed = self._index.size(state.key)
            if indexed >= state.published:
                return False
            found = self.entries(indexed, WIDTH - indexed % WIDTH)
            self._index.add(indexed, [entry.hash for entry in found])
        return self._index.size(state.key) < state.published

    def _nodes(self, size: int) -> tree.Nodes:
        return tree.Nodes(size, self._reader(self.size()))

    def _reader(self, published: int) -> tree.ReadTile:
        return partial(self._read_tile, published)

    def _read_tile(self, published: int, level: int, number: int, width: int) -> Hashes:
        """Return the first hashes of a tile."""
        if level == 0:
            if width == WIDTH:
                return self._level_0(number)
            return tuple(map(tree.leaf_hash, map(leaf_of, self._lines(number, width))))

        for _ in range(_TRIES):
            widest = tree.tile_width(level, number, published)
            try:
                return self._tile(level, number, widest)[:width]
            except NotThere:
                # A newer checkpoint has come, and with it a wider tile.
                published = self.size()
        raise LogUnavailable(f"a tile of the log is missing in {self.files}")

    def _lines(self, number: int, width: int) -> list[bytes]:
        """Return the first lines of a bundle, which the checkpoint covers."""
        if width == WIDTH:
            return self._full_bundle(number)
        lines = self._order.decided(number * WIDTH, width)
        return self._full_bundle(number)[:width] if lines is None else lines

    def _read_full_bundle(self, number: int) -> list[bytes]:
        lines = None
        try:
            return self.files.bundle(number)
        except NotThere:
            # The order still holds it until the checkpoint that covers it is published.
            lines = self._order.decided(number * WIDTH, WIDTH)
        if lines is None or len(lines) < WIDTH:
            raise LogUnavailable(f"a bundle of the log is missing in {self.files}")
        return lines

    def _hash_full_bundle(self, number: int) -> Hashes:
        return tuple(map(tree.leaf_hash, map(leaf_of, self._full_bundle(number))))


class _Index:
    """Positions by the hashes of commits: a file that can be thrown away, and is made again.

    The threads and processes of a machine share it.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._lock = threading.Lock()
        self._database: sqlite3.Connection | None = None
        self._process = 0

    def size(self, key: str) -> int:
        """Return up to which position the entries of the log with a key are in it."""
        with self._opened() as database:
            [indexed_key, size] = database.execute("SELECT key, size FROM indexed").fetchone()
            if indexed_key == key:
                return int(size)
            database.execute("DELETE FROM positions")
            database.execute("UPDATE indexed SET key = ?, size = 0", (key,))
        return 0

    def find(self, commit_hash: str) -> int | None:
        """Return the position of a commit, None if it is not in it."""
        with self._opened() as database:
            query = "SELECT position FROM positions WHERE hash = ?"
            row = database.execute(query, (_key(commit_hash),)).fetchone()
        return row and int(row[0])

    def add(self, start: int, hashes: Sequence[str]) -> None:
        """Add the entries from a position on, if those before them are in it."""
        rows = [(_key(one), start + at) for at, one in enumerate(hashes) if one]
        with self._opened() as database:
            query = "UPDATE indexed SET size = ? WHERE size = ?"
            if database.execute(query, (start + len(hashes), start)).rowcount:
                database.executemany("INSERT OR IGNORE INTO positions VALUES (?, ?)", rows)

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        """Yield the database, made if it is missing; what the block changes is one transaction."""
        try:
            with self._lock:
                if self._database is None or self._process != os.getpid():
                    # After a fork the connection is the parent's.
                    self._database = sqlite3.connect(
                        self._file, timeout=5, check_same_thread=False, isolation_level="IMMEDIATE"
                    )
                    self._process = os.getpid()
                    self._database.executescript(_SCHEMA)
                with self._database:
                    yield self._database
        except (sqlite3.Error, OSError) as error:
            raise LogUnavailable(f"the index {self._file} cannot be used: {error}") from None


_SCHEMA = """
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = OFF;
    CREATE TABLE IF NOT EXISTS positions (hash BLOB PRIMARY KEY, position INTEGER) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS indexed
        (one INTEGER PRIMARY KEY CHECK (one = 0), key TEXT, size INTEGER);
    INSERT OR IGNORE INTO indexed VALUES (0, '', 0);
"""


def _key(commit_hash: str) -> bytes:
    return bytes.fromhex(commit_hash)[:_KEY_BYTES]


def open_log(order: OrderPort, archive: str, data: Path) -> Log:
    """Return the log whose files lie beside an archive; data: the directory of the index."""
    return Log(order, LogFiles(archive), data / "log.index")
