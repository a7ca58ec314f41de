"""`giornale archive` and `giornale dump`: ended matches leave the journal, and are given away."""

import hashlib
import os
import tracemalloc
from dataclasses import replace
from pathlib import Path

import orjson
import pytest
import zstandard

from domain.games import RULES
from service.base.config import Config
from service.base.release import with_extra
from service.bootstrap import open_archive
from service.matches import lifecycle
from service.matches.context import Context
from service.matches.opening import OpenRequest, open_new
from service.matches.records import export
from service.matches.repository import load
from service.ops.backup import dump_file
from service.ops.cli import records
from service.record.verify.files import Unreadable
from tests import toy
from tests.service.ops.cli.conftest import Run
from tests.service.toy_matches import opened, play_on


@pytest.fixture
def ended(here: Context) -> str:
    """A match, ended just now."""
    match = opened(here)
    play_on(here, match)
    return match.loaded.id


def files(environ: dict[str, str]) -> list[Path]:
    """Return the files of the archive."""
    directory = Path(environ["GIORNALE_DATA"]) / "archive"
    return [path for path in directory.rglob("*") if path.is_file()]


def test_a_due_match_is_archived_checked_and_restored(
    run: Run, here: Context, ended: str, environ: dict[str, str]
) -> None:
    """Each command prints its result. The match stays readable."""
    before = load(here, ended)
    commits = before.version

    assert run("archive", "run", "--older-than", "1h").output == "0 matches archived\n"
    assert (
        run("archive", "run", "--dry-run").output == f"1 matches with {commits} commits are due\n"
    )
    assert files(environ) == []

    assert run("archive", "run").output.startswith(f"1 matches archived: {commits} commits, ")
    assert run("archive", "run").output == "0 matches archived\n"
    assert here.journal.lifecycle.archived(ended) is not None
    [file] = files(environ)

    status = run("archive", "status").output
    assert f"archive: 1 matches archived: {commits} commits, {file.stat().st_size} bytes" in status
    checked = run("archive", "verify")
    assert (checked.exit_code, checked.output) == (0, "1 archived matches are right, 0 are not\n")
    assert run("verify", ended).output.startswith("right:")

    restored = run("archive", "restore", ended)
    assert restored.output == f"1 matches restored, {commits} commits\n"
    assert here.journal.lifecycle.archived(ended) is None
    assert load(here, ended) == before

    checked = run("archive", "verify")
    assert checked.exit_code == 0
    assert "note: 1 files belong to matches that are not archived now" in checked.output
    assert run("archive", "verify", "--clean").exit_code == 0
    assert files(environ) == [file], "a backup of the journal may name it"

    run("archive", "run")
    assert run("archive", "restore", "--all").output.startswith("1 matches restored")
    assert list(here.journal.lifecycle.all_archived()) == []


def test_a_damaged_file_is_named(run: Run, ended: str, environ: dict[str, str]) -> None:
    """`archive verify` names match, file and remedy, and ends with 1. Readers end with 2."""
    run("archive", "run")
    [file] = files(environ)
    file.write_bytes(b"spoilt")

    checked = run("archive", "verify")
    assert checked.exit_code == 1
    assert f"wrong: match {ended} cannot be read from {ended[:2]}/{file.name}" in checked.output
    assert "put the file back from a copy of the archive" in checked.output
    assert checked.output.endswith("0 archived matches are right, 1 are not\n")

    for command in (["archive", "restore", ended], ["export", ended], ["verify", ended]):
        failed = run(*command)
        assert failed.exit_code == 2
        assert failed.output.startswith("Error: ")
        assert file.name in failed.output


def test_leftovers_of_a_deleted_match_are_removed(
    run: Run, here: Context, ended: str, environ: dict[str, str]
) -> None:
    """`archive verify --clean` removes files left by a failed deletion or a killed writer."""
    run("archive", "run")
    [file] = files(environ)
    content = file.read_bytes()
    run("match", "delete", ended, "--yes")
    assert files(environ) == []

    file.write_bytes(content)
    draft = file.with_name(f".{file.name}.77.abcd")
    draft.write_bytes(content[:50])
    stranger = file.with_name("another.txt")
    stranger.write_bytes(b"not ours")

    checked = run("archive", "verify")
    assert checked.exit_code == 1
    assert f"left over: {ended[:2]}/{file.name}. Remove it with --clean" in checked.output

    cleaned = run("archive", "verify", "--clean")
    assert cleaned.exit_code == 0
    assert f"removed: {ended[:2]}/{file.name}" in cleaned.output
    assert files(environ) == [stranger]


