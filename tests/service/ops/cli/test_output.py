"""A command writes its file whole or not at all, and replaces one only with --replace."""

import errno
import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO

import pytest

from service.base import private_files
from service.matches.context import Context
from service.matches.stories import visible
from service.ops.cli.bars import counting_bar
from service.ops.cli.output import LONGEST, printable
from tests.attacks.forging import DIGESTS, entries_of, mended
from tests.running import COMMAND
from tests.service.base.test_private_files import names_beside
from tests.service.ops.cli.conftest import Run, runner
from tests.service.ops.cli.shelf import GOLDEN, by_rules, match_in
from tests.service.toy_matches import whole

PRECIOUS = b"what was here before"
UNKNOWN = "a" * 26
DEVICE = Path(os.devnull)
NOWHERE = "unix:///nowhere/server.sock"

# The words before the name of the output file, given a file with a record.
COMMANDS: dict[str, Callable[[Path], list[object]]] = {
    "export": lambda record: ["export", match_in(record), "-o"],
    "story": lambda record: ["story", record, "-o"],
    "view": lambda record: ["view", record, "-o"],
    "dump": lambda _record: ["dump", "-o"],
    "backup": lambda _record: ["backup"],
}

# The same for commands that fail before they write, and their settings.
FAILURES: dict[str, tuple[Callable[[Path], list[object]], dict[str, str]]] = {
    "export-unknown": (lambda _record: ["export", UNKNOWN, "-o"], {}),
    "export-stopped": (COMMANDS["export"], {"GIORNALE_JOURNAL_URL": NOWHERE}),
    "export-elsewhere": (COMMANDS["export"], {"GIORNALE_JOURNAL_URL": ""}),
    "story-unknown": (lambda _record: ["story", UNKNOWN, "-o"], {}),
    "story-refused": (lambda _record: ["story", f"http://127.0.0.1:1/{UNKNOWN}", "-o"], {}),
    "story-wrong": (lambda record: ["story", wrong(record), "-o"], {}),
    "view-wrong": (lambda record: ["view", wrong(record), "-o"], {}),
    "view-missing": (lambda _record: ["view", "nothing.ndjson", "-o"], {}),
    "dump-stopped": (COMMANDS["dump"], {"GIORNALE_JOURNAL_URL": NOWHERE}),
    "backup-stopped": (COMMANDS["backup"], {"GIORNALE_JOURNAL_URL": NOWHERE}),
}


def wrong(record: Path) -> Path:
    """Write a wrong record beside a right one, and return its path."""
    path = record.with_name("wrong.ndjson")
    path.write_bytes(record.read_bytes().replace(b'"heads":', b'"head":'))
    return path


@pytest.fixture
def record(run: Run, served: Context, file: Path) -> Path:
    """A whole record of a match that is in the journal, too."""
    assert served.signer is not None
    served.signer.keys()  # the web process makes them when it starts
    assert run("import", file).exit_code == 0
    return file


@pytest.fixture(params=COMMANDS)
def command(request: pytest.FixtureRequest, record: Path) -> list[object]:
    """Each command with a file as its output, without the name of the file."""
    return COMMANDS[request.param](record)


@pytest.fixture
def target(tmp_path: Path) -> Path:
    """The output path of a command, in an empty directory."""
    directory = tmp_path / "out"
    directory.mkdir()
    return directory / "written.out"


def unwritten(command: list[object]) -> int:
    """Return the exit code of a failed write: 1 would be a verdict of `view`."""
    return 2 if command[0] == "view" else 1


def test_an_existing_file_is_kept_unless_it_may_be_replaced(
    run: Run, command: list[object], target: Path
) -> None:
    """The error says how to replace the existing file."""
    target.write_bytes(PRECIOUS)

    refused = run(*command, target)
    assert refused.exit_code == unwritten(command)
    assert refused.stderr == f"Error: {target} exists. Replace it with --replace\n"
    assert target.read_bytes() == PRECIOUS

    assert run(*command, target, "--replace").exit_code == 0
    assert target.read_bytes() != PRECIOUS
    assert stat.S_IMODE(target.stat().st_mode) == 0o600


