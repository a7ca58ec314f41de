"""The ratings of a machine, in a file: who has played in ended public matches, and how well.

The file can be thrown away, and is made again. What a match says is taken in once. The ratings are
folded from that, and folded again from the place of a match that comes late or was deleted. Each
step is one transaction: a reader sees meanwhile what was there before, and after a kill at any step
the next process goes on.
"""

import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from service.record import ratings
from service.record.ratings import BEGINNER, MatchResult, OrderKey, Seated, Strength
from service.store.tlog.index import Database

_FORM = 2

_MODEL = f"{ratings.MODEL}, {ratings.MODEL_VERSION}"

_NOTED_MS = 2_000  # from one note that somebody has looked to the next

# A fold that began long ago takes time. So it takes at most a tenth of all, but waits no longer
# than this.
_FOLD_SHARE = 10
_MOST_FOLD_WAIT_MS = 60_000


class LadderPage(NamedTuple):
    """Some players of a ladder, in its order.

    first: the place of the first of them.   is_last: whether nobody stands after them.
    """

    players: list[tuple[str, Strength]]
    first: int
    is_last: bool


class Played(NamedTuple):
    """A match that a player has played.   why_not: why it is not rated, "" if it is."""

    place: OrderKey
    seat: int
    why_not: str


class Moment(NamedTuple):
    """A rating after a match."""

    place: OrderKey
    rating: Strength


