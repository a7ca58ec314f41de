"""Ended matches as four tables in Parquet: matches, seats, commits and events.

The tables are for questions about many matches at once, with DuckDB or another reader of Parquet. A
row of `events` has the event as JSON with its secret fields, because all matches in the tables are
revealed. No table has names of players, because names can be erased at any time.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from domain.errors import RulesUnknown
from domain.match.terms import taken_back
from service.base.errors import MatchDeleted, NotFound
from service.base.private_files import private_file
from service.matches.access import enter_as_operator
from service.matches.context import Context
from service.matches.repository import pieces
from service.ops.backup.export import Dumped, Span, ended_matches
from service.ops.backup.file_format import Incomplete
from service.record.codec import put_back
from service.record.commit import Json, StoredCommit, canonical, milliseconds, parse_commit
from service.record.replay import Loaded, outcome, replay_commits
from service.record.terms.fork import base_match
from service.store.journal.errors import ArchiveDamaged, HeadDamaged

SUFFIX = ".parquet"

_MATCH = ("match", pa.string())
_VERSION = ("version", pa.int32())
_SEAT = ("seat", pa.int8())
_TIME = pa.timestamp("ms", tz="UTC")

SCHEMAS = {
    "matches": pa.schema(
        [
            _MATCH,
            ("game", pa.string()),
            ("rules", pa.string()),
            ("options", pa.string()),
            ("status", pa.string()),
            ("seats", pa.int8()),
            ("commits", pa.int32()),
            ("opened", _TIME),
            ("ended", _TIME),
            ("forked_from", pa.string()),
        ]
    ),
    "seats": pa.schema(
        [
            _MATCH,
            _SEAT,
            ("kind", pa.string()),
            ("level", pa.string()),
            ("points", pa.int32()),
            ("rank", pa.int8()),
        ]
    ),
    "commits": pa.schema(
        [
            _MATCH,
            _VERSION,
            ("time", _TIME),
            ("actor", pa.string()),
            _SEAT,
            ("type", pa.string()),
            ("command", pa.string()),
            ("taken_back", pa.bool_()),
            ("hash", pa.string()),
        ]
    ),
    "events": pa.schema(
        [
            _MATCH,
            _VERSION,
            ("number", pa.int16()),
            ("type", pa.string()),
            _SEAT,
            ("event", pa.string()),
            ("taken_back", pa.bool_()),
        ]
    ),
}

# Number of rows collected in memory before they are written. Few large groups are read faster than
# many small ones. An event takes about 200 bytes.
_GROUP = 50_000

Row = Sequence[Any]


def files_of(directory: Path) -> list[Path]:
    """Return the files of all tables."""
    return [directory / f"{name}{SUFFIX}" for name in SCHEMAS]


def dump(
    ctx: Context,
    span: Span,
    directory: Path,
    progress: Callable[[int], None],
    *,
    replace: bool = True,
) -> Dumped:
    """Write the tables of all public matches that ended within a period. Return their content.

    directory: must exist.   progress: counts each match as 1.
    replace: True to replace existing files.

    Raises JournalUnavailable, OSError. Raises Incomplete, and changes no file, if a match is
    missing and a table exists.
    """
    dumped = Dumped()

    with ExitStack() as stack:
        tables = {
            path.stem: stack.enter_context(_open_table(path, replace=replace))
            for path in files_of(directory)
        }
        for match in ended_matches(ctx, span):
            _add(ctx, match, tables, dumped)
            progress(1)

        if dumped.missing and any(path.exists() for path in files_of(directory)):
            sentence = "incomplete tables replace no files: write them to another directory"
            raise Incomplete(sentence, dumped.missing)
    return dumped


class _TableWriter:
    """An unfinished table, written in groups of rows."""

    def __init__(self, writer: pq.ParquetWriter) -> None:
        self._writer = writer
        self._rows: list[Row] = []

    def add(self, rows: Sequence[Row]) -> None:
        """Add rows, each with the values of all columns."""
        self._rows += rows
        if len(self._rows) >= _GROUP:
            self.flush()

    def flush(self) -> None:
        """Write the collected rows."""
        schema = self._writer.schema
        columns = zip(*self._rows, strict=True) if self._rows else [()] * len(schema)
        arrays = [
            pa.array(column, kind) for column, kind in zip(columns, schema.types, strict=True)
        ]
        self._writer.write_table(pa.Table.from_arrays(arrays, schema=schema))
        self._rows = []


@contextmanager
def _open_table(path: Path, *, replace: bool) -> Iterator[_TableWriter]:
    """Yield the table of a file. The file gets its name once it is complete."""
    with (
        private_file(path, replace=replace) as file,
        pq.ParquetWriter(file, SCHEMAS[path.stem], compression="zstd") as writer,
    ):
        table = _TableWriter(writer)
        yield table
        table.flush()


def _add(ctx: Context, match_id: str, tables: dict[str, _TableWriter], dumped: Dumped) -> None:
    """Add a match to all tables. Skip a match deleted meanwhile, and note an unreadable one."""
    try:
        access = enter_as_operator(ctx, match_id)
        stored = list(chain.from_iterable(pieces(ctx, match_id, 0, access.version)))
    except MatchDeleted:
        return
    except (ArchiveDamaged, HeadDamaged, NotFound):  # NotFound: it lacks commits
        dumped.missing.append(match_id)
        return

    try:
        loaded = replay_commits(None, stored)
    except RulesUnknown:
        dumped.missing.append(match_id)
        return
    assert loaded is not None, "an ended match has commits"
    commits = [parse_commit(commit_bytes) for commit_bytes in stored]

    tables["matches"].add([_match_row(loaded, commits[0])])
    tables["seats"].add(_seat_rows(loaded))
    gone = frozenset(taken_back(loaded.match))
    for commit in commits:
        command, events = put_back(commit)
        is_gone = commit["commit"]["version"] in gone
        tables["commits"].add([_commit_row(commit, command, is_gone=is_gone)])
        tables["events"].add(_event_rows(commit, events, is_gone=is_gone))

    dumped.matches += 1
    dumped.commits += len(commits)


def _match_row(loaded: Loaded, first: StoredCommit) -> Row:
    opening = first["commit"]["command"]
    return (
        loaded.id,
        opening["game"],
        loaded.match.rules,
        _json(opening["options"]),
        loaded.status.name,
        len(loaded.match.seats),
        loaded.version,
        milliseconds(loaded.created),
        milliseconds(loaded.time),
        base_match(loaded.match) or None,
    )


def _seat_rows(loaded: Loaded) -> list[Row]:
    """Return kind and level of each seat at the end, with points and rank of an ended match."""
    result = outcome(loaded)
    rows: list[Row] = []
    for number, seat in enumerate(loaded.match.seats):
        points = result["points"][number] if result else None
        rank = result["ranks"][number] if result else None
        rows.append((loaded.id, number, seat.kind, seat.level or None, points, rank))
    return rows


def _commit_row(stored: StoredCommit, command: Json, *, is_gone: bool) -> Row:
    content = stored["commit"]
    kind, _, seat = content["actor"].partition(":")
    return (
        content["match"],
        content["version"],
        milliseconds(content["time"]),
        kind,
        int(seat) if seat else None,
        command["type"],
        _json(command),
        is_gone,
        stored["hash"],
    )


def _event_rows(stored: StoredCommit, events: Sequence[Json], *, is_gone: bool) -> list[Row]:
    content = stored["commit"]
    return [
        (
            content["match"],
            content["version"],
            number,
            event["type"],
            event.get("seat"),
            _json(event),
            is_gone,
        )
        for number, event in enumerate(events)
    ]


def _json(value: Json) -> str:
    return canonical(value).decode()
