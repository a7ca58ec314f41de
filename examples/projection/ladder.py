"""A ladder of each game in SQLite, folded from the feed of a server.

python ladder.py http://127.0.0.1:8000 ladder.db          # keep up with the server
python ladder.py http://127.0.0.1:8000 ladder.db --once   # end at the last commit
"""

import sqlite3
import sys
from contextlib import closing

from giornale_client import Client, Problem

PAGE = 1000  # positions read at once
WAIT = 20  # seconds that one request waits for more

SCHEMA = """
    CREATE TABLE IF NOT EXISTS progress (
        one INTEGER PRIMARY KEY CHECK (one = 0),
        next TEXT -- URL of the next page of the feed, NULL for the first
    );
    INSERT OR IGNORE INTO progress VALUES (0, NULL);
    CREATE TABLE IF NOT EXISTS results (
        match TEXT,
        seat INTEGER,
        game TEXT NOT NULL,
        kind TEXT NOT NULL, -- "human" or "bot"
        who TEXT NOT NULL, -- the name of a human, the level of a bot
        points INTEGER NOT NULL,
        rank INTEGER NOT NULL,
        PRIMARY KEY (match, seat)
    ) WITHOUT ROWID;
    CREATE VIEW IF NOT EXISTS ladder AS
        SELECT game, kind, who, SUM(rank = 1) AS wins, COUNT(*) AS matches, SUM(points) AS points
        FROM results GROUP BY game, kind, who ORDER BY game, wins DESC, matches, kind, who;
"""


def opened(file: str) -> sqlite3.Connection:
    """Open the database in a file, or make a new one."""
    database = sqlite3.connect(file)
    database.executescript(SCHEMA)
    return database


def follow(client: Client, database: sqlite3.Connection, *, once: bool = False) -> None:
    """Read the feed page by page. once: end at the last commit."""
    wait = None if once else WAIT
    while True:
        [(stored,)] = database.execute("SELECT next FROM progress")
        path = stored or f"/v1/commits?limit={PAGE}"
        try:
            page = client.get(path, wait=wait)
        except Problem as problem:
            if not is_of_another_log(problem):
                raise
            start_anew(database)
            continue

        if page["next"] != path:
            fold(client, database, page)
        elif once:
            return


def is_of_another_log(problem: Problem) -> bool:
    """Return True if the server has begun another log, for example after a restored backup."""
    return problem.kind == "another-log"


def start_anew(database: sqlite3.Connection) -> None:
    """Forget all results, and read the feed from its first position."""
    with database:
        database.execute("DELETE FROM results")
        database.execute("UPDATE progress SET next = NULL")


def fold(client: Client, database: sqlite3.Connection, page: dict) -> None:
    """Store the results of a page. They and the next position are one transaction."""
    commits = page["commits"]
    matches = {one["match"] for one in commits if one.get("status") == "ended"}
    if any("gone_back" in one for one in commits):
        # The server has lost commits, so earlier results of a match may be outdated.
        matches |= {match for (match,) in database.execute("SELECT match FROM results")}
    results = {match: results_of(client, match) for match in sorted(matches)}

    with database:
        for match, rows in results.items():
            keep(database, match, rows)
        database.execute("UPDATE progress SET next = ?", (page["next"],))


def results_of(client: Client, match: str) -> list[tuple]:
    """Return a row for each seat of an ended match. [] if it is deleted or has no outcome."""
    try:
        document = client.match(match).document()
    except Problem as problem:
        if problem.status in (404, 410):
            return []
        raise

    outcome = document["outcome"]
    if outcome is None:
        return []
    seats = zip(document["seats"], outcome["points"], outcome["ranks"], strict=True)
    return [
        (match, number, document["game"], seat["kind"], who(seat), points, rank)
        for number, (seat, points, rank) in enumerate(seats)
    ]


def who(seat: dict) -> str:
    """Return the level of a bot, or the name of a human as the server shows it now."""
    return seat["level"] if seat["kind"] == "bot" else seat.get("name", "")


def keep(database: sqlite3.Connection, match: str, rows: list[tuple]) -> None:
    """Replace the rows of a match, so that a second reading of a page changes nothing."""
    database.execute("DELETE FROM results WHERE match = ?", (match,))
    database.executemany("INSERT INTO results VALUES (?, ?, ?, ?, ?, ?, ?)", rows)


if __name__ == "__main__":
    with Client(sys.argv[1]) as server, closing(opened(sys.argv[2])) as ladder:
        try:
            follow(server, ladder, once="--once" in sys.argv[3:])
        except Problem as failure:
            sys.exit(f"Error: {failure}")
        except KeyboardInterrupt:
            sys.exit(130)
