"""`giornale verify`, `export`, `import`, `keys`: exit codes and words for people and programs."""

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from flask import Flask
from werkzeug.serving import make_server

from service.api.app import create_app
from service.cli.commands import main
from service.config import Config
from service.ledger import record
from service.ledger.canonical import parse_object
from service.ledger.receipts import Accepted
from service.matches import playing, reading
from service.matches.desk import Desk
from service.matches.records import export
from service.verify import receipts as witness
from service.verify.audit import verify_record
from tests.service.toy_matches import opened, play_on, whole

Run = Callable[..., Result]


@pytest.fixture
def environ(tmp_path: Path, redis_url: str) -> dict[str, str]:
    """The settings of a service on an empty journal."""
    return {
        "GIORNALE_JOURNAL_URL": redis_url,
        "GIORNALE_DATA": str(tmp_path / "var"),
        "GIORNALE_ALLOW_SEED": "true",
    }


@pytest.fixture
def run(environ: dict[str, str]) -> Run:
    """Run the command with arguments, as from a shell."""
    return lambda *arguments, **more: CliRunner().invoke(
        main, [*map(str, arguments)], env=environ, **more
    )


@pytest.fixture
def app(environ: dict[str, str]) -> Flask:
    """The application on the same journal."""
    return create_app(Config.load(environ))


@pytest.fixture
def served(app: Flask) -> Desk:
    """The application's desk."""
    desk: Desk = app.extensions["desk"]
    return desk


@pytest.fixture
def url(app: Flask) -> Iterator[str]:
    """Where the application is served."""
    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def file(desk: Desk, tmp_path: Path) -> Path:
    """A whole record in a file."""
    path = tmp_path / "whole.ndjson"
    path.write_bytes(b"".join(whole(desk)))
    return path


def test_a_right_record_ends_with_0(run: Run, file: Path) -> None:
    """People read what was checked, who came out how, and what no check can tell; nothing is on standard error."""
    result = run("verify", file)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0].endswith("of toy/1, 8 commits, each folded and decided again")
    outcome = verify_record(record.lines(file.read_bytes())).report.outcome or {}
    points, ranks = outcome["points"], outcome["ranks"]
    assert lines[1:3] == [
        f"  seat {seat}: rank {ranks[seat]}, {points[seat]} points" for seat in (0, 1)
    ]
    assert lines[3:] == [f"note: no receipt from earlier was given: {witness.ON_THEIR_WORD}"]
    assert result.stderr == ""


def test_a_wrong_record_ends_with_1_and_names_the_commit(run: Run, file: Path) -> None:
    """The first bad commit and what is wrong with it stand in one line."""
    lines = file.read_bytes().splitlines(keepends=True)
    result = run("verify", "-", input=b"".join(lines[:3] + lines[4:]))
    assert (result.exit_code, result.stdout) == (
        1,
        "wrong: commit 4: commit 5 stands where commit 4 belongs\n",
    )


@pytest.mark.parametrize("what", ["nothing", "http://127.0.0.1:1/v1/matches/x", "/"])
def test_what_cannot_be_read_ends_with_2(run: Run, what: str) -> None:
    """No such file, match or server is another matter than a wrong record."""
    result = run("verify", what)
    assert result.exit_code == 2
    assert result.stderr.startswith("Error: ")


def test_a_program_reads_the_report_as_json(run: Run, file: Path) -> None:
    """The whole report, as the audit of a server tells it."""
    report = json.loads(run("verify", "--json", file).stdout)
    assert (report["ok"], report["verdict"]) == (True, "right")
    assert (report["commits"], report["decided"], report["wrong"]) == (8, 8, None)
    assert (report["unchecked"], len(report["notes"])) == ([], 1)