@pytest.mark.parametrize("failure", FAILURES)
def test_a_failed_command_leaves_the_file_as_it_was(
    record: Path, environ: dict[str, str], target: Path, failure: str
) -> None:
    """A failed command does not change an existing file, even with --replace."""
    target.write_bytes(PRECIOUS)
    words, settings = FAILURES[failure]
    failed = runner(environ | settings)(*words(record), target, "--replace")

    assert failed.exit_code in (1, 2)
    assert failed.stderr
    assert "Traceback" not in failed.stderr
    assert target.read_bytes() == PRECIOUS
    assert names_beside(target) == [target.name]


def fill_disk(_file: IO[bytes]) -> None:
    """Fail as a full disk does."""
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_is_one_sentence(
    run: Run, command: list[object], target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the disk is full, the old file stays, and no draft is left."""
    target.write_bytes(PRECIOUS)
    monkeypatch.setattr(private_files, "_sync", fill_disk)

    failed = run(*command, target, "--replace")
    assert failed.exit_code == unwritten(command)
    assert failed.stderr == f"Error: {target} cannot be written: No space left on device\n"
    assert target.read_bytes() == PRECIOUS
    assert names_beside(target) == [target.name]


def test_drafts_of_a_killed_run_are_told_and_removed(
    run: Run, command: list[object], target: Path
) -> None:
    """The next run removes drafts of killed runs, even those of files with other names."""
    draft = target.with_name(f".yesterday{target.suffix}.77.0123abcd")
    draft.write_bytes(b"a half")

    written = run(*command, target)
    assert written.exit_code == 0
    assert f"removed {draft}, left by a killed run\n" in written.stderr
    assert not draft.exists()


def test_an_export_of_all_leaves_no_half_either(
    run: Run, record: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An export of all removes drafts of a killed run. A full disk leaves no draft."""
    directory = tmp_path / "records"
    directory.mkdir()
    draft = directory / f".{UNKNOWN}.ndjson.77.0123abcd"
    draft.write_bytes(b"a half")

    with monkeypatch.context() as full:
        full.setattr(private_files, "_sync", fill_disk)
        failed = run("export", "--all", directory)
    assert failed.exit_code == 1
    assert failed.stderr == (
        f"removed {draft}, left by a killed run\n"
        f"Error: {directory} cannot be written: No space left on device\n"
    )
    assert list(directory.iterdir()) == []

    assert run("export", "--all", directory).exit_code == 0
    assert names_beside(draft) == [f"{match_in(record)}.ndjson"]


def test_a_link_stays_a_link(run: Run, command: list[object], target: Path) -> None:
    """The target of a link is written. A second run does not replace it."""
    link = target.with_name("link.out")
    link.symlink_to(target)

    assert run(*command, link).exit_code == 0
    assert link.is_symlink()
    assert target.stat().st_size > 0
    assert run(*command, link).exit_code == unwritten(command)


@pytest.mark.parametrize("command", ["export", "story", "view"], indirect=True)
def test_a_device_is_written_straight(run: Run, command: list[object]) -> None:
    """A device is written, and not replaced by a file."""
    assert run(*command, DEVICE).exit_code == 0
    assert stat.S_ISCHR(DEVICE.stat().st_mode)


@pytest.mark.parametrize("command", ["dump", "backup"], indirect=True)
def test_a_pipe_is_no_place_to_keep_something(
    run: Run, command: list[object], target: Path
) -> None:
    """A pipe is refused as an output, even with --replace."""
    os.mkfifo(target)
    refused = run(*command, target, "--replace")
    assert refused.exit_code == 1
    assert refused.stderr == f"Error: {target} is not a file\n"
    assert target.is_fifo()


def test_a_directory_that_is_not_there_is_told(
    run: Run, command: list[object], target: Path
) -> None:
    """The error names the file and says that its directory is missing."""
    missing = target.parent / "no" / target.name
    refused = run(*command, missing)
    assert refused.exit_code == unwritten(command)
    assert refused.stderr.endswith(f"{missing} cannot be written: there is no such directory\n")


@pytest.mark.whole
@pytest.mark.skipif(sys.platform != "linux", reason="there is no /dev/full")
def test_standard_output_that_is_full_is_one_sentence() -> None:
    """If standard output is full, the error is one sentence without Python's own at exit."""
    command = [*COMMAND, "story", str(GOLDEN[0])]
    with Path("/dev/full").open("wb") as full:
        completed = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False)

    assert completed.returncode == 1
    assert (
        completed.stderr == b"Error: standard output cannot be written: No space left on device\n"
    )


