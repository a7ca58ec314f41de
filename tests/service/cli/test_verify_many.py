"""`giornale verify` of many files at once, by one process or several."""

import hashlib
import io
import json
import multiprocessing
from pathlib import Path
from typing import Any

import pytest

from service.ledger import record
from service.verify.receipts import ON_THEIR_WORD
from tests.attacks.forging import NO_PARTS, misshapen
from tests.service.cli.conftest import Run
from tests.service.cli.shelf import Shelf, match_of, write_dump


def test_each_file_has_its_result_in_order(run_alone: Run, shelf: Shelf) -> None:
    """What is wrong or cannot be read hides no other result, and a sum stands at the end."""
    result = run_alone("verify", *shelf.all)
    lines = result.stdout.splitlines()
    notes = [line for line in lines if line.startswith("note: ")]
    *said_lines, total = lines[: -len(notes)]
    said = [line.split(": ", 1) for line in said_lines]

    first, gone, dumped, dump_sum, wrong, readme, cut, cut_sum, gzipped, again = said
    assert first[0] == str(shelf.plain)
    assert first[1].startswith(f"right: match {shelf.matches[0]} of firenze/1")
    assert gone == [str(shelf.missing), gone[1]]
    assert gone[1].startswith("cannot be read: ")
    assert dumped[1].startswith(f"{shelf.matches[0]}: wrong: commit 4")
    assert dump_sum[1] == "2 records are right, 1 are not or not wholly checked"
    assert wrong[1].startswith("wrong: commit 4")
    assert "is no record" in readme[1]
    assert [cut[0], cut_sum[0]] == [str(shelf.cut)] * 2
    assert gzipped[1].startswith(f"right: match {shelf.matches[1]}")
    assert again == first

    assert total.startswith("in 8 files ")
    assert total.endswith("; 3 files cannot be read")
    assert f"note: no receipt from earlier was given: {ON_THEIR_WORD}" in notes
    assert len(set(notes)) == len(notes)


@pytest.mark.parametrize("options", [[], ["--json"]], ids=["text", "json"])
def test_two_processes_say_what_one_says(run_alone: Run, shelf: Shelf, options: list[str]) -> None:
    """To the byte, and with the same exit code."""
    one = run_alone("verify", *options, *shelf.all)
    two = run_alone("verify", *options, "--jobs", 2, *shelf.all)
    assert two.stdout == one.stdout
    assert two.exit_code == one.exit_code == 1
    assert two.stderr == one.stderr == ""
    assert multiprocessing.active_children() == []


def test_a_program_reads_all_reports(run_alone: Run, shelf: Shelf) -> None:
    """Each file has its own, as it would have alone."""
    found = json.loads(run_alone("verify", "--json", *shelf.all).stdout)
    assert found["verdict"] == "wrong"
    assert [one["file"] for one in found["files"]] == list(map(str, shelf.all))

    plain, gone, dump, wrong, *_ = found["files"]
    alone = json.loads(run_alone("verify", "--json", shelf.plain).stdout)
    assert plain == {"file": str(shelf.plain), **alone}
    assert gone == {"file": str(shelf.missing), "verdict": "unreadable", "error": gone["error"]}
    assert (dump["verdict"], dump["right"]) == ("wrong", 2)
    assert wrong["wrong"]["commit"] == 4


@pytest.mark.parametrize(
    ("names", "exit_code", "strict"),
    [
        ("plain gzipped", 0, 0),
        ("plain half", 3, 1),
        ("half missing", 2, 2),
        ("plain missing", 2, 2),
        ("cut plain", 2, 2),
        ("half missing wrong", 1, 1),
        ("missing dump", 1, 1),
    ],
)
def test_the_worst_counts(
    run_alone: Run, shelf: Shelf, names: str, exit_code: int, strict: int
) -> None:
    """Wrong before unreadable, unreadable before partly checked, and that before right."""
    half = shelf.plain.with_name("half.ndjson")
    half.write_bytes(redacted(record.lines(shelf.contents[0])[:-1]))
    files = [half if name == "half" else getattr(shelf, name) for name in names.split()]

    assert run_alone("verify", *files).exit_code == exit_code
    assert run_alone("verify", "--strict", *files).exit_code == strict


