"""`giornale verify --receipt`: receipts that somebody kept, held against a record."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from service.ledger.commit import Json
from service.ledger.record import Accepted
from service.matches import moves
from service.matches.command_handler import Submission
from service.matches.context import Context
from tests.attacks.forging import cut, entries_of, mended
from tests.service.cli.conftest import Run
from tests.service.cli.handed import verify_lines
from tests.service.cli.site import KEY, receipt_for
from tests.service.toy_matches import opened, play_on, record_of, whole

pytestmark = pytest.mark.usefixtures("toy_game")


class Kept(NamedTuple):
    """A match that is on, its record, and the receipt of its third commit in a file."""

    match: str
    lines: list[bytes]
    receipt: Json
    path: Path

    def write(self, receipt: Json) -> None:
        """Put another receipt into the file."""
        self.path.write_text(json.dumps(receipt))


@pytest.fixture
def kept(served: Context, tmp_path: Path) -> Kept:
    """The answer to the third move of a match, kept as a player would."""
    match = opened(served)
    play_on(served, match, until=2)
    submission = Submission(match.loaded.id, match.tokens["seat:1"])
    made = moves.move(served, submission, {"type": "keep"})
    assert made.receipt is not None

    path = tmp_path / "receipt.json"
    answer = {"version": 3, "receipt": made.receipt}
    path.write_text(json.dumps(answer))
    return Kept(
        match=match.loaded.id,
        lines=record_of(served, match),
        receipt=dict(made.receipt),
        path=path,
    )


def test_with_a_receipt_for_the_last_commit_nothing_is_said_of_the_end(
    run: Run, kept: Kept, url: str
) -> None:
    """Then the end is known, be the record at hand or the server's."""
    arguments = ["--receipt", kept.path, "--keys", url]
    result = verify_lines(run, kept.lines, *arguments)
    assert result.exit_code == 3
    assert "not checked: the end" not in result.stdout
    assert "note:" not in result.stdout

    fetched = run("verify", f"{url}/v1/matches/{kept.match}", "--receipt", kept.path)
    assert fetched.exit_code == 3


def test_a_receipt_tells_what_was_cut_off(run: Run, kept: Kept, url: str) -> None:
    """A record that ends before the commit that a receipt vouches for is wrong."""
    arguments = ["--receipt", kept.path, "--keys", url]
    result = verify_lines(run, kept.lines[:2], *arguments)
    assert result.exit_code == 1
    assert result.stdout == (
        "wrong: commit 2: the record ends here, but receipt 1 vouches for commit 3\n"
    )


def test_a_receipt_is_not_checked_without_keys(run: Run, kept: Kept) -> None:
    """Where the keys come from must be said when no server is asked."""
    result = verify_lines(run, kept.lines, "--receipt", kept.path)
    assert result.exit_code == 2


@pytest.mark.parametrize(
    "keys", [{}, {"keys": {}}, {"keys": [1]}, {"keys": [{"id": "a"}]}], ids=repr
)
def test_what_lists_no_keys_is_said_to(run: Run, kept: Kept, tmp_path: Path, keys: Any) -> None:
    """A file of something else is no key that is missing: it cannot be read."""
    keys_path = tmp_path / "keys.json"
    keys_path.write_text(json.dumps(keys))
    arguments = ["--receipt", kept.path, "--keys", keys_path]
    result = verify_lines(run, kept.lines, *arguments)
    assert result.exit_code == 2
    assert isinstance(result.exception, SystemExit)


def test_a_server_that_tells_another_history_is_convicted(
    run: Run, served: Context, kept: Kept, url: str
) -> None:
    """The receipt's hash is not the one in the record, so the server has lied: it signed both."""
    accepted = Accepted(**{name: kept.receipt[name] for name in Accepted.__slots__})
    assert served.signer is not None
    kept.write(dict(served.signer.sign(replace(accepted, hash="0" * 64))))

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


def with_receipt(directory: Path, lines: list[bytes], version: int) -> list[Any]:
    """Return the arguments that name the receipt for a version of a match, and the keys."""
    receipt_path = directory / "receipt.json"
    keys_path = directory / "keys.json"
    accepted = Accepted.of(entries_of(lines)[version - 1])
    receipt_path.write_text(json.dumps(receipt_for(accepted)))
    keys_path.write_text(json.dumps({"keys": [KEY]}))
    return ["--receipt", receipt_path, "--keys", keys_path]


def test_a_receipt_for_the_last_commit_leaves_no_note(
    run_alone: Run, ctx: Context, tmp_path: Path
) -> None:
    """Then nothing rests on anybody's word."""
    lines = whole(ctx)
    arguments = with_receipt(tmp_path, lines, len(lines))
    result = verify_lines(run_alone, lines, *arguments)
    assert result.exit_code == 0
    assert "note:" not in result.stdout


def test_a_receipt_for_an_earlier_commit_leaves_a_note(
    run_alone: Run, ctx: Context, tmp_path: Path
) -> None:
    """What came after it rests on the word of whoever tells the match."""
    lines = whole(ctx)
    arguments = with_receipt(tmp_path, lines, 4)
    result = verify_lines(run_alone, lines, *arguments)
    assert result.exit_code == 0
    assert "note: no receipt vouches for the commits after 4" in result.stdout


def test_a_finished_match_told_as_aborted_has_a_note_and_is_found_with_a_receipt(
    run_alone: Run, ctx: Context, tmp_path: Path
) -> None:
    """The record alone is right, with a note that says what that means; the receipt convicts."""
    lines = whole(ctx)
    as_aborted = mended(cut(entries_of(lines), 4))

    alone = verify_lines(run_alone, as_aborted)
    assert alone.exit_code == 0
    assert "note: no receipt from earlier was given" in alone.stdout

    arguments = with_receipt(tmp_path, lines, 5)
    convicted = verify_lines(run_alone, as_aborted, *arguments)
    assert convicted.exit_code == 1
