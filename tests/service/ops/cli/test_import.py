"""`giornale import` of dumps: the dump is checked, then each match comes whole or not at all."""

import tracemalloc
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import zstandard
from click.testing import Result

from service.base.metadata_fields import COMMAND_LINE
from service.matches.context import Context
from service.matches.lifecycle import delete
from service.matches.opening import OpenRequest, open_new
from service.matches.records import export
from service.ops.backup import dump_import
from service.ops.process.valkey import JOURNAL_DIRECTORY
from service.record.record import line
from service.record.terms.fork import ForkRequest
from tests.attacks.forging import entries_of
from tests.service.ops.cli.conftest import Run
from tests.service.ops.cli.shelf import by_rules
from tests.service.ops.cli.test_dump import FLOOD, packed, records_in
from tests.service.toy_matches import new_context, opened, play_on, record_of, whole

pytestmark = pytest.mark.usefixtures("toy_game")

BOTS = [{"kind": "bot", "level": "greedy"}] * 2
Record = list[bytes]
Damage = Callable[[Sequence[Record]], bytes]


def played(ctx: Context, **terms: object) -> tuple[str, Record]:
    """Return a match of bots with its record, played to its end."""
    match = open_new(ctx, OpenRequest("toy", BOTS, {} if terms else {"rounds": 2}, terms=terms))
    play_on(ctx, match)
    return match.loaded.id, record_of(ctx, match)


def fork_of(ctx: Context, base: str, version: int = 3) -> tuple[str, Record]:
    """Return a fork of a match with its record, played to its end."""
    return played(ctx, fork=ForkRequest(base, version))


def joined(records: Sequence[Record]) -> bytes:
    """Return the lines of some records."""
    return b"".join(line for lines in records for line in lines)


def matches_in(ctx: Context) -> set[str]:
    """Return the matches of a journal, deleted ones included."""
    return set(ctx.journal.events.matches())


@pytest.fixture
def three(ctx: Context) -> list[Record]:
    """The records of three matches of another server."""
    return [played(ctx)[1] for _ in range(3)]


@pytest.fixture
def dump(tmp_path: Path, three: list[Record]) -> Path:
    """A dump of the three records."""
    path = tmp_path / "there.ndjson.zst"
    path.write_bytes(packed(joined(three)))
    return path


def with_lists(path: Path) -> None:
    """Write the lists beside a dump."""
    lines = [f"{sha256(text).hexdigest()}  {m}.ndjson\n" for m, text in records_in(path).items()]
    Path(f"{path}.records.sha256").write_text("".join(lines))
    digest = sha256(path.read_bytes()).hexdigest()
    Path(f"{path}.sha256").write_text(f"{digest}  {path.name}\n")


# ---- a dump that is right ------------------------------------------------------------------------


def test_a_dump_goes_into_an_empty_journal(
    run: Run, here: Context, dump: Path, tmp_path: Path
) -> None:
    """A dump of this journal has the same records to the byte, and each match is right."""
    with_lists(dump)
    commits = sum(text.count(b"\n") for text in records_in(dump).values())
    result = run("import", dump)

    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines() == [
        f"{dump}: 3 matches, {commits} commits, all of it right",
        "3 matches imported, 0 existed already",
    ]
    again = tmp_path / "here.ndjson.zst"
    assert run("dump", "-o", again).exit_code == 0
    assert records_in(again) == records_in(dump)
    for match in records_in(dump):
        assert run("verify", match).exit_code == 0
    assert here.journal.lifecycle.generation() is not None


def test_a_second_import_changes_nothing(run: Run, here: Context, dump: Path) -> None:
    """A dump can be imported again, so an interrupted import can be repeated."""
    run("import", dump)
    generation = here.journal.lifecycle.generation()
    result = run("import", dump)

    assert result.exit_code == 0
    assert result.stdout.endswith("0 matches imported, 3 existed already\n")
    assert here.journal.lifecycle.generation() == generation


def test_matches_that_are_there_stay(run: Run, here: Context, dump: Path) -> None:
    """An import keeps matches of the journal, and does not restore deleted ones."""
    own, _ = played(here)
    [first, *_] = records_in(dump)
    run("import", dump)
    delete(here, first, COMMAND_LINE)

    assert run("import", dump).stdout.endswith("0 matches imported, 3 existed already\n")
    assert matches_in(here) == {own, *records_in(dump)}
    assert here.journal.events.head(first) is None


