"""`giornale dump`: records of public ended matches for everybody, checked by `verify`."""

import hashlib
from dataclasses import replace
from pathlib import Path

import orjson
import pytest
import zstandard

from service.bootstrap import open_archive, open_desk
from service.config import Config
from service.matches import archiving
from service.matches.desk import Desk
from service.matches.opening import Wish, open_new
from service.matches.records import export
from tests.service.cli.conftest import Run
from tests.service.toy_matches import play_on

BOTS = [{"kind": "bot", "level": "greedy"}] * 2
DAY = 86_400_000
JANUARY = 1_767_225_600_000  # 2026-01-01T00:00:00Z


def played(desk: Desk, day: int, visibility: str = "public", *, to_end: bool = True) -> str:
    """Play a match of bots on a day of January 2026; return its id."""
    then = replace(desk, clock=lambda: JANUARY + (day - 1) * DAY)
    opened = open_new(then, Wish("toy", BOTS, {"rounds": 2}, visibility=visibility))
    if to_end:
        play_on(then, opened)
    return opened.loaded.id


@pytest.fixture
def here(toy_game: None, environ: dict[str, str]) -> Desk:
    """A desk on the journal that the commands work on."""
    desk, _queues = open_desk(Config.load(environ))
    return replace(desk, wake=lambda *_: None)


@pytest.fixture
def matches(here: Desk, environ: dict[str, str]) -> list[str]:
    """Matches that ended on the 2nd, 5th and 9th, the first archived; a private, an unended one."""
    ended = [played(here, day) for day in (2, 5, 9)]
    played(here, 5, "private")
    played(here, 5, to_end=False)
    archiving.archive(here, open_archive(Config.load(environ)), ended[0])
    return ended


def records_in(path: Path) -> dict[str, bytes]:
    """Return the records of a dump by match."""
    found: dict[str, bytes] = {}
    content = zstandard.ZstdDecompressor().stream_reader(path.read_bytes()).readall()
    for line in content.splitlines(keepends=True):
        match = orjson.loads(line)["subject"]
        found[match] = found.get(match, b"") + line
    return found


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
    run: Run, here: Desk, matches: list[str], tmp_path: Path, times: list[str], expected: list[int]
) -> None:
    """Whole, in the order of their ends, with a list of SHA-256 that `sha256sum` reads."""
    path = tmp_path / "dump.ndjson.zst"
    result = run("dump", *times, "-o", path)
    assert f"{len(expected)} matches" in result.output

    names = [matches[index] for index in expected]
    whole = {name: b"".join(export(here, name, None)) for name in names}
    assert list(records_in(path).items()) == list(whole.items())

    digests = [hashlib.sha256(path.read_bytes()).hexdigest() + f"  {path.name}"]
    digests += [hashlib.sha256(whole[name]).hexdigest() + f"  {name}.ndjson" for name in names]
    assert Path(f"{path}.sha256").read_text().splitlines() == digests

    checked = run("verify", path)
    assert checked.output.startswith(f"{len(names)} records are right, 0 are not")
    assert checked.exit_code == 0


@pytest.fixture
def dumped(run: Run, matches: list[str], tmp_path: Path) -> Path:
    """A dump of all."""
    path = tmp_path / "dump.ndjson.zst"
    run("dump", "-o", path)
    return path


def rewrite(path: Path, content: bytes) -> None:
    """Write another content into a dump; its own SHA-256 is taken off the list."""
    path.write_bytes(zstandard.ZstdCompressor().compress(content))
    beside = Path(f"{path}.sha256")
    beside.write_text("".join(beside.read_text().splitlines(keepends=True)[1:]))


def test_a_forged_record_in_a_dump_is_found(run: Run, dumped: Path, matches: list[str]) -> None:
    """It is named; the others are right."""
    content = b"".join(records_in(dumped).values())
    forged = content.replace(f'"subject":"{matches[1]}"'.encode(), b'"subject":"x"', 1)
    rewrite(dumped, forged)

    result = run("verify", dumped)
    assert result.exit_code == 1
    assert "wrong: commit 1" in result.output

    as_json = orjson.loads(run("verify", dumped, "--json").output)
    assert as_json["verdict"] == "wrong"
    assert as_json["right"] == 2


def test_a_record_that_is_missing_is_found_by_the_list(
    run: Run, dumped: Path, matches: list[str]
) -> None:
    """Without the list nobody could know."""
    whole = records_in(dumped)
    del whole[matches[1]]
    rewrite(dumped, b"".join(whole.values()))

    result = run("verify", dumped)
    assert result.exit_code == 1
    assert f"the record of match {matches[1]} is in the list only" in result.output

    Path(f"{dumped}.sha256").unlink()
    assert run("verify", dumped).exit_code == 0


def test_another_right_record_is_found_by_the_list(
    run: Run, dumped: Path, matches: list[str]
) -> None:
    """It is right by itself, but not the one that was published."""
    beside = Path(f"{dumped}.sha256")
    listed = beside.read_text()
    _, _, line = listed.partition(f"  {dumped.name}\n")
    beside.write_text(listed.replace(line[:8], "00000000"))

    result = run("verify", dumped)
    assert result.exit_code == 1
    assert "is not the one whose SHA-256 is in the list" in result.output


def test_a_dump_that_was_cut_cannot_be_read(run: Run, dumped: Path) -> None:
    """Nor one whose SHA-256 is another than the list's."""
    content = dumped.read_bytes()
    dumped.write_bytes(content[: len(content) // 2])
    result = run("verify", dumped)
    assert result.exit_code == 2
    assert "is not the file whose SHA-256 is in" in result.output

    Path(f"{dumped}.sha256").unlink()
    result = run("verify", dumped)
    assert result.exit_code == 2
    assert "it was cut short" in result.output


@pytest.mark.parametrize("option", ["--from", "--to"])
def test_a_time_that_is_none_is_refused(run: Run, tmp_path: Path, option: str) -> None:
    """The option is named, and what would be right."""
    result = run("dump", option, "yesterday", "-o", tmp_path / "x")
    assert result.exit_code == 2
    assert option in result.output
    assert "such as 2026-01-31" in result.output


def test_receipts_are_for_one_record(run: Run, dumped: Path) -> None:
    """They would name one match among many."""
    result = run("verify", dumped, "--receipt", "x.json")
    assert result.exit_code == 2
    assert "receipts are checked against one record" in result.output