class Ratings:
    """The file. All methods raise LogUnavailable if it cannot be used."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._database = Database(file, _SCHEMA, _FORM)
        self._looked_up_to = ""
        self._background_lock = threading.Lock()
        self._background: threading.Thread | None = None
        self._own: Ratings | None = None

    # ---- what matches say ----------------------------------------------------------------------

    def size(self, key: str) -> int:
        """Return the position up to which the log with a key is taken in.

        What was taken in of another log, or rated by another model, is forgotten.
        """
        with self._database.opened() as database:
            query = "SELECT key, model, size FROM progress"
            [taken_key, model, size] = database.execute(query).fetchone()
            if (taken_key, model) == (key, _MODEL):
                return int(size)
            for table in ("matches", "seats", "ratings", "history", "due"):
                database.execute(f"DELETE FROM {table}")  # noqa: S608 - names that stand here
            query = (
                "UPDATE progress SET key = ?, model = ?, size = 0, has_all = 0, is_ready = 0, "
                "looked = 0"
            )
            database.execute(query, (key, _MODEL))
        return 0

    def known(self, matches: Sequence[str]) -> set[str]:
        """Return which of some matches are taken in."""
        marks = ", ".join("?" * len(matches))
        query = f"SELECT match FROM matches WHERE match IN ({marks})"  # noqa: S608 - marks alone
        with self._database.reading() as database:
            return {match for (match,) in database.execute(query, matches)}

    def take(self, before: int, size: int, results: Iterable[MatchResult], *, is_all: bool) -> None:
        """Take in what matches say that ended between two positions, unless that is done.

        is_all: whether the log goes no further.
        """
        with self._database.opened() as database:
            # Where nothing is new, it is noted seldom that somebody has looked.
            now = _now()
            query = (
                "UPDATE progress SET size = ?, has_all = ?, looked = ? "
                "WHERE size = ? AND (size <> ? OR has_all <> ? OR looked < ?)"
            )
            noted = (size, is_all, now, before, size, is_all, now - _NOTED_MS)
            if not database.execute(query, noted).rowcount:
                return
            for result in results:
                _take(database, result)

    def idle_ms(self) -> int:
        """Return for how long no process has looked for matches, in milliseconds."""
        with self._database.reading() as database:
            return _now() - int(database.execute("SELECT looked FROM progress").fetchone()[0])

    def some(self, limit: int) -> dict[str, bool]:
        """Return some matches, and whether they were there at the last look; other ones each time.

        After the last match the next call begins with the first.
        """
        query = "SELECT match, is_there FROM matches WHERE match > ? ORDER BY match LIMIT ?"
        with self._database.reading() as database:
            found = dict(database.execute(query, (self._looked_up_to, limit)).fetchall())
        self._looked_up_to = max(found) if len(found) == limit else ""
        return {match: bool(is_there) for match, is_there in found.items()}

    def forget(self, match: str) -> None:
        """Forget who has played a match that was deleted; its id is kept, in case it comes back."""
        with self._database.opened() as database:
            query = "SELECT game, ended, why_not FROM matches WHERE match = ?"
            noted = database.execute(query, (match,)).fetchone()
            if noted is None:
                return  # another process has begun the file again
            game, ended, why_not = noted
            database.execute("UPDATE matches SET is_there = 0 WHERE match = ?", (match,))
            database.execute("DELETE FROM seats WHERE match = ?", (match,))
            if not why_not:
                _note_due(database, game, OrderKey(ended, match))

    def take_again(self, result: MatchResult) -> None:
        """Take in what a match says that was forgotten, unless another process has done so."""
        with self._database.opened() as database:
            query = "DELETE FROM matches WHERE match = ? AND NOT is_there"
            database.execute(query, (result.place.match,))
            _take(database, result)

    # ---- the ratings that follow ---------------------------------------------------------------

    def is_ready(self) -> bool:
        """Whether all that the log held at some time is folded by this model."""
        with self._database.reading() as database:
            query = "SELECT is_ready AND model = ? FROM progress"
            return bool(database.execute(query, (_MODEL,)).fetchone()[0])

    def fold(self) -> None:
        """Fold what was taken in, and again what stands after it; all of it or nothing.

        Until all matches are taken in for the first time nothing is folded.
        """
        with self._database.opened() as database:
            # What another process takes in meanwhile waits for the next fold, and is not forgotten.
            database.execute("BEGIN IMMEDIATE")
            query = "SELECT has_all, is_ready, fold_after FROM progress"
            has_all, is_ready, fold_after = database.execute(query).fetchone()
            start = _now()
            if not (has_all or is_ready) or start < fold_after <= start + _MOST_FOLD_WAIT_MS:
                return
            due = database.execute("SELECT game, ended, match FROM due").fetchall()
            if is_ready and not due:
                return

            for game, ended, match in due:
                _fold_from(database, game, OrderKey(ended, match))
            database.execute("DELETE FROM due")
            end = _now()
            wait = min((end - start) * _FOLD_SHARE, _MOST_FOLD_WAIT_MS)
            query = "UPDATE progress SET is_ready = 1, fold_after = ?"
            database.execute(query, (end + wait,))

    # ---- what is asked -------------------------------------------------------------------------

    def ladder(self, game: str, seen: int, limit: int, *, bots: bool) -> LadderPage:
        """Return the players of a game after so many of them.

        bots: whether bots are among them.
        """
        chosen = "game = ?" if bots else f"game = ? AND NOT player GLOB '{ratings.BOT}*'"
        with self._database.reading() as database:
            query = f"SELECT player, mean, sigma, matches FROM ratings WHERE {chosen} "  # noqa: S608
            order = "ORDER BY ordinal DESC, player LIMIT ? OFFSET ?"
            rows = database.execute(query + order, (game, limit + 1, seen)).fetchall()
            players = [(player, Strength(*figures)) for player, *figures in rows[:limit]]
            first = 1
            if players:
                query = f"SELECT count(*) FROM ratings WHERE {chosen} AND ordinal > ?"  # noqa: S608
                better = database.execute(query, (game, players[0][1].ordinal))
                first = better.fetchone()[0] + 1
        return LadderPage(players, first, is_last=len(rows) <= limit)

    def of_player(self, player: str) -> dict[str, tuple[int, Strength]]:
        """Return the place among all, and the rating, of a player by game."""
        query = (
            "SELECT game, mean, sigma, matches, (SELECT count(*) FROM ratings AS other "
            "WHERE other.game = mine.game AND other.ordinal > mine.ordinal) "
            "FROM ratings AS mine WHERE player = ? ORDER BY game"
        )
        with self._database.reading() as database:
            rows = database.execute(query, (player,)).fetchall()
        return {game: (better + 1, Strength(*figures)) for game, *figures, better in rows}

    def history(self, game: str, player: str, limit: int) -> list[Moment]:
        """Return the last ratings of a player at a game, oldest first."""
        query = (
            "SELECT ended, match, mean, sigma, matches FROM history WHERE game = ? AND player = ? "
            "ORDER BY ended DESC, match DESC LIMIT ?"
        )
        with self._database.reading() as database:
            rows = database.execute(query, (game, player, limit)).fetchall()
        return [Moment(OrderKey(*row[:2]), Strength(*row[2:])) for row in reversed(rows)]

    def played(self, player: str, game: str, before: OrderKey | None, limit: int) -> list[Played]:
        """Return matches of a player, those that ended last first.

        A level of bots may sit at several seats of a match: that is named which counts.
        game: "" for all.   before: only those before this place; None for all.
        """
        the_one_that_counts = (
            "SELECT seat FROM seats AS own WHERE own.match = seats.match "
            "AND own.player = seats.player ORDER BY rank, seat LIMIT 1"
        )
        conditions = ["player = ?", f"seat = ({the_one_that_counts})"]
        values: list[str | int] = [player]
        if game:
            conditions.append("seats.game = ?")
            values.append(game)
        if before is not None:
            conditions.append("(seats.ended, match) < (?, ?)")
            values += before
        query = (
            "SELECT seats.ended, match, seat, why_not FROM seats "  # noqa: S608
            f"JOIN matches USING (match) WHERE {' AND '.join(conditions)} "
            "ORDER BY seats.ended DESC, match DESC LIMIT ?"
        )
        with self._database.reading() as database:
            rows = database.execute(query, (*values, limit)).fetchall()
        return [Played(OrderKey(*row[:2]), *row[2:]) for row in rows]

    def last_named(self, players: Iterable[str]) -> dict[str, tuple[str, int]]:
        """Return where each player has last given a name: match and seat."""
        query = (
            "SELECT match, seat FROM seats WHERE player = ? AND is_named "
            "ORDER BY ended DESC, match DESC LIMIT 1"
        )
        with self._database.reading() as database:
            found = {player: database.execute(query, (player,)).fetchone() for player in players}
        return {player: row for player, row in found.items() if row is not None}

    def in_background(self, work: Callable[["Ratings"], None]) -> threading.Thread | None:
        """Start a thread of this process for some work, and return it.

        None if one is still at it, or if the system gives no more threads.
        It has a connection of its own, so that who reads does not wait for it.
        """
        with self._background_lock:
            if self._background is not None and self._background.is_alive():
                return None
            self._own = self._own or Ratings(self._file)
            thread = threading.Thread(target=work, args=(self._own,), name="ratings", daemon=True)
            try:
                thread.start()
            except RuntimeError:
                return None
            self._background = thread
            return thread


_SCHEMA = """
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    CREATE TABLE IF NOT EXISTS matches (
        match TEXT PRIMARY KEY, game TEXT, ended INTEGER, why_not TEXT, is_there INTEGER
    ) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS seats (
        match TEXT, seat INTEGER, player TEXT, game TEXT, ended INTEGER, is_named INTEGER,
        rank INTEGER, PRIMARY KEY (match, seat)
    ) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS of_player ON seats (player, ended, match);
    CREATE INDEX IF NOT EXISTS named ON seats (player, ended, match) WHERE is_named;
    CREATE INDEX IF NOT EXISTS of_game ON matches (game, ended, match);
    CREATE TABLE IF NOT EXISTS ratings (
        game TEXT, player TEXT, mean INTEGER, sigma INTEGER, matches INTEGER, ordinal INTEGER,
        PRIMARY KEY (game, player)
    ) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS ladder ON ratings (game, ordinal DESC, player);
    CREATE INDEX IF NOT EXISTS by_player ON ratings (player);
    CREATE TABLE IF NOT EXISTS history (
        game TEXT, player TEXT, ended INTEGER, match TEXT, mean INTEGER, sigma INTEGER,
        matches INTEGER, PRIMARY KEY (game, player, ended, match)
    ) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS by_place ON history (game, ended, match, player);
    -- From where on each game has still to be folded.
    CREATE TABLE IF NOT EXISTS due (game TEXT PRIMARY KEY, ended INTEGER, match TEXT) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS progress (
        one INTEGER PRIMARY KEY CHECK (one = 0), key TEXT, model TEXT, size INTEGER,
        has_all INTEGER, is_ready INTEGER, looked INTEGER, fold_after INTEGER
    );
    INSERT OR IGNORE INTO progress VALUES (0, '', '', 0, 0, 0, 0, 0);
