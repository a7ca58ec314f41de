"""The index of the log on a machine: where a commit is, and which matches moved on last."""

import os
import sqlite3
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from service.store.journal.values import ENDED
from service.store.tlog.entries import LogEntry, LogUnavailable

_KEY_BYTES = 16  # of a commit's hash


class Wanted(NamedTuple):
    """Which public matches are asked for.

    game, status: "" for all.   ended: only those that have ended.
    since: only those that moved on at this time or later, as commits tell it; "" for all.
    until: only those that moved on before this time; "" for all.
    before: only those whose last commit has a smaller position; None for all.
    first: the smallest position of a last commit; the order is the other one then. None for all.
    """

    game: str = ""
    status: str = ""
    ended: bool = False
    since: str = ""
    until: str = ""
    before: int | None = None
    first: int | None = None


class Listed(NamedTuple):
    """A match, and the position and the time of its last commit."""

    position: int
    match: str
    time: str


class Index:
    """Positions by the hashes of commits, and public matches by when they moved on last.

    It is a file that can be thrown away, and is made again.

    The threads and processes of a machine share it.
    """

    def __init__(self, file: Path) -> None:
        self._database = Database(file, _SCHEMA, form=1)

    def size(self, key: str) -> int:
        """Return up to which position the entries of the log with a key are in it.

        All is forgotten first if those of another log are.
        """
        with self._database.reading() as database:
            [indexed_key, size] = database.execute("SELECT key, size FROM progress").fetchone()
        if indexed_key == key:
            return int(size)
        self.begin_again(key)
        return 0

    def begin_again(self, key: str) -> None:
        """Forget all, and take entries of the log with a key from now on."""
        with self._database.opened() as database:
            database.execute("DELETE FROM positions")
            database.execute("DELETE FROM matches")
            database.execute("DELETE FROM blocks")
            database.execute("UPDATE progress SET key = ?, size = 0", (key,))

    def find(self, commit_hash: str) -> int | None:
        """Return the position of a commit, None if it is not in it."""
        with self._database.reading() as database:
            query = "SELECT position FROM positions WHERE hash = ?"
            row = database.execute(query, (_key(commit_hash),)).fetchone()
        return row and int(row[0])

    def listed(self, wanted: Wanted, limit: int) -> list[Listed]:
        """Return public matches, the last one that moved on first, or the other way about."""
        with self._database.reading() as database:
            return _listed(database, wanted, limit)

    def add(self, start: int, entries: Sequence[LogEntry]) -> None:
        """Add entries from a position on, if those before them are in it."""
        positions = [(_key(one.hash), one.position) for one in entries if one.hash]
        public = [one for one in entries if one.match and not one.is_private]
        # Only the last commit of a match is listed.
        last = {one.match: one for one in public}
        matches = [
            (one.match, one.position, one.time, one.game, one.status, one.status in ENDED)
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
        """Leave matches out of the lists from now on; the positions of their commits stay."""
        with self._database.opened() as database:
            query = "DELETE FROM matches WHERE match = ?"
            database.executemany(query, [(match,) for match in matches])


# Positions of one block. Times grow with positions, but for the clocks of several processes, so the
# oldest and newest time of each block find the positions between two times.
_BLOCK = 4096

_ADD_TIME = """
    INSERT INTO blocks VALUES (?, ?, ?) ON CONFLICT (block) DO UPDATE SET
        oldest = min(oldest, excluded.oldest), newest = max(newest, excluded.newest)
"""


def _listed(database: sqlite3.Connection, wanted: Wanted, limit: int) -> list[Listed]:
    """Return public matches as `Index.listed` does.

    Times narrow the positions first, so that a page reads few rows that it does not answer.
    """
    start, end = _positions_between(database, wanted)
    conditions = {
        "game = ?": wanted.game,
        "status = ?": wanted.status,
        "time >= ?": wanted.since,
        "time < ?": wanted.until,
        "position >= ?": start,
        "position < ?": end,
    }
    given = {text: value for text, value in conditions.items() if value not in ("", None)}
    where = [*given, "ended"] if wanted.ended else [*given]
    chosen = f"WHERE {' AND '.join(where)}" if where else ""
    order = "position DESC" if wanted.first is None else "position"
    # The conditions are those above. All values of a caller are bound.
    query = f"SELECT position, match, time FROM matches {chosen} ORDER BY {order} LIMIT ?"  # noqa: S608
    rows = database.execute(query, (*given.values(), limit)).fetchall()
    return [Listed(*row) for row in rows]


def _positions_between(
    database: sqlite3.Connection, wanted: Wanted
) -> tuple[int | None, int | None]:
    """Return the first position of the matches asked for, and the first after them.

    None: there is no bound.
    """
    if not (wanted.since or wanted.until):
        return wanted.first, wanted.before
    query = (
        "SELECT min(block), max(block) FROM blocks "
        "WHERE newest >= :since AND (:until = '' OR oldest < :until)"
    )
    times = {"since": wanted.since, "until": wanted.until}
    first, last = database.execute(query, times).fetchone()
    if first is None:
        return 0, 0
    start, end = first * _BLOCK, (last + 1) * _BLOCK
    return max(start, wanted.first or 0), end if wanted.before is None else min(end, wanted.before)


_SCHEMA = """
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL; -- else a power loss can keep the size and lose the positions
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


# ---- a file that can be thrown away --------------------------------------------------------------


_IDLE_READERS = 4  # connections of a process that wait for the next reader


class Database:
    """A database in a file of this machine that follows from the journal, and can be made again.

    The threads and processes of a machine share it. Writers of a process take turns. Each reader
    has a connection of its own, so a long query holds up nobody. A damaged file, and a file of
    another form, are thrown away.

    schema: the statements that create missing tables.   form: another number for another schema.
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
        """Yield a connection for reading, as the database is at one moment."""
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
        """Return a connection that nobody else uses, with its process and its file."""
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
        """Yield the database, made if it is missing; what the block changes is one transaction."""
        try:
            with self._lock, self._connection() as database:
                yield database
        except (sqlite3.Error, OSError) as error:
            raise self._unavailable(error) from None

    def _unavailable(self, error: Exception) -> LogUnavailable:
        """Return the error for the caller. A damaged file is thrown away."""
        if _is_damage(error):
            self._throw_away()
        return LogUnavailable(f"the index {self._file} cannot be used: {error}")

    def _connection(self) -> sqlite3.Connection:
        """Return the connection to the file that lies there now."""
        # After a fork the connection is the parent's, and the file may have been thrown away.
        if self._connected is None or self._opened_as != (os.getpid(), self._inode()):
            if self._connected is not None and self._opened_as[0] == os.getpid():
                self._connected.close()
            self._connected = None
            self._connected = self._made()
            self._opened_as = (os.getpid(), self._inode())
        return self._connected

    def _made(self) -> sqlite3.Connection:
        """Return a connection to the file, made anew if it has another form."""
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
        """Return the number of the file, 0 if it is missing."""
        try:
            return self._file.stat().st_ino
        except FileNotFoundError:
            return 0

    def _throw_away(self) -> None:
        """Remove the file, so that it is made again; what SQLite keeps beside it goes first."""
        for suffix in ("-wal", "-shm", ""):
            with suppress(OSError):
                self._file.with_name(self._file.name + suffix).unlink()


def _is_damage(error: Exception) -> bool:
    """Return whether an error says that a database, or what SQLite keeps beside it, is damaged.

    What cannot be read is of no use either: it happens when the file alone is removed or put back.
    """
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_OK)
    primary = code & 0xFF  # what lies above says more about it
    return primary in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_IOERR)