def test_another_match_of_the_same_id_is_left_as_it_is(
    run: Run, here: Context, ctx: Context, tmp_path: Path
) -> None:
    """A different match of the same id is named, and the others are imported."""
    same_id, others = whole(ctx, rounds=3), played(ctx)[1]
    mine = tmp_path / "mine.ndjson"
    mine.write_bytes(joined([whole(new_context(), rounds=2)]))
    run("import", mine)
    path = tmp_path / "theirs.zst"
    path.write_bytes(packed(joined([same_id, others])))

    result = run("import", path)

    assert result.exit_code == 0
    assert result.stdout.endswith("1 matches imported, 0 existed already\n")
    assert "unchanged: it differs from the one in the dump" in result.stderr
    [match] = {str(commit["commit"]["match"]) for commit in entries_of(same_id)}
    assert b"".join(export(here, match, None)) == mine.read_bytes()


def test_a_missing_journal_is_made(
    run_alone: Run, dump: Path, three: list[Record], tmp_path: Path
) -> None:
    """An import of a dump or a record makes a missing journal, as `giornale restore` does."""
    file = tmp_path / "one.ndjson"
    file.write_bytes(joined(three[:1]))

    assert run_alone("import", file).exit_code == 0
    assert (tmp_path / "var" / JOURNAL_DIRECTORY).is_dir()
    assert run_alone("import", dump).stdout.endswith("2 matches imported, 1 existed already\n")
    for match, text in records_in(dump).items():
        assert run_alone("export", match).stdout_bytes == text


# ---- forks: checked with their bases (M21) -------------------------------------------------------


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2)])
def test_a_fork_is_checked_with_its_base_in_the_dump(
    run: Run, here: Context, ctx: Context, tmp_path: Path, order: tuple[int, ...]
) -> None:
    """Forks, even forks of forks, are imported with their bases, whatever their order."""
    base, of_base = played(ctx)
    fork, of_fork = fork_of(ctx, base)
    last, of_last = fork_of(ctx, fork)
    records = [of_base, of_fork, of_last]
    path = tmp_path / "forks.zst"
    path.write_bytes(packed(joined([records[index] for index in order])))

    result = run("import", path)

    assert (result.exit_code, result.stderr) == (0, "")
    assert matches_in(here) == {base, fork, last}
    assert run("verify", last).exit_code == 0


def test_a_fork_without_its_base_is_left_out(
    run: Run, here: Context, ctx: Context, tmp_path: Path
) -> None:
    """A fork without its base and a fork of this fork are named.

    After the base both are imported.
    """
    base, of_base = played(ctx)
    fork, of_fork = fork_of(ctx, base)
    last, of_last = fork_of(ctx, fork)
    other, of_other = played(ctx)
    path, before = tmp_path / "forks.zst", tmp_path / "before.zst"
    path.write_bytes(packed(joined([of_fork, of_last, of_other])))
    before.write_bytes(packed(joined([of_base])))

    result = run("import", path)
    assert result.exit_code == 3
    assert result.stdout.endswith("1 matches imported, 0 existed already\n")
    reason = "left out: the base of this fork is missing"
    assert result.stderr.splitlines() == [f"{fork}: {reason}", f"{last}: {reason}"]
    assert matches_in(here) == {other}

    assert run("import", before).exit_code == 0
    result = run("import", path)
    assert result.exit_code == 0
    assert result.stdout.endswith("2 matches imported, 1 existed already\n")


def test_a_fork_that_belies_its_base_is_refused(
    run: Run, here: Context, ctx: Context, tmp_path: Path
) -> None:
    """Nothing is imported, whether the base is in the dump or in the journal."""
    match = opened(ctx)
    play_on(ctx, match)
    fork, of_fork = fork_of(ctx, match.loaded.id)
    another_base = whole(new_context(), rounds=3)
    both, alone, base = (tmp_path / name for name in ("both.zst", "fork.zst", "base.zst"))
    both.write_bytes(packed(joined([played(ctx)[1], of_fork, another_base])))
    alone.write_bytes(packed(joined([played(ctx)[1], of_fork])))
    base.write_bytes(packed(joined([another_base])))

    assert_refused(run("import", both), 1, f"match {fork}: commit 1: ", "Nothing was imported")
    assert matches_in(here) == set()

    run("import", base)
    assert_refused(run("import", alone), 1, f"match {fork}: commit 1: ", "Nothing was imported")
    assert matches_in(here) == {match.loaded.id}


