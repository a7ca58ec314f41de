"""`giornale verify --receipt`: receipts that somebody kept, held against a record."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import Result

from service.keys.signer import Accepted
from service.ledger.commit import Json
from service.matches import moves
from service.matches.command_handler import Submission
from service.matches.context import Context
from tests.attacks.forging import entries_of
from tests.service.cli.conftest import Run
from tests.service.cli.site import KEY, receipt_for
from tests.service.toy_matches import opened, play_on, record_of, whole

pytestmark = pytest.mark.usefixtures("toy_game")


def verify_lines(run: Run, lines: list[bytes], *arguments: object) -> Result:
    """Return what `giornale verify` does with these lines on its standard input."""
    return run("verify", "-", *arguments, input=b"".join(lines))


# ---- receipts of a server that answers -----------------------------------------------------------


class Kept(NamedTuple):
    """A match that is on: its address, its record, the receipt of its third commit in a file."""

    url: str
    lines: list[bytes]
    receipt: Json
    path: Path

    def write(self, receipt: Json) -> None:
        """Put another receipt into the file."""
        self.path.write_text(json.dumps(receipt))


@pytest.fixture
def kept(served: Context, url: str, tmp_path: Path) -> Kept:
    """The answer to the third move of a match, kept as a player would."""
    match = opened(served)
    play_on(served, match, until=2)
    submission = Submission(match.loaded.id, match.tokens["seat:1"])
    made = moves.move(served, submission, {"type": "keep"})
    assert made.receipt is not None

    path = tmp_path / "receipt.json"
    path.write_text(json.dumps({"version": 3, "receipt": made.receipt}))
    address = f"{url}/v1/matches/{match.loaded.id}"
    return Kept(address, record_of(served, match), dict(made.receipt), path)


def test_with_a_receipt_for_the_last_commit_nothing_is_said_of_the_end(
    run: Run, kept: Kept, url: str
) -> None:
    """Then the end is known, be the record at hand or the server's."""
    result = verify_lines(run, kept.lines, "--receipt", kept.path, "--keys", url)
    assert result.exit_code == 3
    assert "not checked: the end" not in result.stdout
    assert "note:" not in result.stdout

    assert run("verify", kept.url, "--receipt", kept.path).exit_code == 3


def test_a_receipt_tells_what_was_cut_off(run: Run, kept: Kept, url: str) -> None:
    """A record that ends before the commit that a receipt vouches for is wrong."""
    result = verify_lines(run, kept.lines[:2], "--receipt", kept.path, "--keys", url)
    assert result.exit_code == 1
    assert result.stdout == (
        "wrong: commit 2: the record ends here, but receipt 1 vouches for commit 3\n"
    )


@pytest.mark.parametrize(
    "keys", [{}, {"keys": {}}, {"keys": [1]}, {"keys": [{"id": "a"}]}], ids=repr
)
def test_what_lists_no_keys_is_said_to(run: Run, kept: Kept, tmp_path: Path, keys: Any) -> None:
    """A file of something else is no key that is missing: it cannot be read."""
    keys_path = tmp_path / "keys.json"
    keys_path.write_text(json.dumps(keys))
    result = verify_lines(run, kept.lines, "--receipt", kept.path, "--keys", keys_path)
    assert result.exit_code == 2
    assert "does not list public keys" in result.stderr


def test_a_server_that_tells_another_history_is_convicted(
    run: Run, served: Context, kept: Kept
) -> None:
    """The receipt's hash is not the one in the record, so the server has lied: it signed both."""
    accepted = Accepted(**{name: kept.receipt[name] for name in Accepted.__slots__})
    assert served.signer is not None
    kept.write(dict(served.signer.sign(replace(accepted, hash="0" * 64))))

    result = run("verify", kept.url, "--receipt", kept.path)
    assert result.exit_code == 1
    assert result.stdout == "wrong: commit 3: it has another hash than receipt 1 vouches for\n"


def test_a_receipt_that_proves_nothing_is_called_so(run: Run, kept: Kept) -> None:
    """A changed receipt is no evidence against a record, but it is wrong."""
    kept.write({**kept.receipt, "version": 2})
    result = run("verify", kept.url, "--receipt", kept.path)
    assert result.exit_code == 1
    assert "its signature is not right" in result.stdout


# ---- receipts of a finished match ----------------------------------------------------------------


def with_receipt(directory: Path, lines: list[bytes], version: int) -> list[Any]:
    """Return the arguments that name the receipt for a version of a match, and the keys."""
    receipt_path = directory / "receipt.json"
    keys_path = directory / "keys.json"
    accepted = Accepted.of(entries_of(lines)[version - 1])
    receipt_path.write_text(json.dumps(receipt_for(accepted)))
    keys_path.write_text(json.dumps({"keys": [KEY]}))
    return ["--receipt", receipt_path, "--keys", keys_path]


@pytest.mark.parametrize(
    ("version", "note"),
    [(8, ""), (4, "note: no receipt vouches for the commits after 4")],
    ids=["last", "earlier"],
)
def test_what_no_receipt_vouches_for_is_noted(
    run_alone: Run, ctx: Context, tmp_path: Path, version: int, note: str
) -> None:
    """It rests on the word of whatever server tells the match; of the last commit nothing does."""
    lines = whole(ctx)
    result = verify_lines(run_alone, lines, *with_receipt(tmp_path, lines, version))
    assert result.exit_code == 0
    assert note in result.stdout
    assert ("note:" in result.stdout) == bool(note)
