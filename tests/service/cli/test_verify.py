"""`giornale verify`: exit codes, and words for people and programs."""

import json
import os
import threading
from pathlib import Path

import pytest

from service.ledger import record
from service.matches.context import Context
from service.verify.audit import verify_record
from service.verify.receipts import ON_THEIR_WORD
from tests.running import PATIENCE
from tests.service.cli.conftest import Run, runner
from tests.service.cli.handed import by_rules, verify_lines
from tests.service.toy_matches import whole

UNKNOWN = "a" * 26

pytestmark = pytest.mark.usefixtures("toy_game")


def test_a_right_record_ends_with_0(run: Run, file: Path) -> None:
    """People read what was checked, who came out how, and what no check can tell."""
    result = run("verify", file)
    assert result.exit_code == 0
    assert result.stderr == ""

    outcome = verify_record(record.lines(file.read_bytes())).report.outcome
    assert outcome is not None
    first, *seats, last = result.stdout.splitlines()
    assert first.endswith("of toy/1, 8 commits, each folded and decided again")
    results = zip(outcome["ranks"], outcome["points"], strict=True)
    assert seats == [
        f"  seat {seat}: rank {rank}, {points} points"
        for seat, (rank, points) in enumerate(results)
    ]
    assert last == f"note: no receipt from earlier was given: {ON_THEIR_WORD}"


def test_a_record_may_come_through_a_pipe(run: Run, file: Path, tmp_path: Path) -> None:
    """As a shell makes of <(...): it can be read once only, and by nobody before."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=[file.read_bytes()], daemon=True)
    writer.start()

    result = run("verify", pipe)
    writer.join(PATIENCE)
    assert result.exit_code == 0, result.output


def test_a_wrong_record_ends_with_1_and_names_the_commit(run: Run, file: Path) -> None:
    """The first bad commit and what is wrong with it stand in one line."""
    lines = record.lines(file.read_bytes())
    del lines[3]
    result = verify_lines(run, lines)
    assert result.exit_code == 1
    assert result.stdout == "wrong: commit 4: commit 5 stands where commit 4 belongs\n"


@pytest.mark.parametrize("what", ["nothing", "http://127.0.0.1:1/v1/matches/x", "/"])
def test_what_cannot_be_read_ends_with_2(run: Run, what: str) -> None:
    """No such file, match or server is another matter than a wrong record."""
    result = run("verify", what)
    assert result.exit_code == 2
    assert result.stderr.startswith("Error: ")


def test_a_program_reads_the_report_as_json(run: Run, file: Path) -> None:
    """The whole report, as the audit of a server tells it."""
    report = json.loads(run("verify", "--json", file).stdout)
    assert report["ok"] is True
    assert report["verdict"] == "right"
    assert report["wrong"] is None
    assert report["commits"] == report["decided"] == 8
    assert report["unchecked"] == []
    assert len(report["notes"]) == 1


def test_progress_is_shown_on_a_terminal_only(
    run: Run, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bar goes to standard error where somebody is looking, and spoils no output."""
    monkeypatch.setattr("service.cli.output.on_terminal", lambda: True)
    result = run("verify", "--json", file)
    assert "verifying" in result.stderr
    assert json.loads(result.stdout)["ok"] is True


def test_right_as_far_as_checked_ends_with_3(run_alone: Run, half: list[bytes]) -> None:
    """A redacted record is not wrong, but not checked to the last: exit code and words tell."""
    content = b"".join(half)
    result = run_alone("verify", "-", input=content)
    assert result.exit_code == 3
    assert result.stdout.startswith("right as far as checked: match ")
    assert "not checked: the end" in result.stdout

    report = json.loads(run_alone("verify", "--json", "-", input=content).stdout)
    assert report["ok"] is True
    assert report["verdict"] == "partly_checked"


def test_strict_fails_unless_all_was_checked(run_alone: Run, half: list[bytes]) -> None:
    """With --strict a script need not know of the third outcome."""
    assert verify_lines(run_alone, half, "--strict").exit_code == 1


def test_strict_passes_when_all_was_checked(run_alone: Run, ctx: Context) -> None:
    """A whole record leaves nothing unchecked."""
    assert verify_lines(run_alone, whole(ctx), "--strict").exit_code == 0


def test_unknown_rules_are_not_right(run_alone: Run, ctx: Context) -> None:
    """A record that names rules of tomorrow was not played: 3, and 1 if that is not enough."""
    content = by_rules(ctx, "firenze/2")
    assert run_alone("verify", "-", input=content).exit_code == 3
    assert run_alone("verify", "--strict", "-", input=content).exit_code == 1


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"# Giornale\n\nAn event-sourced game log.\n", id="a-readme"),
        pytest.param(b"\xff\xfe\x00", id="bytes"),
        pytest.param(b"[1]\n", id="a-list"),
        pytest.param(b'{"type":"something.else","specversion":"1.0"}\n', id="another-event"),
    ],
)
def test_what_is_no_record_cannot_be_read(run_alone: Run, content: bytes) -> None:
    """Something else handed in by mistake is no forgery: 2, and words that say so."""
    result = run_alone("verify", "-", input=content)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "is no record" in result.stderr


def test_a_record_with_a_bad_later_line_is_wrong(run_alone: Run, ctx: Context) -> None:
    """What begins as a record and does not go on as one has been tampered with."""
    lines = whole(ctx)
    assert verify_lines(run_alone, [lines[0], b"hello\n"]).exit_code == 1


def test_a_name_of_nothing_is_told_so(run: Run, run_alone: Run) -> None:
    """Of what cannot be a match's id only files are spoken, and no journal is looked for."""
    for run_somewhere in (run, run_alone):
        result = run_somewhere("verify", "nosuchfile")
        assert result.exit_code == 2
        assert result.stderr == "Error: there is no file nosuchfile\n"


@pytest.mark.parametrize("command", ["verify", "story"])
def test_an_id_without_a_journal_says_what_to_start(run_alone: Run, command: str) -> None:
    """It may be a match's, and there is no journal to ask."""
    result = run_alone(command, UNKNOWN)
    assert result.exit_code == 2
    assert result.stderr.startswith(
        f"Error: there is no file {UNKNOWN}, and there is no journal: GIORNALE_JOURNAL_URL is not"
    )
    assert "run this where `giornale serve` runs, or set GIORNALE_DATA" in result.stderr


def test_an_id_of_no_match_is_told(run: Run) -> None:
    """The journal was asked."""
    result = run("verify", UNKNOWN)
    assert result.exit_code == 2
    assert result.stderr == f"Error: there is no file {UNKNOWN}, and no such match in the journal\n"


def test_a_journal_that_is_away_is_told(environ: dict[str, str]) -> None:
    """Beside that there is no such file."""
    away = runner(environ | {"GIORNALE_JOURNAL_URL": "unix:///nowhere/server.sock"})
    result = away("verify", UNKNOWN)
    assert result.exit_code == 2
    assert f"there is no file {UNKNOWN}, and the journal cannot be asked" in result.stderr