# ---- what is printed: no text of a record forges a line, moves a cursor or hides -----------------

EVIL = "toy/1\nright: match x\x1b[2J\x9b1A\u202e\u200b\u2028\U000e0041\u3164"
HARMLESS = r"toy/1\u000aright: match x\u001b[2J\u009b1A\u202e\u200b\u2028\U000e0041\u3164"


@pytest.mark.usefixtures("toy_game")
def test_no_text_of_a_record_forges_printed_lines(run_alone: Run, ctx: Context) -> None:
    """Line ends, escapes and invisible characters of a record are escaped, also in JSON."""
    content = by_rules(ctx, EVIL)
    printed = run_alone("verify", "-", input=content).stdout
    printed_json = run_alone("verify", "--json", "-", input=content).stdout

    telling_lines = [line for line in printed.splitlines() if "right: match x" in line]
    assert telling_lines != []
    assert all(HARMLESS in line for line in telling_lines)

    assert is_harmless(printed)
    assert is_harmless(printed_json)
    assert json.loads(printed_json)["rules"] == EVIL

    # A wrong record forges no line either: the finding has its name of an audience.
    entries = entries_of(whole(ctx))
    entries[1]["secrets"]["x\nright: all\x1b[1A"] = {"salt": ""}
    content = b"".join(mended(entries, [DIGESTS]))
    assert run_alone("verify", "-", input=content).stdout.count("\n") == 1


def is_harmless(output: str) -> bool:
    """Return True if an output holds nothing but line ends and visible signs."""
    return all(visible(line) == line for line in output.split("\n"))


def test_letters_of_all_languages_are_printed_and_long_lines_cut() -> None:
    """Letters of all languages are printed unchanged. A line longer than LONGEST is cut."""
    for text in ("Firenze, città", "漢字", "שלום", "😀", "a\\b"):
        assert printable(text) == text

    too_long = "x" * (LONGEST + 1)
    assert printable(too_long) == "x" * LONGEST + f"... ({LONGEST + 1} characters)"


def test_whole_isolates_alone_are_printed() -> None:
    """A whole isolate keeps a name from turning the words around it. Half of one is escaped."""
    isolate = "\u2068רבקה\u2069"
    assert printable(f"{isolate} wins with 7") == f"{isolate} wins with 7"
    assert printable(f"\u2069{isolate}\u2068x") == f"\\u2069{isolate}\\u2068x"
    assert printable("\u2068a\u202eb\u2069") == "\u2068a\\u202eb\u2069"
    assert printable("\u2068a\u2067b\u2069") == "\\u2068a\\u2067b\\u2069"


# ---- how far a command is ------------------------------------------------------------------------


@pytest.mark.parametrize("is_terminal", [True, False], ids=["a terminal", "a pipe"])
def test_a_bar_is_shown_on_a_terminal_alone(
    is_terminal: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A terminal gets a bar with the progress. A pipe gets no output."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: is_terminal)
    with counting_bar("backup", 10) as progress:
        progress(5)

    output = capsys.readouterr().err
    assert ("backup" in output and "50%" in output) == is_terminal
    assert bool(output) == is_terminal
