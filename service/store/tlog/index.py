"""The index of the log on one machine: positions of commits, and public matches by last commit.

The index is a cache in an SQLite file, derived from the entries of the log. The file may be deleted
at any time, and is then built again.

The table `progress` holds the key of the indexed log and the number of indexed entries. States of
the file:

    missing      the first use creates the file
    empty        no entry is indexed: the file is new, or the log was replaced
    behind       the log has more entries, and `Log.catch_up` adds them bundle by bundle
    up to date   all published entries are indexed

Any number of threads and processes may index and read at the same time. `add` is one transaction,
and does nothing if another transaction has changed the number meanwhile.

A process dies within `add`:

1. SQLite rolls the transaction back, also after a power loss. Number, positions and matches still
   belong together.
2. The next `catch_up` of any process reads the old number and adds the same entries.

The file is damaged:

1. `_unavailable` recognizes the error of SQLite, removes the file, and returns LogUnavailable for
   the caller.
2. `_connection` of the next caller finds another inode and creates the file again, empty.
"""

import os
import sqlite3
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from service.store.journal.stored_status import stored_status
from service.store.journal.values import ENDED
from service.store.tlog.entries import LogEntry, LogUnavailable

_KEY_BYTES = 16  # of a commit's hash


class MatchSelection(NamedTuple):
    """A selection of public matches.

    game, status: "" for all.   ended: True for ended matches alone.
    since: earliest time of the last commit. "" for all.
    until: the last commit is earlier than this time. "" for all.
    before: the position of the last commit is smaller. None for all.
    first: smallest position of the last commit. The order is reversed then. None for all.
    """

    game: str = ""
    status: str = ""
    ended: bool = False
    since: str = ""
    until: str = ""
    before: int | None = None
    first: int | None = None


class Listed(NamedTuple):
    """A match with the position and the time of its last commit."""

    position: int
    match: str
    time: str