# ---- attacks: nothing of a damaged or foreign dump is taken --------------------------------------


def assert_refused(result: Result, exit_code: int, *words: str) -> None:
    """Check the error of a command: one sentence with some words."""
    assert result.exit_code == exit_code, result.output
    [sentence] = result.stderr.splitlines()
    assert sentence.startswith("Error: ")
    for word in words:
        assert word in sentence


def unended(records: Sequence[Record]) -> bytes:
    """Return records. The second one is redacted, because its match is running."""
    ctx = new_context()
    match = opened(ctx)
    play_on(ctx, match, until=4)
    return packed(joined([records[0], record_of(ctx, match), records[1]]))


def of_the_future(records: Sequence[Record]) -> bytes:
    """Return two records. The second match ends in the year 2096."""
    ctx = new_context(start=4_000_000_000_000)
    return packed(joined([records[0], played(ctx)[1]]))


def by_newer_rules(records: Sequence[Record]) -> bytes:
    """Return records with unknown rules in the second."""
    return packed(joined([records[0]]) + by_rules(new_context(), "toy/99"))


def swapped_lines(records: Sequence[Record]) -> bytes:
    """Return records with two swapped lines in the last."""
    lines = list(records[2])
    lines[2], lines[3] = lines[3], lines[2]
    return packed(joined([*records[:2], lines]))


def grafted(records: Sequence[Record]) -> bytes:
    """Return records with another match's beginning in the last."""
    graft = entries_of(records[0])[:4]
    lines = [line(one) for one in graft]
    return packed(joined([records[1], [*lines, *records[2][4:]]]))


DAMAGES: dict[str, tuple[Damage, int, str]] = {
    "cut-file": (lambda ones: packed(joined(ones))[:-40], 2, "it was cut short"),
    "cut-record": (lambda ones: packed(joined([*ones[:2], ones[2][:-1]])), 1, "their revelation"),
    "cut-line": (lambda ones: packed(joined(ones)[:-9]), 1, "their revelation"),
    "headless": (lambda ones: packed(joined([ones[0], ones[1][1:]])), 1, "is not commit 1"),
    "swapped-lines": (swapped_lines, 1, "is not commit 3"),
    "grafted": (grafted, 1, "their revelation"),
    "doubled": (lambda ones: packed(joined([*ones, ones[0]])), 1, "is in the dump twice"),
    "doubled-line": (lambda ones: packed(joined([ones[0], ones[0]])), 1, "another record begins"),
    "two-frames": (lambda ones: packed(joined(ones)) * 2, 2, "has data after its end"),
    "unended": (unended, 1, "only an ended match with all its secrets"),
    "future": (of_the_future, 1, "in the future"),
    "newer-rules": (by_newer_rules, 1, "toy/99 is unknown to this release"),
    "no-records": (lambda _: packed(b'{"a": 1}\n'), 2, "line 1 names no match"),
    "too-large": (lambda ones: packed(joined([ones[0] * 2000])), 2, "larger than any match"),
    "flood": (lambda ones: packed(joined(ones) + FLOOD), 2, "names no match"),
    "zeros": (lambda _: packed(b"0" * (65 * 2**20)), 2, "has an overlong line"),
}