def test_progress_is_shown_on_a_terminal_only(
    run: Run, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bar goes to standard error where somebody is looking, and spoils no output."""
    monkeypatch.setattr("service.cli.progress.on_terminal", lambda: True)
    result = run("verify", "--json", file)
    assert "verifying" in result.stderr
    assert json.loads(result.stdout)["ok"] is True


def test_export_and_import_are_inverse(run: Run, served: Desk, file: Path) -> None:
    """A record taken in and written again is the same to the byte; a second time nothing happens."""
    match = parse_object(file.read_bytes().splitlines()[0])["subject"]
    assert run("import", file).stdout == f"{match}: 8 commits\n"
    assert run("import", file).stdout == f"{match}: it was there already\n"
    assert run("export", match).stdout_bytes == file.read_bytes()
    assert run("verify", match).exit_code == 0
    assert served.journal.head(match) is not None


def test_a_bad_record_is_not_imported(run: Run, file: Path) -> None:
    """The answer names the commit; the journal stays empty."""
    file.write_bytes(file.read_bytes().replace(b'"heads":', b'"head":'))
    result = run("import", file)
    assert result.exit_code == 1
    assert "commit 4: the commit is not the one its hash was made of" in result.stderr


def test_a_match_that_is_on_is_exported_as_the_public_sees_it(run: Run, served: Desk) -> None:
    """No secret leaves the house before the end, not even by the operator's hand; a seat's token shows its own."""
    match = opened(served)
    play_on(served, match, until=3)
    for token, audiences in ((None, set()), (match.tokens["seat:0"], {"seat:0"})):
        content = run(
            "export", match.loaded.id, *(["--token", token] if token else [])
        ).stdout_bytes
        held = {
            audience
            for line in record.lines(content)
            for audience in record.read_line(line)[0]["secrets"]
        }
        assert held == audiences


def test_keys_are_listed_and_rotated(run: Run, served: Desk) -> None:
    """A rotation adds a key and ends the old one, which stays on the list."""
    assert served.signer is not None
    served.signer.keys()  # the web process does it when it starts
    before = json.loads(run("keys", "list").stdout)["keys"]
    fresh = run("keys", "rotate").stdout.strip()
    after = json.loads(run("keys", "list").stdout)["keys"]
    assert [key["id"] for key in after] == [before[0]["id"], fresh]
    assert after[0]["until"] is not None


def test_a_url_is_verified_against_what_the_server_shows(run: Run, served: Desk, url: str) -> None:
    """A server's match is fetched and checked, its head and outcome included."""
    match = opened(served)
    play_on(served, match)
    for path in ("", "/record"):
        result = run("verify", f"{url}/v1/matches/{match.loaded.id}{path}")
        assert (result.exit_code, result.stdout[:6]) == (0, "right:")


def receipt(served: Desk, tmp_path: Path) -> tuple[Any, Path]:
    """Play up to version 4 and keep the answer to the third move."""
    match = opened(served)
    play_on(served, match, until=2)
    made = playing.move(served, match.loaded.id, match.tokens["seat:1"], {"type": "keep"})
    path = tmp_path / "receipt.json"
    path.write_text(json.dumps({"version": 3, "receipt": made.receipt}))
    return match, path


def test_a_receipt_tells_what_was_cut_off(run: Run, served: Desk, url: str, tmp_path: Path) -> None:
    """A record that ends before the commit that a receipt vouches for is wrong; with it nothing is said of the end."""
    match, path = receipt(served, tmp_path)
    lines = list(export(served, match.loaded.id, None))
    keys = ["--receipt", path, "--keys", url]
    long = run("verify", "-", *keys, input=b"".join(lines))
    assert (long.exit_code, "not checked: the end" in long.stdout, "note:" in long.stdout) == (
        3,
        False,
        False,
    )
    short = run("verify", "-", *keys, input=b"".join(lines[:2]))
    assert (short.exit_code, short.stdout) == (
        1,
        "wrong: commit 2: the record ends here, but receipt 1 vouches for commit 3\n",
    )
    assert run("verify", f"{url}/v1/matches/{match.loaded.id}", "--receipt", path).exit_code == 3
    assert run("verify", "-", "--receipt", path, input=b"".join(lines)).exit_code == 2


@pytest.mark.parametrize(
    "keys", [{}, {"keys": {}}, {"keys": [1]}, {"keys": [{"id": "a"}]}], ids=repr
)
def test_what_lists_no_keys_is_said_to(run: Run, served: Desk, tmp_path: Path, keys: Any) -> None:
    """A file of something else is no key that is missing: it cannot be read."""
    match, path = receipt(served, tmp_path)
    (tmp_path / "keys.json").write_text(json.dumps(keys))
    lines = b"".join(export(served, match.loaded.id, None))
    result = run("verify", "-", "--receipt", path, "--keys", tmp_path / "keys.json", input=lines)
    assert (result.exit_code, result.exception.__class__) == (2, SystemExit)


def test_a_server_that_tells_another_history_is_convicted(
    run: Run, served: Desk, url: str, tmp_path: Path
) -> None:
    """The receipt's hash is not the one in the record: both are signed or chained, so the server has lied."""
    match, path = receipt(served, tmp_path)
    held = json.loads(path.read_text())["receipt"]
    assert served.signer is not None
    other = Accepted(held["match"], held["version"], hash="0" * 64, time=held["time"])
    path.write_text(json.dumps(served.signer.sign(other)))
    result = run("verify", f"{url}/v1/matches/{match.loaded.id}", "--receipt", path)
    assert (result.exit_code, result.stdout) == (
        1,
        "wrong: commit 3: it has another hash than receipt 1 vouches for\n",
    )


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"version": 2}, "its signature is not right"),
        ({"key": "x"}, "which is not listed"),
        ({"x": 1}, "has the fields"),
    ],
    ids=["changed", "unknown-key", "no-receipt"],
)
def test_a_receipt_that_proves_nothing_is_called_so(
    run: Run, served: Desk, url: str, tmp_path: Path, change: dict[str, Any], why: str
) -> None:
    """A changed receipt is no evidence against a record, but it is wrong."""
    match, path = receipt(served, tmp_path)
    path.write_text(json.dumps(json.loads(path.read_text())["receipt"] | change))
    result = run("verify", f"{url}/v1/matches/{match.loaded.id}", "--receipt", path)
    assert result.exit_code == 1
    assert why in result.stdout