BOTS = [{"kind": "bot", "level": "greedy"}] * 2
DAY = 86_400_000
JANUARY = 1_767_225_600_000  # 2026-01-01T00:00:00Z


def played(ctx: Context, day: int, visibility: str = "public", *, to_end: bool = True) -> str:
    """Play a match of bots on a day of January 2026. Return its id."""
    then = replace(ctx, clock=lambda: JANUARY + (day - 1) * DAY)
    opened = open_new(then, OpenRequest("toy", BOTS, {"rounds": 2}, visibility=visibility))
    if to_end:
        play_on(then, opened)
    return opened.loaded.id


@pytest.fixture
def matches(here: Context, environ: dict[str, str]) -> list[str]:
    """Matches ended on the 2nd, 5th and 9th, the first archived.

    Two others are private and running.
    """
    ended = [played(here, day) for day in (2, 5, 9)]
    played(here, 5, "private")
    played(here, 5, to_end=False)
    lifecycle.archive(here, open_archive(Config.load(environ)), ended[0])
    return ended


def records_in(path: Path) -> dict[str, bytes]:
    """Return the records of a dump by match."""
    by_match: dict[str, bytes] = {}
    content = zstandard.ZstdDecompressor().stream_reader(path.read_bytes()).readall()
    for line in content.splitlines(keepends=True):
        match = orjson.loads(line)["subject"]
        by_match[match] = by_match.get(match, b"") + line
    return by_match


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        ([], [0, 1, 2]),
        (["--from", "2026-01-05"], [1, 2]),
        (["--to", "2026-01-05"], [0]),
        (["--from", "2026-01-02T00:00:00Z", "--to", "2026-01-09T00:00:00+00:00"], [0, 1]),
    ],
    ids=["all", "from", "to", "both"],
)
def test_a_dump_holds_the_records_of_a_time(
    run: Run,
    here: Context,
    matches: list[str],
    tmp_path: Path,
    times: list[str],
    expected: list[int],
) -> None:
    """A dump has whole records in the order of their ends, and lists in the form of `sha256sum`."""
    path = tmp_path / "dump.ndjson.zst"
    result = run("dump", *times, "-o", path)
    assert f"{len(expected)} matches" in result.output

    names = [matches[index] for index in expected]
    whole = {name: b"".join(export(here, name, None)) for name in names}
    assert list(records_in(path).items()) == list(whole.items())

    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert Path(f"{path}.sha256").read_text() == f"{digest}  {path.name}\n"

    digests = [hashlib.sha256(whole[name]).hexdigest() + f"  {name}.ndjson" for name in names]
    assert records_list(path).read_text().splitlines() == digests

    checked = run("verify", path)
    assert checked.output.startswith(f"{len(names)} records are right, 0 are not")
    assert checked.exit_code == 0


@pytest.fixture
def dumped(run: Run, matches: list[str], tmp_path: Path) -> Path:
    """A dump of all matches."""
    path = tmp_path / "dump.ndjson.zst"
    run("dump", "-o", path)
    return path


def test_a_dump_with_one_list_of_all_is_checked(run: Run, dumped: Path, matches: list[str]) -> None:
    """Earlier releases wrote one list for the dump and its records."""
    records_file = records_list(dumped)
    beside = Path(f"{dumped}.sha256")
    beside.write_text(beside.read_text() + records_file.read_text())
    records_file.unlink()
    assert run("verify", dumped).exit_code == 0

    beside.write_text(beside.read_text().replace(matches[1], "a" * 26))
    result = run("verify", dumped)
    assert f"the record of match {'a' * 26} is in the list only" in result.output