@pytest.mark.whole
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_dump_is_refused_whole(
    run: Run, here: Context, tmp_path: Path, three: list[Record], damage: str
) -> None:
    """The refusal is one sentence. Not even the records before the damage are imported."""
    make, exit_code, word = DAMAGES[damage]
    path = tmp_path / "damaged.zst"
    path.write_bytes(make(three))

    tracemalloc.start()
    try:
        result = run("import", path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert_refused(result, exit_code, word)
    assert peak < 200 * 2**20
    assert matches_in(here) == set()
    assert here.journal.lifecycle.generation() is None


@pytest.mark.parametrize("damage", ["cut-file", "doubled", "no-dump"])
def test_a_damaged_file_makes_no_journal(
    run_alone: Run, tmp_path: Path, three: list[Record], damage: str
) -> None:
    """A dump, and the chain of a record, are checked before a journal is opened."""
    path = tmp_path / "damaged.zst"
    path.write_bytes(joined(three) if damage == "no-dump" else DAMAGES[damage][0](three))

    assert run_alone("import", path).exit_code in (1, 2)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("suffix", [".sha256", ".records.sha256"])
def test_a_dump_is_held_against_its_lists(
    run: Run, here: Context, dump: Path, three: list[Record], suffix: str
) -> None:
    """A dump of right records is refused if its lists name other records."""
    with_lists(dump)
    dump.write_bytes(packed(joined([*three[:2], played(new_context())[1]])))
    unlisted = {".sha256": ".records.sha256", ".records.sha256": ".sha256"}[suffix]
    Path(f"{dump}{unlisted}").unlink()

    result = run("import", dump)

    assert result.exit_code in (1, 2)
    assert "SHA-256" in result.stderr or "is in the list, but not in the dump" in result.stderr
    assert matches_in(here) == set()


@pytest.mark.parametrize("keep", [(0, 2), (0, 1, 1), (1, 0, 2, 0)], ids=str)
def test_a_dump_that_changes_meanwhile_is_taken_no_further(
    run: Run,
    here: Context,
    dump: Path,
    three: list[Record],
    monkeypatch: pytest.MonkeyPatch,
    keep: tuple[int, ...],
) -> None:
    """Matches imported before the change was found are whole, and equal the checked records."""

    def change(*_: object) -> None:
        dump.write_bytes(packed(joined([three[index] for index in keep])))

    monkeypatch.setattr(dump_import, "check_forks", change)
    before = records_in(dump)
    result = run("import", dump)

    assert_refused(result, 2, "has changed since the check. Import it again")
    for match in matches_in(here):
        assert b"".join(export(here, match, None)) == before[match]


def test_an_import_that_is_cut_short_is_begun_again(
    run: Run, here: Context, dump: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After an interrupted import each match is whole or missing."""
    restore = type(here.journal.events).restore
    calls: list[int] = []

    def fails_once(*arguments: Any) -> object:
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return restore(*arguments)

    monkeypatch.setattr(type(here.journal.events), "restore", fails_once)
    assert run("import", dump).exit_code != 0
    [only] = matches_in(here)
    assert b"".join(export(here, only, None)) == records_in(dump)[only]

    result = run("import", dump)
    assert result.stdout.endswith("2 matches imported, 1 existed already\n")


# ---- files of another kind -----------------------------------------------------------------------


def test_each_command_names_the_other_for_its_files(run: Run, dump: Path, tmp_path: Path) -> None:
    """`restore` refuses a dump and `import` a backup, and each names the other command."""
    run("import", dump)
    backup = tmp_path / "all.backup"
    run("backup", "--without-secrets", backup)

    assert_refused(run("restore", dump), 1, "it is a dump. Import it with giornale import")
    assert_refused(run("import", backup), 2, "packed by gzip", "giornale restore")


def test_a_dump_is_no_pipe(run: Run, here: Context, dump: Path, three: list[Record]) -> None:
    """A dump is read twice, so a pipe is refused. Lines of several records are refused, too."""
    result = run("import", "-", input=dump.read_bytes())
    assert_refused(result, 2, "a dump is read twice. Give its file, not a pipe")

    result = run("import", "-", input=joined(three))
    assert_refused(result, 1, "another record begins here", "import the file of a dump")
    assert matches_in(here) == set()


def test_the_dump_of_no_match_is_right(run: Run, tmp_path: Path) -> None:
    """A dump without a match, as of a month without ended matches, is imported without an error."""
    path = tmp_path / "empty.zst"
    path.write_bytes(zstandard.ZstdCompressor().compress(b""))
    result = run("import", path)

    assert result.exit_code == 0
    assert result.stdout.endswith("0 matches imported, 0 existed already\n")
