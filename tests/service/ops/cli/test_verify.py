"""`giornale verify`: words for people and programs, many files, several processes, interruptions.

Verdicts and refusals are in test_exchanges.py.
"""

import gzip
import hashlib
import json
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from domain.games import GAMES
from service.record import record
from service.record.verify.audit import verify_record
from service.record.verify.files import Finding, Task, check_all
from service.record.verify.receipts import ON_THEIR_WORD
from tests.records.make import signed_path
from tests.running import PATIENCE
from tests.service.ops.cli.conftest import Run
from tests.service.ops.cli.shelf import Shelf, match_of, write_dump

# ---- one record ----------------------------------------------------------------------------------


def test_people_read_the_checked_parts(run_alone: Run, file: Path) -> None:
    """The output has the result of each seat, and a note on the limits of any check."""
    result = run_alone("verify", file)
    assert (result.exit_code, result.stderr) == (0, "")

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


def test_it_is_said_how_many_commits_their_players_have_signed(
    run_alone: Run, tmp_path: Path
) -> None:
    """M18: the number of signed commits is printed for people and for programs."""
    content = gzip.decompress(signed_path(GAMES["firenze"]).read_bytes())
    path = tmp_path / "signed.ndjson"
    path.write_bytes(content)
    signed = verify_record(record.lines(content)).report.signed

    first, *_ = run_alone("verify", path).stdout.splitlines()
    assert signed > 0
    assert first.endswith(f"each folded and decided again, {signed} signed by their players")
    assert json.loads(run_alone("verify", "--json", path).stdout)["signed"] == signed


def test_a_program_reads_the_report_as_json(
    run_alone: Run, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With --json the report is printed. A bar on the terminal does not change it."""
    monkeypatch.setattr("service.ops.cli.bars.on_terminal", lambda: True)
    result = run_alone("verify", "--json", file)
    assert "verifying" in result.stderr

    report = json.loads(result.stdout)
    assert (report["ok"], report["verdict"], report["wrong"]) == (True, "right", None)
    assert report["commits"] == report["decided"] == 8
    assert report["unchecked"] == []
    assert len(report["notes"]) == 1


@pytest.mark.usefixtures("toy_game")
def test_a_record_may_come_through_a_pipe(run_alone: Run, file: Path, tmp_path: Path) -> None:
    """A pipe, such as a shell's <(...), can be read only once."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=[file.read_bytes()], daemon=True)
    writer.start()

    result = run_alone("verify", pipe)
    writer.join(PATIENCE)
    assert result.exit_code == 0, result.output


# ---- many records --------------------------------------------------------------------------------


def test_each_file_has_its_result_in_order(run_alone: Run, shelf: Shelf) -> None:
    """A wrong or unreadable file hides no other result, and a sum stands at the end."""
    result = run_alone("verify", *shelf.all)
    lines = result.stdout.splitlines()
    notes = [line for line in lines if line.startswith("note: ")]
    *said_lines, total = lines[: -len(notes)]
    results = [line.split(": ", 1) for line in said_lines]

    first, gone, dumped, dump_sum, wrong, readme, cut, cut_sum, gzipped, again = results
    assert first[0] == str(shelf.plain)
    assert first[1].startswith(f"right: match {shelf.matches[0]} of firenze/1")
    assert gone == [str(shelf.missing), gone[1]]
    assert gone[1].startswith("cannot be read: ")
    assert dumped[1].startswith(f"{shelf.matches[0]}: wrong: commit 4")
    assert dump_sum[1] == "2 records are right, 1 are not or not wholly checked"
    assert wrong[1].startswith("wrong: commit 4")
    assert "is not a record" in readme[1]
    assert [cut[0], cut_sum[0]] == [str(shelf.cut)] * 2
    assert gzipped[1].startswith(f"right: match {shelf.matches[1]}")
    assert again == first

    assert total.startswith("in 8 files ")
    assert total.endswith(", and 3 files cannot be read")
    assert f"note: no receipt from earlier was given: {ON_THEIR_WORD}" in notes
    assert len(set(notes)) == len(notes)


@pytest.mark.whole
@pytest.mark.parametrize("options", [[], ["--json"]], ids=["text", "json"])
def test_two_processes_print_the_same_as_one(
    run_alone: Run, shelf: Shelf, options: list[str]
) -> None:
    """The output of two processes is the same to the byte, with the same exit code."""
    one = run_alone("verify", *options, *shelf.all)
    two = run_alone("verify", *options, "--jobs", 2, *shelf.all)
    assert two.stdout == one.stdout
    assert two.exit_code == one.exit_code == 1
    assert two.stderr == one.stderr == ""
    assert multiprocessing.active_children() == []


def test_a_program_reads_all_reports(run_alone: Run, shelf: Shelf) -> None:
    """Each file has the same report as it would have alone."""
    document = json.loads(run_alone("verify", "--json", *shelf.all).stdout)
    assert document["verdict"] == "wrong"
    assert [one["file"] for one in document["files"]] == list(map(str, shelf.all))

    plain, gone, dump, wrong, *_ = document["files"]
    alone = json.loads(run_alone("verify", "--json", shelf.plain).stdout)
    assert plain == {"file": str(shelf.plain), **alone}
    assert gone == {"file": str(shelf.missing), "verdict": "unreadable", "error": gone["error"]}
    assert (dump["verdict"], dump["right"]) == ("wrong", 2)
    assert wrong["wrong"]["commit"] == 4


@pytest.mark.whole
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
        f"{shelf.matches[1]}: wrong: the record does not fit its SHA-256 in the list",
        "gone: wrong: the record of match gone is in the list only",
        "3 records are right, 2 are not or not wholly checked",
    ]
    assert two.exit_code == one.exit_code == 1