@pytest.mark.parametrize("suffix", ["", ".sha256", ".records.sha256"])
def test_no_list_of_another_dump_is_taken_for_this_ones(
    run: Run, matches: list[str], tmp_path: Path, suffix: str
) -> None:
    """If one of the three files exists, none is written."""
    path = tmp_path / "dump.ndjson.zst"
    there = Path(f"{path}{suffix}")
    there.write_text("precious")

    refused = run("dump", "-o", path)
    assert refused.exit_code == 1
    assert f"{there} exists. Replace it with --replace" in refused.stderr
    assert there.read_text() == "precious"
    assert list(tmp_path.glob("*dump*")) == [there]


def test_a_damaged_file_of_the_archive_is_left_out_of_a_dump(
    run: Run, dumped: Path, matches: list[str], environ: dict[str, str]
) -> None:
    """An unreadable match is named. The incomplete dump replaces no file, but can be a new one."""
    [packed] = Path(environ["GIORNALE_DATA"], "archive").rglob("*.zst")
    packed.unlink()
    whole = dumped.read_bytes()

    refused = run("dump", "-o", dumped, "--replace")
    assert refused.exit_code == 1
    assert f"{matches[0]}: left out: it cannot be read" in refused.stderr
    advice = "Error: an incomplete dump replaces no file: write it to another one\n"
    assert advice in refused.stderr
    assert dumped.read_bytes() == whole

    beside = dumped.with_name("rest.zst")
    written = run("dump", "-o", beside)
    assert written.exit_code == 3
    assert written.stdout.startswith(f"{beside}: 2 matches")
    assert f"{matches[0]}: left out: it cannot be read" in written.stderr
    assert run("verify", beside).exit_code == 0


def records_list(path: Path) -> Path:
    """Return the list of the records of a dump."""
    return Path(f"{path}.records.sha256")


