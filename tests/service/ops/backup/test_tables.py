"""Ended matches as tables: their content, and the questions of the documentation."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import duckdb
import orjson
import pytest

from domain.match.terms import taken_back
from service.matches.command_handler import head_of
from service.matches.context import Context
from service.matches.opening import OpenRequest, open_new
from service.matches.records import export
from service.ops.backup import tables
from service.ops.backup.export import Span
from service.record import record
from service.record.commit import canonical
from service.record.replay import replay_commits
from service.record.terms.fork import ForkRequest
from service.store.journal.memory import memory_journal
from service.store.journal.values import Entry
from tests import taking_back
from tests.records.make import lines_in
from tests.service.matches.conftest import by, context_over, humans, now, play_on
from tests.service.ops.backup.conftest import quiet

ROOT = Path(__file__).parents[4]
PAGE = ROOT / "docs/guides/tables.md"
GOLDEN = "*/[12]-?-??.ndjson.gz"  # 20 matches for each number of seats
EVER = Span(0, 1 << 60)

QUESTION = re.compile(r"```sql\n(?P<sql>.*?)```\n\n(?P<answer>(?:\|[^\n]*\n)+)", re.DOTALL)
QUESTIONS = [
    (question["sql"], question["answer"]) for question in QUESTION.finditer(PAGE.read_text())
]


def put_into(ctx: Context, lines: list[bytes]) -> None:
    """Put a whole record into a journal without a check."""
    commits = [record.read_line(line)[0] for line in lines]
    stored = [canonical(commit) for commit in commits]
    loaded = replay_commits(None, stored)
    assert loaded is not None
    head = head_of(loaded)

    entries = [
        Entry(
            match=loaded.id,
            expected=version - 1,
            prev=commit["commit"]["prev"],
            commit_bytes=stored[version - 1],
            head=replace(head, version=version, hash=commit["hash"]),
            metadata={},
        )
        for version, commit in enumerate(commits, 1)
    ]
    ctx.journal.events.restore(entries)


@pytest.fixture(scope="module")
def golden(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection of DuckDB to the tables of golden records of both games."""
    ctx = context_over(memory_journal())
    for path in sorted((ROOT / "tests" / "records").glob(GOLDEN)):
        put_into(ctx, lines_in(path))

    directory = tmp_path_factory.mktemp("tables")
    dumped = tables.dump(ctx, EVER, directory, quiet)
    assert dumped.matches == 120
    with duckdb.connect(config={"file_search_path": str(directory)}) as connection:
        yield connection


@pytest.mark.whole
@pytest.mark.parametrize("number", range(10))
def test_questions_of_the_documentation_have_the_shown_answers(
    golden: duckdb.DuckDBPyConnection, number: int
) -> None:
    """Each question on the page has the shown answer for the golden records."""
    sql, answer = QUESTIONS[number]
    result = golden.sql(sql)

    head, *rows = [
        f"| {' | '.join(map(str, row))} |\n" for row in (result.columns, *result.fetchall())
    ]
    line = "|---" * len(result.columns) + "|\n"
    assert "".join([head, line, *rows]) == answer


def test_the_page_asks_ten_questions() -> None:
    """Each question on the page is followed by its answer."""
    assert len(QUESTIONS) == PAGE.read_text().count("```sql") == 10


@pytest.fixture
def ctx() -> Context:
    """A context on an empty journal."""
    return context_over(memory_journal())


def rows_of(directory: Path, table: str, order: str) -> list[dict[str, object]]:
    """Return the rows of a table in an order."""
    relation = duckdb.read_parquet(str(directory / f"{table}.parquet")).order(order)
    return [dict(zip(relation.columns, row, strict=True)) for row in relation.fetchall()]


def test_the_tables_hold_every_commit_and_event_of_the_record(ctx: Context, tmp_path: Path) -> None:
    """Commands and events are those of the record, with their secret fields in their places."""
    match = open_new(ctx, OpenRequest("calimala", humans(3), seed="tables"))
    play_on(ctx, match)
    lines = [orjson.loads(line)["data"] for line in export(ctx, match.loaded.id, None)]
    tables.dump(ctx, EVER, tmp_path, quiet)

    [match_row] = rows_of(tmp_path, "matches", "match")
    assert (match_row["match"], match_row["commits"]) == (match.loaded.id, len(lines))

    commits = rows_of(tmp_path, "commits", "version")
    assert [row["hash"] for row in commits] == [line["hash"] for line in lines]
    assert [row["version"] for row in commits] == list(range(1, len(lines) + 1))

    events = iter(rows_of(tmp_path, "events", "version, number"))
    for line, row in zip(lines, commits, strict=True):
        content, parts = line["commit"], line["secrets"].values()
        command = dict(content["command"])
        for part in parts:
            command |= part.get("command", {})
        assert orjson.loads(str(row["command"])) == command

        for number, public in enumerate(content["events"]):
            event = dict(public)
            for part in parts:
                event |= part.get(str(number), {})
            event_row = next(events)
            assert (event_row["version"], event_row["number"]) == (content["version"], number)
            assert orjson.loads(str(event_row["event"])) == event
    assert next(events, None) is None


@pytest.mark.whole
def test_a_fork_names_the_match_that_it_goes_on_from(ctx: Context, tmp_path: Path) -> None:
    """M21: `forked_from` lets counts of matches leave out forks."""
    base = open_new(ctx, OpenRequest("firenze", humans(2)))
    play_on(ctx, base)
    request = ForkRequest(base.loaded.id, 9)
    fork = open_new(ctx, OpenRequest("firenze", humans(2), terms={"fork": request}))
    play_on(ctx, fork)
    tables.dump(ctx, EVER, tmp_path, quiet)

    bases = {row["match"]: row["forked_from"] for row in rows_of(tmp_path, "matches", "match")}
    assert bases == {base.loaded.id: None, fork.loaded.id: base.loaded.id}


@pytest.mark.whole
def test_commits_whose_moves_were_taken_back_are_marked(ctx: Context, tmp_path: Path) -> None:
    """M17: only commits of moves that were taken back are marked, not the request."""
    match = open_new(
        ctx, OpenRequest("firenze", humans(2), terms={"take_back": "consent"}, seed="tables")
    )
    play_on(ctx, match, until=3)
    taking_back.ask(ctx, by(match, "seat:1"), 2)
    taking_back.agree(ctx, by(match, "seat:0"))
    play_on(ctx, match)
    tables.dump(ctx, EVER, tmp_path, quiet)

    gone = {row["version"]: row["taken_back"] for row in rows_of(tmp_path, "commits", "version")}
    assert [version for version, is_gone in gone.items() if is_gone] == [3]
    assert taken_back(now(ctx, match).match) == (3,)


@pytest.mark.whole
def test_private_and_running_matches_are_not_in_the_tables(ctx: Context, tmp_path: Path) -> None:
    """Tables leave out private and running matches, as a dump of records does."""
    play_on(ctx, open_new(ctx, OpenRequest("firenze", humans(2), visibility="private")))
    play_on(ctx, open_new(ctx, OpenRequest("firenze", humans(2))), until=6)

    assert tables.dump(ctx, EVER, tmp_path, quiet).matches == 0
    for table in tables.SCHEMAS:
        assert rows_of(tmp_path, table, "match") == []