"""


def _now() -> int:
    return time.time_ns() // 1_000_000


def _take(database: sqlite3.Connection, result: MatchResult) -> None:
    """Take in what a match says."""
    ended, match = result.place
    row = (match, result.game, ended, result.why_not)
    query = "INSERT OR IGNORE INTO matches VALUES (?, ?, ?, ?, 1)"
    if not database.execute(query, row).rowcount:
        return
    database.executemany(
        "INSERT INTO seats VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            (match, number, seat.player, result.game, ended, seat.is_named, seat.rank)
            for number, seat in enumerate(result.seats)
            if seat.player
        ],
    )
    if not result.why_not:
        _note_due(database, result.game, result.place)


def _note_due(database: sqlite3.Connection, game: str, place: OrderKey) -> None:
    """Note that the ratings of a game are to be folded again from a place on."""
    database.execute(
        "INSERT INTO due VALUES (?, ?, ?) ON CONFLICT (game) DO UPDATE SET ended = excluded.ended, "
        "match = excluded.match WHERE (excluded.ended, excluded.match) < (due.ended, due.match)",
        (game, *place),
    )


# ---- the fold ------------------------------------------------------------------------------------


def _fold_from(database: sqlite3.Connection, game: str, start: OrderKey) -> None:
    """Fold the ratings of a game again from a place on."""
    now_rated = _revert(database, game, start)
    for result in _results(database, game, start):
        for player in result.ranks():
            if player not in now_rated:
                now_rated[player] = _rating(database, game, player)
        rated = ratings.after(now_rated, result)
        now_rated |= rated
        database.executemany(
            "INSERT INTO history VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                (game, player, *result.place, one.mean, one.sigma, one.matches)
                for player, one in rated.items()
            ],
        )

    database.executemany(
        "REPLACE INTO ratings VALUES (?, ?, ?, ?, ?, ?)",
        [
            (game, player, one.mean, one.sigma, one.matches, one.ordinal)
            for player, one in now_rated.items()
            if one.matches
        ],
    )


def _revert(database: sqlite3.Connection, game: str, start: OrderKey) -> dict[str, Strength]:
    """Forget what was folded from a place on; return the ratings of those players before it."""
    since = "FROM history WHERE game = ? AND (ended, match) >= (?, ?)"
    query = f"SELECT DISTINCT player {since}"
    players = [player for (player,) in database.execute(query, (game, *start))]
    database.execute(f"DELETE {since}", (game, *start))

    before: dict[str, Strength] = {}
    query = (
        "SELECT mean, sigma, matches FROM history WHERE game = ? AND player = ? "
        "ORDER BY ended DESC, match DESC LIMIT 1"
    )
    for player in players:
        row = database.execute(query, (game, player)).fetchone()
        before[player] = Strength(*row) if row else BEGINNER
    database.executemany(
        "DELETE FROM ratings WHERE game = ? AND player = ?", [(game, player) for player in players]
    )
    return before


def _rating(database: sqlite3.Connection, game: str, player: str) -> Strength:
    query = "SELECT mean, sigma, matches FROM ratings WHERE game = ? AND player = ?"
    row = database.execute(query, (game, player)).fetchone()
    return Strength(*row) if row else BEGINNER


def _results(database: sqlite3.Connection, game: str, start: OrderKey) -> Iterator[MatchResult]:
    """Yield the rated results of a game from a place on, in their order."""
    rows = database.execute(
        "SELECT matches.ended, match, player, rank FROM matches JOIN seats USING (match) "
        "WHERE matches.game = ? AND (matches.ended, match) >= (?, ?) AND why_not = '' "
        "ORDER BY matches.ended, match, seat",
        (game, *start),
    )
    for place, of_match in groupby(rows, key=lambda row: OrderKey(*row[:2])):
        seated = tuple(Seated(player, is_named=False, rank=rank) for *_, player, rank in of_match)
        yield MatchResult(place, game, seats=seated)