def test_another_dump_than_that_of_its_list_cannot_be_read(run: Run, dumped: Path) -> None:
    """A dump cut short does not fit its list. Without the list the missing end is found, too."""
    content = dumped.read_bytes()
    dumped.write_bytes(content[: len(content) // 2])
    result = run("verify", dumped)
    assert result.exit_code == 2
    assert "does not fit its SHA-256 in" in result.output

    Path(f"{dumped}.sha256").unlink()
    result = run("verify", dumped)
    assert result.exit_code == 2
    assert "it was cut short" in result.output


# ---- how a dump is read --------------------------------------------------------------------------

LINES = [b'{"subject":"%d","text":"%s"}\n' % (n // 3, b"x" * n * 50) for n in range(30)]
NO_LINE = os.urandom(100_000).replace(b"\n", b"x")


def packed(content: bytes) -> bytes:
    """Return one frame of zstd."""
    return zstandard.ZstdCompressor().compress(content)


@pytest.mark.parametrize("piece", [1, 7, 4096])
@pytest.mark.parametrize("end", [b"", b'{"subject":"9"}'], ids=["whole", "no-line-feed"])
def test_lines_come_out_as_they_went_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, piece: int, end: bytes
) -> None:
    """Lines are read unchanged, wherever pieces of the file end. Records are split by match."""
    monkeypatch.setattr(dump_file, "_PIECE", piece)
    path = tmp_path / "dump.zst"
    content = b"".join(LINES) + end
    path.write_bytes(packed(content))

    records = list(dump_file.records(path))

    assert b"".join(line for one in records for line in one.lines) == content
    assert [one.match for one in records] == list(map(str, range(10)))
    assert sum(one.size for one in records) == path.stat().st_size


@pytest.mark.parametrize(
    "more",
    [b"more", b"more" * 4096, packed(LINES[0])],
    ids=["a-word", "more-than-a-piece", "another-frame"],
)
def test_commits_after_the_end_are_told(tmp_path: Path, more: bytes) -> None:
    path = tmp_path / "dump.zst"
    path.write_bytes(packed(b"".join(LINES)) + more)

    with pytest.raises(Unreadable, match="has data after its end"):
        list(dump_file.records(path))


def test_a_line_without_an_end_does_not_fill_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An overlong line is refused before all of it is read."""
    monkeypatch.setattr(dump_file, "_MOST_LINE", len(NO_LINE) // 2)
    path = tmp_path / "dump.zst"
    path.write_bytes(packed(LINES[0] + NO_LINE))

    with pytest.raises(Unreadable, match="has an overlong line"):
        list(dump_file.records(path))


FLOOD = b"\n" * (64 * 1024 * 1024)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (FLOOD, "line 1 names no match"),
        (LINES[0] + FLOOD, "line 2 names no match"),
        (b'{"subject":7}\n', "line 1 names no match"),
        (LINES[0] * 20_000, "larger than any match"),
    ],
    ids=["line-feeds", "after-a-line", "a-number", "one-match"],
)
def test_a_dump_is_read_up_to_its_first_fault(
    tmp_path: Path, content: bytes, complaint: str
) -> None:
    """Even if a few bytes unpack to millions of lines, reading takes less than 64 MiB of memory."""
    path = tmp_path / "dump.zst"
    path.write_bytes(packed(content))
    tracemalloc.start()
    try:
        with pytest.raises(Unreadable, match=complaint):
            list(dump_file.records(path))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 64 * 1024 * 1024


# ---- tables --------------------------------------------------------------------------------------


def test_tables_are_written_for_a_time(run: Run, matches: list[str], tmp_path: Path) -> None:
    """Each table is a file in a new directory. Existing files are replaced only with --replace."""
    directory = tmp_path / "new" / "tables"
    written = run("dump", "--from", "2026-01-05", "--parquet", directory)
    assert written.output.startswith(f"{directory}: 2 matches, ")
    names = ["commits.parquet", "events.parquet", "matches.parquet", "seats.parquet"]
    assert sorted(path.name for path in directory.iterdir()) == names

    before = (directory / "commits.parquet").read_bytes()
    refused = run("dump", "--parquet", directory)
    assert refused.exit_code == 1
    assert "matches.parquet exists. Replace it with --replace" in refused.stderr
    assert (directory / "commits.parquet").read_bytes() == before

    replaced = run("dump", "--parquet", directory, "--replace")
    assert replaced.output.startswith(f"{directory}: 3 matches, ")
    assert (directory / "commits.parquet").read_bytes() != before


def test_tables_that_lack_a_match_replace_none(
    run: Run, matches: list[str], environ: dict[str, str], tmp_path: Path
) -> None:
    """Incomplete tables replace no files. The unreadable match is named."""
    run("dump", "--parquet", tmp_path / "whole")
    [packed] = Path(environ["GIORNALE_DATA"], "archive").rglob("*.zst")
    packed.unlink()

    refused = run("dump", "--parquet", tmp_path / "whole", "--replace")
    assert refused.exit_code == 1
    assert f"{matches[0]}: left out: it cannot be read" in refused.stderr
    advice = "Error: incomplete tables replace no files: write them to another directory\n"
    assert advice in refused.stderr

    written = run("dump", "--parquet", tmp_path / "rest")
    assert written.exit_code == 3
    assert written.stdout.startswith(f"{tmp_path / 'rest'}: 2 matches")


def test_tables_leave_out_matches_by_unknown_rules(
    run: Run, matches: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A match with unknown rules is named like an unreadable one."""
    monkeypatch.delitem(RULES, toy.TOY.rules)
    written = run("dump", "--parquet", tmp_path / "rest")
    assert written.exit_code == 3
    assert f"{matches[0]}: left out: it cannot be read" in written.stderr


@pytest.mark.parametrize(
    "arguments", [[], ["-o", "all.zst", "--parquet", "tables"]], ids=["neither", "both"]
)
def test_a_dump_is_either_records_or_tables(run: Run, arguments: list[str]) -> None:
    """The message names --output and --parquet."""
    refused = run("dump", *arguments)
    assert refused.exit_code == 2
    assert "give --output FILE, or --parquet DIRECTORY" in refused.stderr


def test_tables_need_pyarrow(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """If pyarrow is not installed, the message tells how to install it."""
    monkeypatch.setattr(records, "find_spec", lambda _name: None)
    refused = run("dump", "--parquet", tmp_path / "tables")
    assert refused.exit_code == 1
    assert with_extra("tables") in refused.stderr
    assert not (tmp_path / "tables").exists()