class Index:
    """Positions by the hash of a commit, and public matches by the position of the last commit."""

    def __init__(self, file: Path) -> None:
        self._database = Database(file, _SCHEMA, form=1)

    def size(self, key: str) -> int:
        """Return the number of indexed entries of the log with a key.

        The index is cleared first if it holds entries of another log.
        """
        with self._database.reading() as database:
            [indexed_key, size] = database.execute("SELECT key, size FROM progress").fetchone()
        if indexed_key == key:
            return int(size)
        self.begin_again(key)
        return 0

    def begin_again(self, key: str) -> None:
        """Clear the index, for the log with a key."""
        with self._database.opened() as database:
            database.execute("DELETE FROM positions")
            database.execute("DELETE FROM matches")
            database.execute("DELETE FROM blocks")
            database.execute("UPDATE progress SET key = ?, size = 0", (key,))

    def find(self, commit_hash: str) -> int | None:
        """Return the position of a commit, None if it is not indexed."""
        with self._database.reading() as database:
            query = "SELECT position FROM positions WHERE hash = ?"
            row = database.execute(query, (_key(commit_hash),)).fetchone()
        return row and int(row[0])

    def listed(self, selection: MatchSelection, limit: int) -> list[Listed]:
        """Return public matches, newest last commit first. `first` reverses the order."""
        with self._database.reading() as database:
            return _select(database, selection, limit)

    def add(self, start: int, entries: Sequence[LogEntry]) -> None:
        """Add entries from a position on. Do nothing unless the index ends there."""
        positions = [(_key(one.hash), one.position) for one in entries if one.hash]
        public = [one for one in entries if one.match and not one.is_private]
        # Only the last commit of a match is listed.
        last = {one.match: one for one in public}
        matches = [
            (
                one.match,
                one.position,
                one.time,
                one.game,
                stored_status(one.status),
                one.status in ENDED,
            )
            for one in last.values()
        ]
        times = [(one.position // _BLOCK, one.time, one.time) for one in last.values()]
        with self._database.opened() as database:
            query = "UPDATE progress SET size = ? WHERE size = ?"
            if database.execute(query, (start + len(entries), start)).rowcount:
                database.executemany("INSERT OR IGNORE INTO positions VALUES (?, ?)", positions)
                database.executemany("REPLACE INTO matches VALUES (?, ?, ?, ?, ?, ?)", matches)
                database.executemany(_ADD_TIME, times)

    def forget(self, matches: Sequence[str]) -> None:
        """Remove matches from the lists. The positions of their commits stay."""
        with self._database.opened() as database:
            query = "DELETE FROM matches WHERE match = ?"
            database.executemany(query, [(match,) for match in matches])


# Number of positions in a block. Times mostly grow with positions. Exceptions: imported matches,
# feeds held up, skew of processes' clocks. So the oldest and newest time of each block limit the
# positions to search for a period.
_BLOCK = 4096

_ADD_TIME = """
    INSERT INTO blocks VALUES (?, ?, ?) ON CONFLICT (block) DO UPDATE SET
        oldest = min(oldest, excluded.oldest), newest = max(newest, excluded.newest)
"""


def _select(database: sqlite3.Connection, selection: MatchSelection, limit: int) -> list[Listed]:
    """Return public matches as `Index.listed` does.

    The period limits the positions first, so that few rows outside of it are read.
    """
    start, end = _positions_between(database, selection)
    conditions = {
        "game = ?": selection.game,
        "status = ?": stored_status(selection.status),
        "time >= ?": selection.since,
        "time < ?": selection.until,
        "position >= ?": start,
        "position < ?": end,
    }
    parameters = {text: value for text, value in conditions.items() if value not in ("", None)}
    where = [*parameters, "ended"] if selection.ended else [*parameters]
    chosen = f"WHERE {' AND '.join(where)}" if where else ""
    order = "position DESC" if selection.first is None else "position"
    # Only the fixed conditions above are in the text. All values of a caller are bound.
    query = f"SELECT position, match, time FROM matches {chosen} ORDER BY {order} LIMIT ?"  # noqa: S608
    rows = database.execute(query, (*parameters.values(), limit)).fetchall()
    return [Listed(*row) for row in rows]


def _positions_between(
    database: sqlite3.Connection, selection: MatchSelection
) -> tuple[int | None, int | None]:
    """Return the smallest position of the selected matches, and the first position after them.

    None for no bound. A period gives the bounds of whole blocks.
    """
    if not (selection.since or selection.until):
        return selection.first, selection.before
    query = (
        "SELECT min(block), max(block) FROM blocks "
        "WHERE newest >= :since AND (:until = '' OR oldest < :until)"
    )
    times = {"since": selection.since, "until": selection.until}
    first, last = database.execute(query, times).fetchone()
    if first is None:
        return 0, 0
    start, end = first * _BLOCK, (last + 1) * _BLOCK
    before = end if selection.before is None else min(end, selection.before)
    return max(start, selection.first or 0), before


_SCHEMA = """
    PRAGMA journal_mode = WAL;
    -- No sync at each commit: a power loss may lose the last transactions, each as a whole, and
    -- they are made again. With OFF it could keep the size and lose the positions.
    PRAGMA synchronous = NORMAL;
    CREATE TABLE IF NOT EXISTS positions (hash BLOB PRIMARY KEY, position INTEGER) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS matches (
        match TEXT PRIMARY KEY, position INTEGER, time TEXT, game TEXT, status TEXT, ended INTEGER
    ) WITHOUT ROWID;
    -- Each choice of a game and a status has an index in the order of positions.
    CREATE INDEX IF NOT EXISTS last_first ON matches (position);
    CREATE INDEX IF NOT EXISTS of_game ON matches (game, position);
    CREATE INDEX IF NOT EXISTS of_status ON matches (status, position);
    CREATE INDEX IF NOT EXISTS of_both ON matches (game, status, position);
    CREATE INDEX IF NOT EXISTS ended_first ON matches (position, time) WHERE ended;
    CREATE INDEX IF NOT EXISTS ended_of_game ON matches (game, position, time) WHERE ended;
    CREATE TABLE IF NOT EXISTS blocks (block INTEGER PRIMARY KEY, oldest TEXT, newest TEXT);
    CREATE TABLE IF NOT EXISTS progress
        (one INTEGER PRIMARY KEY CHECK (one = 0), key TEXT, size INTEGER);
    INSERT OR IGNORE INTO progress VALUES (0, '', 0);
"""


def _key(commit_hash: str) -> bytes:
    return bytes.fromhex(commit_hash)[:_KEY_BYTES]


# ---- a cache in a file ---------------------------------------------------------------------------


_IDLE_READERS = 4  # idle connections of a process


class Database:
    """A database derived from the journal, in a file of this machine that can be built again.

    The threads and processes of a machine share the file. Writers of a process take turns. Each
    reader has a connection of its own, so a long query delays nobody. A damaged file and a file of
    another form are removed.

    schema: statements that create missing tables.   form: number of the schema, changed with it.
    """

    def __init__(self, file: Path, schema: str, form: int) -> None:
        self._file = file
        self._schema = schema
        self._form = form
        self._lock = threading.Lock()
        self._connected: sqlite3.Connection | None = None
        self._opened_as = (0, 0)
        self._idle: deque[tuple[tuple[int, int], sqlite3.Connection]] = deque()

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection that reads one snapshot of the database."""
        try:
            opened_as, database = self._reader()
            try:
                database.execute("BEGIN")
                yield database
            finally:
                database.rollback()
                if len(self._idle) < _IDLE_READERS:
                    self._idle.append((opened_as, database))
                else:
                    database.close()
        except (sqlite3.Error, OSError) as error:
            raise self._unavailable(error) from None

    def _reader(self) -> tuple[tuple[int, int], sqlite3.Connection]:
        """Return an unused connection, with its process and the inode of its file."""
        with suppress(IndexError):
            while True:
                opened_as, database = self._idle.pop()
                if opened_as == (os.getpid(), self._inode()):
                    return opened_as, database
                if opened_as[0] == os.getpid():
                    database.close()

        opened_as = os.getpid(), self._inode()
        if opened_as != self._opened_as:
            with self._lock:
                self._connection()  # creates a missing file
                opened_as = self._opened_as
        database = sqlite3.connect(self._file, timeout=5, check_same_thread=False)
        database.execute("PRAGMA query_only = ON")
        return opened_as, database

    @contextmanager
    def opened(self) -> Iterator[sqlite3.Connection]:
        """Yield the database, created if missing. The changes of the block are one transaction."""
        try:
            with self._lock, self._connection() as database:
                yield database
        except (sqlite3.Error, OSError) as error:
            raise self._unavailable(error) from None

    def _unavailable(self, error: Exception) -> LogUnavailable:
        """Return the error for the caller. A damaged file is removed."""
        if _is_damage(error):
            self._throw_away()
        return LogUnavailable(f"the file {self._file} cannot be used: {error}")

    def _connection(self) -> sqlite3.Connection:
        """Return the connection to the present file."""
        # After a fork the connection is the parent's, and the file may have been removed.
        if self._connected is None or self._opened_as != (os.getpid(), self._inode()):
            if self._connected is not None and self._opened_as[0] == os.getpid():
                self._connected.close()
            self._connected = None
            self._connected = self._create()
            self._opened_as = (os.getpid(), self._inode())
        return self._connected

    def _create(self) -> sqlite3.Connection:
        """Return a connection to the file. A file of another form is replaced."""
        for _ in range(2):
            database = sqlite3.connect(
                self._file, timeout=5, check_same_thread=False, isolation_level="IMMEDIATE"
            )
            is_empty = not database.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
            form = database.execute("PRAGMA user_version").fetchone()[0]
            if is_empty or form == self._form:
                break
            database.close()
            self._throw_away()
        database.executescript(f"{self._schema} PRAGMA user_version = {self._form};")
        return database

    def _inode(self) -> int:
        """Return the inode of the file, 0 if it is missing."""
        try:
            return self._file.stat().st_ino
        except FileNotFoundError:
            return 0

    def _throw_away(self) -> None:
        """Remove the file, so that it is built again. SQLite's files beside it go first."""
        for suffix in ("-wal", "-shm", ""):
            with suppress(OSError):
                self._file.with_name(self._file.name + suffix).unlink()


def _is_damage(error: Exception) -> bool:
    """Return True for the errors of a damaged database, or of damaged SQLite files beside it.

    An I/O error counts, too. SQLite reports one if the database was removed or restored without the
    files beside it.
    """
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_OK)
    primary = code & 0xFF  # the higher bits give details
    return primary in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_IOERR)
