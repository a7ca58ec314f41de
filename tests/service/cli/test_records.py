"""`giornale verify`, `export`, `import`, `keys`, `match delete`: exit codes and words."""

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner, Result
from flask import Flask
from werkzeug.serving import make_server

from service.api.app import create_app
from service.cli.commands import main
from service.config import Config
from service.ledger import record
from service.ledger.canonical import Json, parse_object
from service.ledger.receipts import Accepted
from service.matches import playing, reading
from service.matches.desk import Desk
from service.matches.submitting import Submission
from service.verify.audit import verify_record
from service.verify.receipts import ON_THEIR_WORD
from tests.attacks.forging import entries_of
from tests.service.toy_matches import opened, play_on, record_of, whole

Run = Callable[..., Result]

pytestmark = pytest.mark.usefixtures("toy_game")


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


def match_in(file: Path) -> str:
    """Return the id of the match that a record in a file is of."""
    first_line, _, _ = file.read_bytes().partition(b"\n")
    return str(parse_object(first_line)["subject"])


# ---- verify --------------------------------------------------------------------------------------


def test_a_right_record_ends_with_0(run: Run, file: Path) -> None:
    """People read what was checked, who came out how, and what no check can tell.

    Nothing is on standard error.
    """
    result = run("verify", file)
    assert result.exit_code == 0
    assert result.stderr == ""

    outcome = verify_record(record.lines(file.read_bytes())).report.outcome
    assert outcome is not None
    first, *seats, last = result.stdout.splitlines()
    assert first.endswith("of toy/1, 8 commits, each folded and decided again")
    assert seats == [
        f"  seat {seat}: rank {rank}, {points} points"
        for seat, (rank, points) in enumerate(zip(outcome["ranks"], outcome["points"], strict=True))
    ]
    assert last == f"note: no receipt from earlier was given: {ON_THEIR_WORD}"


def test_a_wrong_record_ends_with_1_and_names_the_commit(run: Run, file: Path) -> None:
    """The first bad commit and what is wrong with it stand in one line."""
    lines = record.lines(file.read_bytes())
    del lines[3]
    result = run("verify", "-", input=b"".join(lines))
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
    monkeypatch.setattr("service.cli.progress.on_terminal", lambda: True)
    result = run("verify", "--json", file)
    assert "verifying" in result.stderr
    assert json.loads(result.stdout)["ok"] is True


# ---- export, import, keys ------------------------------------------------------------------------


def test_export_and_import_are_inverse(run: Run, served: Desk, file: Path) -> None:
    """A record taken in and written again is the same to the byte.

    A second time nothing happens.
    """
    match = match_in(file)
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


@pytest.mark.parametrize("audiences", [set(), {"seat:0"}], ids=["public", "seat"])
def test_a_match_that_is_on_is_exported_as_the_public_or_a_seat_sees_it(
    run: Run, served: Desk, audiences: set[str]
) -> None:
    """No secret leaves the house before the end, not even by the operator's hand.

    A seat's token shows its own.
    """
    match = opened(served)
    play_on(served, match, until=3)
    arguments = [argument for seat in audiences for argument in ("--token", match.tokens[seat])]

    content = run("export", match.loaded.id, *arguments).stdout_bytes
    entries = entries_of(record.lines(content))
    assert {audience for stored in entries for audience in stored["secrets"]} == audiences


def test_keys_are_listed_and_rotated(run: Run, served: Desk) -> None:
    """A rotation adds a key and ends the old one, which stays on the list."""
    assert served.signer is not None
    served.signer.keys()  # the web process does it when it starts
    [first] = json.loads(run("keys", "list").stdout)["keys"]

    new_id = run("keys", "rotate").stdout.strip()
    listed = json.loads(run("keys", "list").stdout)["keys"]
    assert [key["id"] for key in listed] == [first["id"], new_id]
    assert listed[0]["until"] is not None


@pytest.mark.parametrize("path", ["", "/record"])
def test_a_url_is_verified_against_what_the_server_shows(
    run: Run, served: Desk, url: str, path: str
) -> None:
    """A server's match is fetched and checked, its head and outcome included."""
    match = opened(served)
    play_on(served, match)
    result = run("verify", f"{url}/v1/matches/{match.loaded.id}{path}")
    assert result.exit_code == 0
    assert result.stdout.startswith("right:")


# ---- receipts ------------------------------------------------------------------------------------


class Kept(NamedTuple):
    """A match up to version 4, and the receipt of its third commit in a file."""

    match: str
    lines: list[bytes]
    receipt: Json
    path: Path

    def write(self, receipt: Json) -> None:
        """Put another receipt into the file."""
        self.path.write_text(json.dumps(receipt))


@pytest.fixture
def kept(served: Desk, tmp_path: Path) -> Kept:
    """The answer to the third move of a match, kept as a player would."""
    match = opened(served)
    play_on(served, match, until=2)
    made = playing.move(
        served, Submission(match.loaded.id, match.tokens["seat:1"]), {"type": "keep"}
    )
    assert made.receipt is not None

    path = tmp_path / "receipt.json"
    path.write_text(json.dumps({"version": 3, "receipt": made.receipt}))
    return Kept(match.loaded.id, record_of(served, match), made.receipt, path)


