"""The ratings of one machine: the players of ended public matches and their strength, in a file.

The file is a cache. It may be deleted, and is built again. A match has at most one stored result.
The ratings of a game are folded from its results in the order of their places (end time, match). If
a rated match comes late or is deleted, the ratings are folded again from its place on. Each step is
one transaction: readers see the state before or after the step. After a kill the next process goes
on.
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

_NOTED_MS = 2_000  # least time between two notes of a look for results that found none

# A fold from an old place takes time. So the pause after a fold is ten times as long as the fold,
# but at most _MOST_FOLD_WAIT_MS.
_FOLD_SHARE = 10
_MOST_FOLD_WAIT_MS = 60_000


class LadderPage(NamedTuple):
    """Some players of a ladder, in its order.

    first: place of the first of these players.   is_last: True if no player follows them.
    """

    players: list[tuple[str, Strength]]
    first: int
    is_last: bool


class Played(NamedTuple):
    """A match of a player.   why_not: the reason of an unrated match, "" for a rated one."""

    place: OrderKey
    seat: int
    why_not: str


class Moment(NamedTuple):
    """A rating after a match."""

    place: OrderKey
    rating: Strength


class Ratings:
    """The ratings in a file. Methods raise LogUnavailable if the file cannot be used."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._database = Database(file, _SCHEMA, _FORM)
        self._looked_up_to = ""
        self._background_lock = threading.Lock()
        self._background: threading.Thread | None = None
        self._own: Ratings | None = None

    # ---- results of matches --------------------------------------------------------------------

    def size(self, key: str) -> int:
        """Return the number of log entries that were searched for results.

        key: verifier key of the log. The file is cleared first if it holds results of another log
            or ratings of another model.
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
        """Return those of the matches with a stored result. Forgotten matches are included."""
        marks = ", ".join("?" * len(matches))
        query = f"SELECT match FROM matches WHERE match IN ({marks})"  # noqa: S608 - marks alone
        with self._database.reading() as database:
            return {match for (match,) in database.execute(query, matches)}

    def take(self, before: int, size: int, results: Iterable[MatchResult], *, is_all: bool) -> None:
        """Store the results of matches between two positions of the log, unless that was done.

        before, size: the two positions.   is_all: True if `size` is the end of the log.
        """
        with self._database.opened() as database:
            # A look that found nothing is noted at most every _NOTED_MS.
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
        """Return the time since the last noted look for matches, in milliseconds."""
        with self._database.reading() as database:
            return _now() - int(database.execute("SELECT looked FROM progress").fetchone()[0])

    def some(self, limit: int) -> dict[str, bool]:
        """Return the next matches by id, with False for forgotten ones.

        After the last match the next call begins with the first match again.
        """
        query = "SELECT match, is_there FROM matches WHERE match > ? ORDER BY match LIMIT ?"
        with self._database.reading() as database:
            matches = dict(database.execute(query, (self._looked_up_to, limit)).fetchall())
        self._looked_up_to = max(matches) if len(matches) == limit else ""
        return {match: bool(is_there) for match, is_there in matches.items()}

    def forget(self, match: str) -> None:
        """Remove the players of a deleted match. Its id stays, in case the match comes back."""
        with self._database.opened() as database:
            query = "SELECT game, ended, why_not FROM matches WHERE match = ?"
            noted = database.execute(query, (match,)).fetchone()
            if noted is None:
                return  # another process has cleared the file
            game, ended, why_not = noted
            database.execute("UPDATE matches SET is_there = 0 WHERE match = ?", (match,))
            database.execute("DELETE FROM seats WHERE match = ?", (match,))
            if not why_not:
                _note_due(database, game, OrderKey(ended, match))

    def take_again(self, result: MatchResult) -> None:
        """Store the result of a forgotten match again, unless another process has done so."""
        with self._database.opened() as database:
            query = "DELETE FROM matches WHERE match = ? AND NOT is_there"
            database.execute(query, (result.place.match,))
            _take(database, result)

    # ---- the fold ------------------------------------------------------------------------------

    def is_ready(self) -> bool:
        """Return True if this model has once folded the whole log, up to the end at that time."""
        with self._database.reading() as database:
            query = "SELECT is_ready AND model = ? FROM progress"
            return bool(database.execute(query, (_MODEL,)).fetchone()[0])

    def fold(self) -> None:
        """Fold each game from its noted place on, in one transaction.

        Nothing is folded until all results of the log have been stored once, nor during the pause
        after the last fold.
        """
        with self._database.opened() as database:
            # Lock out writers: a place noted during the fold would be deleted before it is folded.
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

    # ---- queries -------------------------------------------------------------------------------

    def ladder(self, game: str, skip: int, limit: int, *, bots: bool) -> LadderPage:
        """Return players of a game, best first.

        skip: number of players to leave out at the top.   bots: True to include bots.
        """
        chosen = "game = ?" if bots else f"game = ? AND NOT player GLOB '{ratings.BOT}*'"
        with self._database.reading() as database:
            query = f"SELECT player, mean, sigma, matches FROM ratings WHERE {chosen} "  # noqa: S608
            order = "ORDER BY ordinal DESC, player LIMIT ? OFFSET ?"
            rows = database.execute(query + order, (game, limit + 1, skip)).fetchall()
            players = [(player, Strength(*figures)) for player, *figures in rows[:limit]]
            first = 1
            if players:
                query = f"SELECT count(*) FROM ratings WHERE {chosen} AND ordinal > ?"  # noqa: S608
                better = database.execute(query, (game, players[0][1].ordinal))
                first = better.fetchone()[0] + 1
        return LadderPage(players, first, is_last=len(rows) <= limit)

    def of_player(self, player: str) -> dict[str, tuple[int, Strength]]:
        """Return a player's place among all players, and rating, by game."""
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
        """Return matches of a player, last ended first.

        A level of bots may sit at several seats of a match. Then the best placed seat is returned.
        game: "" for all.   before: only matches before this place. None for all.
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
        """Return the last named seat of each player: match and seat. Skip players without one."""
        query = (
            "SELECT match, seat FROM seats WHERE player = ? AND is_named "
            "ORDER BY ended DESC, match DESC LIMIT 1"
        )
        with self._database.reading() as database:
            rows = {player: database.execute(query, (player,)).fetchone() for player in players}
        return {player: row for player, row in rows.items() if row is not None}

    def in_background(self, work: Callable[["Ratings"], None]) -> threading.Thread | None:
        """Start a background thread of this process, and return it.

        work: called in the thread with a Ratings object of its own, so that readers do not wait.
        Return None if an earlier thread is still running, or if the system refuses a thread.
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
    """Store a result, unless the match has one."""
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
    """Note the earliest place from which the ratings of a game must be folded."""
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
    """Remove the history of a game from a place on.

    Return the earlier ratings of the players in that history, and remove their present ratings.
    """
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
    """Yield the rated results of a game from a place on, oldest first."""
    rows = database.execute(
        "SELECT matches.ended, match, player, rank FROM matches JOIN seats USING (match) "
        "WHERE matches.game = ? AND (matches.ended, match) >= (?, ?) AND why_not = '' "
        "ORDER BY matches.ended, match, seat",
        (game, *start),
    )
    for place, of_match in groupby(rows, key=lambda row: OrderKey(*row[:2])):
        seated = tuple(Seated(player, is_named=False, rank=rank) for *_, player, rank in of_match)
        yield MatchResult(place, game, seats=seated)