def test_a_match_is_deleted_when_one_is_sure(run: Run, served: Desk, file: Path) -> None:
    """It is asked for; a no leaves the match as it is, a yes deletes it, and a second time says that it is gone."""
    run("import", file)
    match = parse_object(file.read_bytes().partition(b"\n")[0])["subject"]
    assert run("match", "delete", match, input="n\n").exit_code == 1
    assert served.journal.head(match) is not None
    assert run("match", "delete", match, input="y\n").stdout.endswith(f"{match}: deleted\n")
    assert served.journal.head(match) is None
    tombstone = served.journal.deleted(match)
    assert tombstone is not None
    assert tombstone.by == "command line"
    again = run("match", "delete", match, "--yes")
    assert (again.exit_code, "was deleted" in again.stderr) == (1, True)
    refused = run("import", file)
    assert (refused.exit_code, "nothing was imported" in refused.stderr) == (1, True)


def test_no_match_is_not_deleted(run: Run, served: Desk) -> None:
    """A wrong id is told as such."""
    result = run("match", "delete", "a" * 26, "--yes")
    assert (result.exit_code, result.stderr) == (1, f"Error: there is no match {'a' * 26}\n")


def test_a_match_imported_by_the_command_line_says_so(run: Run, served: Desk, file: Path) -> None:
    """The note of the import names the command line, in the side table."""
    run("import", file)
    match = parse_object(file.read_bytes().partition(b"\n")[0])["subject"]
    note = reading.imported_in(served.journal.asides(match))
    assert note is not None
    assert note["by"] == "command line"
