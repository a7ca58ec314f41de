"""The index of the log: its lists are right, read few rows, and do not wait for other work."""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings, strategies as st

from service.store.journal.values import ENDED, STATUSES
from service.store.tlog import index as index_module
from service.store.tlog.entries import LogEntry, LogUnavailable
from service.store.tlog.index import Index, Listed, MatchSelection
from service.store.tlog.ratings import Ratings
from tests.running import PATIENCE

GAMES = ("calimala", "firenze")
TIMES = [f"2026-03-01T18:00:{second:02}.000Z" for second in range(20)]

# A match, its game, its status and the time of its commit.
Commit = tuple[int, int, str, int]
COMMITS = st.lists(
    st.tuples(st.integers(0, 9), st.integers(0, 1), st.sampled_from(STATUSES), st.integers(0, 19)),
    max_size=60,
)


def entries_of(commits: list[Commit]) -> list[LogEntry]:
    """Return entries of the log for commits."""
    return [
        LogEntry(
            position=position,
            leaf=b"{}",
            hash=f"{position:032x}{0:032x}",
            match=f"m{match}",
            version=1,
            time=TIMES[time],
            game=GAMES[game],
            status=status,
            is_private=False,
        )
        for position, (match, game, status, time) in enumerate(commits)
    ]


def expected(entries: list[LogEntry], selection: MatchSelection, limit: int) -> list[Listed]:
    """Return the list of the selected matches, computed from all entries."""
    last = {entry.match: entry for entry in entries}
    matches = [
        entry
        for entry in last.values()
        if selection.game in ("", entry.game)
        and selection.status in ("", entry.status)
        and (entry.status in ENDED or not selection.ended)
        and entry.time >= selection.since
        and (not selection.until or entry.time < selection.until)
        and (selection.before is None or entry.position < selection.before)
        and (selection.first is None or entry.position >= selection.first)
    ]
    matches.sort(key=lambda entry: entry.position, reverse=selection.first is None)
    return [Listed(entry.position, entry.match, entry.time) for entry in matches[:limit]]


@pytest.fixture
def index(tmp_path: Path) -> Index:
    """An index of a hundred commits in ten matches."""
    new_index = Index(tmp_path / "log.index")
    new_index.size("key")
    commits = [(n % 10, n % 2, STATUSES[n % len(STATUSES)], n // 5) for n in range(100)]
    new_index.add(0, entries_of(commits))
    return new_index


@pytest.mark.whole
@settings(max_examples=60, deadline=None)
@given(
    commits=COMMITS,
    game=st.sampled_from(("", *GAMES)),
    status=st.sampled_from(("", *STATUSES)),
    ended=st.booleans(),
    since=st.sampled_from(("", *TIMES)),
    until=st.sampled_from(("", *TIMES)),
    bound=st.one_of(st.none(), st.integers(0, 70)),
    is_first=st.booleans(),
    limit=st.integers(1, 5),
)
def test_a_list_holds_all_matches_asked_for(
    commits: list[Commit],
    bound: int | None,
    limit: int,
    *,
    is_first: bool,
    **conditions: str | bool,
) -> None:
    """A list is right even if times do not grow with positions, and across blocks of positions."""
    selection = MatchSelection(**conditions, **{"first" if is_first else "before": bound})  # type: ignore[arg-type]
    entries = entries_of(commits)
    with TemporaryDirectory() as directory, pytest.MonkeyPatch.context() as patched:
        patched.setattr(index_module, "_BLOCK", 8)
        log_index = Index(Path(directory) / "log.index")
        log_index.size("key")
        for start in range(0, len(entries), 7):
            log_index.add(start, entries[start : start + 7])
        assert log_index.listed(selection, limit) == expected(entries, selection, limit)


def plans(index: Index, selection: MatchSelection) -> Iterator[str]:
    """Yield the steps of SQLite's query plan for a list."""
    with index._database.reading() as database:
        queries: list[str] = []
        database.set_trace_callback(queries.append)
        index_module._select(database, selection, 10)
        database.set_trace_callback(None)
        for _, _, _, step in database.execute(f"EXPLAIN QUERY PLAN {queries[-1]}"):
            yield step


def test_no_list_walks_the_table(index: Index) -> None:
    """Each choice of game, status and time has an index in the order of the list."""
    for game, status, ended, since in product(
        ("", "firenze"), ("", "running", "ended"), (False, True), ("", TIMES[3])
    ):
        selection = MatchSelection(game=game, status=status, ended=ended, since=since, before=90)
        for step in plans(index, selection):
            assert "USING" in step, (selection, step)
            assert "TEMP B-TREE" not in step, (selection, step)


def test_a_future_time_reads_no_row(index: Index) -> None:
    """A list after a future time reads only the times of blocks."""
    with index._database.reading() as database:
        queries: list[str] = []
        database.set_trace_callback(queries.append)
        selection = MatchSelection(since="2999-01-01T00:00:00.000Z")
        assert index_module._select(database, selection, 10) == []
        database.set_trace_callback(None)
    assert "position < 0" in queries[-1]


def test_a_reader_waits_for_no_other_work(index: Index, tmp_path: Path) -> None:
    """Positions and lists are read beside a long query and a long transaction of the process."""
    ratings = Ratings(tmp_path / "ratings.index")
    with index._database.opened() as database, index._database.reading():
        database.execute("DELETE FROM matches")
        results: list[object] = []

        def read() -> None:
            results.append(index.find(f"{5:032x}{0:032x}"))
            results.append(len(index.listed(MatchSelection(), 100)))

        reader = threading.Thread(target=read, daemon=True)
        reader.start()
        reader.join(PATIENCE)
        assert results == [5, 10]

    with ratings._database.opened() as database:
        database.execute("INSERT INTO matches VALUES ('m', 'toy', 0, '', 1)")
        assert ratings.known(["m"]) == set()
    assert ratings.known(["m"]) == {"m"}


def test_idle_connections_of_readers_are_bounded(index: Index) -> None:
    """Of the connections of ten simultaneous readers, four stay open for later ones."""
    with ExitStack() as readers:
        open_ones = [readers.enter_context(index._database.reading()) for _ in range(10)]
    idle = [connection for _, connection in index._database._idle]
    assert len(idle) == index_module._IDLE_READERS == 4
    for connection in open_ones:
        if connection not in idle:
            with pytest.raises(sqlite3.ProgrammingError, match="closed"):
                connection.execute("SELECT 1")

    for _ in range(10):
        with index._database.reading() as connection:
            assert connection in idle


@pytest.mark.parametrize(("kind", "name"), [(Index, "log.index"), (Ratings, "ratings.index")])
def test_an_unusable_file_is_named(
    tmp_path: Path, kind: type[Index] | type[Ratings], name: str
) -> None:
    """The error of an unusable file has the same form for the index and for the ratings."""
    file = tmp_path / name
    file.mkdir()
    with pytest.raises(LogUnavailable) as raised:
        kind(file).size("key")

    assert str(raised.value) == f"the file {file} cannot be used: unable to open database file"


@pytest.mark.parametrize("kind", [Index, Ratings])
def test_a_file_is_in_wal_mode_with_normal_synchronisation(
    tmp_path: Path, kind: type[Index] | type[Ratings]
) -> None:
    """In this mode a power loss does not damage the file. With synchronous OFF (0) it may."""
    with kind(tmp_path / "file")._database.opened() as database:
        [synchronous] = database.execute("PRAGMA synchronous").fetchone()
        [mode] = database.execute("PRAGMA journal_mode").fetchone()

    assert (synchronous, mode) == (1, "wal")