@pytest.mark.parametrize("part", NO_PARTS, ids=repr)
def test_a_misshapen_record_hides_no_other(run_alone: Run, shelf: Shelf, part: Any) -> None:
    """A revelation of any form is that record's fault: in files and in dumps, others are judged."""
    lines = misshapen(record.lines(shelf.contents[0]), part)
    misshapen_file = shelf.plain.with_name("misshapen.ndjson")
    misshapen_file.write_bytes(b"".join(lines))
    write_dump(shelf.dump, [misshapen_file.read_bytes(), shelf.contents[1]])

    result = run_alone("verify", misshapen_file, shelf.dump, shelf.plain)

    said = result.stdout.splitlines()
    fault = f"wrong: commit {len(lines)}: what it reveals of commit 1 has not the form"
    assert result.exit_code == 1
    assert said[0].startswith(f"{misshapen_file}: {fault}")
    assert said[1].startswith(f"{shelf.dump}: {shelf.matches[0]}: {fault}")
    assert said[2].startswith(f"{shelf.dump}: 1 records are right")
    assert said[3].startswith(f"{shelf.plain}: right: match")


def redacted(lines: list[bytes]) -> bytes:
    """Return the lines of a record without their secret parts."""
    entries = [record.read_line(line)[0] for line in lines]
    return b"".join(record.line(record.redact(entry, ())) for entry in entries)


def test_a_dump_is_shared_out(run_alone: Run, shelf: Shelf) -> None:
    """One dump is checked by several processes, its list included."""
    contents = shelf.contents
    write_dump(shelf.dump, contents)
    listed = [f"{hashlib.sha256(one).hexdigest()}  {match_of(one)}.ndjson" for one in contents]
    listed[1] = listed[1].replace(listed[1][:8], "00000000")
    listed.append(f"{'0' * 64}  gone.ndjson")
    Path(f"{shelf.dump}.sha256").write_text("\n".join(listed))

    one = run_alone("verify", shelf.dump)
    two = run_alone("verify", "--jobs", 2, shelf.dump)
    assert two.stdout == one.stdout
    assert one.stdout.splitlines() == [
        f"{shelf.matches[1]}: wrong: the record is not the one whose SHA-256 is in the list",
        "gone: wrong: the record of match gone is in the list only",
        "3 records are right, 2 are not or not wholly checked",
    ]
    assert two.exit_code == one.exit_code == 1


@pytest.mark.parametrize("name", ["-", "http://127.0.0.1:1/v1/matches/x"])
def test_several_must_be_files(run_alone: Run, shelf: Shelf, name: str) -> None:
    """What stands elsewhere is checked alone, and the files are checked all the same."""
    result = run_alone("verify", shelf.plain, name)
    assert result.exit_code == 2
    assert f"{name}: cannot be read: {name} is no file: it is checked alone" in result.stdout
    assert "right: match" in result.stdout


@pytest.mark.parametrize("option", ["--receipt", "--keys"])
def test_receipts_are_for_one_record(run_alone: Run, shelf: Shelf, option: str) -> None:
    """They would name one match among many."""
    result = run_alone("verify", shelf.plain, shelf.gzipped, option, "x.json")
    assert result.exit_code == 2
    assert "receipts are checked against one record" in result.stderr


@pytest.mark.parametrize("jobs", ["0", "257", "many"])
def test_a_number_of_jobs_that_is_none_is_refused(run_alone: Run, shelf: Shelf, jobs: str) -> None:
    """The option is named."""
    result = run_alone("verify", "--jobs", jobs, shelf.plain)
    assert result.exit_code == 2
    assert "--jobs" in result.stderr


def test_auto_is_one_for_each_processor(
    run_alone: Run, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that this process may use count."""
    monkeypatch.setattr("service.cli.verify.processors", lambda: 1)
    assert run_alone("verify", "--jobs", "auto", shelf.plain, shelf.gzipped).exit_code == 0


class Terminal(io.StringIO):
    """A standard error that is a terminal."""

    def isatty(self) -> bool:
        """Return that it is."""
        return True


def test_one_bar_is_shown_over_all(
    run_alone: Run, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It goes to its end and counts records; there is none where nobody looks."""
    assert run_alone("verify", shelf.plain, shelf.dump).stderr == ""

    monkeypatch.setattr("service.cli.output.on_terminal", lambda: True)
    monkeypatch.setattr("click._termui_impl.isatty", lambda _file: True)
    shown = run_alone("verify", shelf.plain, shelf.dump).stderr
    assert shown.count("verifying") > 1
    assert "100%" in shown
    assert "4 records" in shown