def test_auto_is_one_for_each_processor(
    run_alone: Run, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`--jobs auto` is the number of processors that this process may use."""
    processes: list[int] = []

    def check_by_one(tasks: Iterable[Task], number: int) -> Iterator[Finding]:
        processes.append(number)
        return check_all(tasks, 1)

    monkeypatch.setattr("service.ops.cli.verify.check_all", check_by_one)
    for count in (3, 1):
        available = set(range(count))
        monkeypatch.setattr("os.sched_getaffinity", lambda _pid, now=available: now, raising=False)
        ran = run_alone("verify", "--jobs", "auto", shelf.plain, shelf.gzipped)
        assert ran.exit_code == 0
    assert processes == [3, 1]


def test_one_bar_is_shown_over_all(
    run_alone: Run, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One bar for all files goes to 100% and counts records. Without a terminal there is none."""
    assert run_alone("verify", shelf.plain, shelf.dump).stderr == ""

    monkeypatch.setattr("service.ops.cli.bars.on_terminal", lambda: True)
    output = run_alone("verify", shelf.plain, shelf.dump).stderr
    assert output.count("verifying") > 1
    assert "100%" in output
    assert "4 records" in output


# ---- what comes from outside meanwhile -----------------------------------------------------------


def at_the_first_record(monkeypatch: pytest.MonkeyPatch, action: Callable[[], None]) -> None:
    """Call a function at the first result, while processes work on the next ones."""

    @contextmanager
    def no_bar(_length: int) -> Iterator[Callable[[int], None]]:
        actions = iter([action])
        yield lambda _more: next(actions, lambda: None)()

    monkeypatch.setattr("service.ops.cli.verify.records_bar", no_bar)


@pytest.fixture
def heeded_ctrl_c() -> Iterator[None]:
    """Ctrl-C raises KeyboardInterrupt, also if the tests run in the background of a shell."""
    usual = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, usual)


@pytest.mark.whole
@pytest.mark.usefixtures("heeded_ctrl_c")
@pytest.mark.parametrize(
    ("number", "jobs"),
    [(signal.SIGINT, 1), (signal.SIGINT, 2), (signal.SIGTERM, 2)],
    ids=["ctrl-c", "ctrl-c-of-two", "sigterm-of-two"],
)
def test_an_interruption_ends_all_processes(
    run_alone: Run,
    shelf: Shelf,
    monkeypatch: pytest.MonkeyPatch,
    number: signal.Signals,
    jobs: int,
) -> None:
    """The exit code is 130, with one word and no traceback. SIGTERM then acts as before."""
    usual = signal.getsignal(signal.SIGTERM)
    at_the_first_record(monkeypatch, lambda: os.kill(os.getpid(), number))

    result = run_alone("verify", "--jobs", jobs, *[shelf.plain] * 20)
    assert (result.exit_code, result.stdout, result.stderr) == (130, "", "Interrupted.\n")
    assert multiprocessing.active_children() == []
    assert signal.getsignal(signal.SIGTERM) == usual


def test_a_process_that_dies_is_told(
    run_alone: Run, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If a process dies, no verdict is given, and the exit code is 2."""
    at_the_first_record(monkeypatch, lambda: multiprocessing.active_children()[0].kill())

    result = run_alone("verify", "--jobs", 2, *[shelf.plain] * 20)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        "Error: a process was killed (Killed). The machine may be short of memory\n"
    )
    assert multiprocessing.active_children() == []