def test_with_a_receipt_for_the_last_commit_nothing_is_said_of_the_end(
    run: Run, kept: Kept, url: str
) -> None:
    """Then the end is known, be the record at hand or the server's."""
    arguments = ["--receipt", kept.path, "--keys", url]
    result = run("verify", "-", *arguments, input=b"".join(kept.lines))
    assert result.exit_code == 3
    assert "not checked: the end" not in result.stdout
    assert "note:" not in result.stdout

    fetched = run("verify", f"{url}/v1/matches/{kept.match}", "--receipt", kept.path)
    assert fetched.exit_code == 3


def test_a_receipt_tells_what_was_cut_off(run: Run, kept: Kept, url: str) -> None:
    """A record that ends before the commit that a receipt vouches for is wrong."""
    arguments = ["--receipt", kept.path, "--keys", url]
    result = run("verify", "-", *arguments, input=b"".join(kept.lines[:2]))
    assert result.exit_code == 1
    assert result.stdout == (
        "wrong: commit 2: the record ends here, but receipt 1 vouches for commit 3\n"
    )


def test_a_receipt_is_not_checked_without_keys(run: Run, kept: Kept) -> None:
    """Where the keys come from must be said when no server is asked."""
    result = run("verify", "-", "--receipt", kept.path, input=b"".join(kept.lines))
    assert result.exit_code == 2


@pytest.mark.parametrize(
    "keys", [{}, {"keys": {}}, {"keys": [1]}, {"keys": [{"id": "a"}]}], ids=repr
)
def test_what_lists_no_keys_is_said_to(run: Run, kept: Kept, tmp_path: Path, keys: Any) -> None:
    """A file of something else is no key that is missing: it cannot be read."""
    keys_path = tmp_path / "keys.json"
    keys_path.write_text(json.dumps(keys))
    arguments = ["--receipt", kept.path, "--keys", keys_path]
    result = run("verify", "-", *arguments, input=b"".join(kept.lines))
    assert result.exit_code == 2
    assert isinstance(result.exception, SystemExit)


def test_a_server_that_tells_another_history_is_convicted(
    run: Run, served: Desk, kept: Kept, url: str
) -> None:
    """The receipt's hash is not the one in the record, so the server has lied.

    Both are its word: one is signed, the other chained.
    """
    accepted = Accepted(**{name: kept.receipt[name] for name in Accepted.__slots__})
    assert served.signer is not None
    kept.write(served.signer.sign(replace(accepted, hash="0" * 64)))

    result = run("verify", f"{url}/v1/matches/{kept.match}", "--receipt", kept.path)
    assert result.exit_code == 1
    assert result.stdout == "wrong: commit 3: it has another hash than receipt 1 vouches for\n"


@pytest.mark.parametrize(
    ("change", "why"),
    [
        pytest.param({"version": 2}, "its signature is not right", id="changed"),
        pytest.param({"key": "x"}, "which is not listed", id="unknown-key"),
        pytest.param({"x": 1}, "has the fields", id="no-receipt"),
    ],
)
def test_a_receipt_that_proves_nothing_is_called_so(
    run: Run, kept: Kept, url: str, change: Json, why: str
) -> None:
    """A changed receipt is no evidence against a record, but it is wrong."""
    kept.write({**kept.receipt, **change})
    result = run("verify", f"{url}/v1/matches/{kept.match}", "--receipt", kept.path)
    assert result.exit_code == 1
    assert why in result.stdout


# ---- match delete --------------------------------------------------------------------------------


def test_a_match_is_deleted_when_one_is_sure(run: Run, served: Desk, file: Path) -> None:
    """It is asked for; a no leaves the match as it is, a yes deletes it."""
    match = match_in(file)
    run("import", file)
    assert run("match", "delete", match, input="n\n").exit_code == 1
    assert served.journal.head(match) is not None

    assert run("match", "delete", match, input="y\n").stdout.endswith(f"{match}: deleted\n")
    assert served.journal.head(match) is None
    tombstone = served.journal.deleted(match)
    assert tombstone is not None
    assert tombstone.by == "command line"


def test_a_deleted_match_is_gone_for_good(run: Run, file: Path) -> None:
    """A second time says that it is gone, and its record is not taken in."""
    match = match_in(file)
    run("import", file)
    run("match", "delete", match, "--yes")

    again = run("match", "delete", match, "--yes")
    assert again.exit_code == 1
    assert "was deleted" in again.stderr

    refused = run("import", file)
    assert refused.exit_code == 1
    assert "nothing was imported" in refused.stderr


def test_no_match_is_not_deleted(run: Run, served: Desk) -> None:
    """A wrong id is told as such."""
    match = "a" * 26
    result = run("match", "delete", match, "--yes")
    assert result.exit_code == 1
    assert result.stderr == f"Error: there is no match {match}\n"


def test_a_match_imported_by_the_command_line_says_so(run: Run, served: Desk, file: Path) -> None:
    """The note of the import names the command line, in the side table."""
    run("import", file)
    note = reading.imported_in(served.journal.asides(match_in(file)))
    assert note is not None
    assert note["by"] == "command line"
