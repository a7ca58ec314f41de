"""`giornale backup`, `restore` and `export --all` as an operator types them."""

import io
import os
import stat
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from redis import Redis

from service.bootstrap import open_desk
from service.cli.commands import main
from service.cli.progress import counting_bar
from service.config import Config
from service.keys.signer import Signer
from service.ledger import record
from service.ledger.receipts import check_receipt
from service.matches import playing
from service.matches.desk import Desk
from service.matches.loading import load
from service.matches.opening import Opened, Wish, open_new
from service.matches.submitting import Submission
from service.process.valkey import Server
from service.verify.audit import verify_record
from tests.service.matches.conftest import bots, humans, play_on

OTHER = "another secret, of forty bytes and more."


@pytest.fixture(autouse=True)
def _bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """No setting of whoever runs the tests gets in."""
    for name in os.environ:
        if name.startswith("GIORNALE_"):
            monkeypatch.delenv(name)


class Place:
    """A service's journal and data directory, without processes."""

    def __init__(self, url: str, data: Path, **settings: str) -> None:
        self.settings = {"GIORNALE_JOURNAL_URL": url, "GIORNALE_DATA": str(data), **settings}
        self.data = data

    def run(self, *arguments: str | Path) -> Result:
        """Return what a command says here."""
        return CliRunner(env=self.settings).invoke(main, [*map(str, arguments)])

    def desk(self) -> Desk:
        """Return a desk of the service here."""
        config = Config.load({**self.settings, "GIORNALE_ALLOW_SEED": "true"})
        desk, _ = open_desk(config)
        return desk

    def signer(self) -> Signer:
        """Return the signer of the service here."""
        signer = self.desk().signer
        assert signer is not None
        return signer


@pytest.fixture
def here(redis_url: str, tmp_path: Path) -> Place:
    """Where a service has run."""
    return Place(redis_url, tmp_path / "here")


@pytest.fixture
def there(server: Server, redis_url: str, tmp_path: Path) -> Place:
    """Where nothing is yet; in another database of the same server."""
    with Redis.from_url(server.url, db=5) as client:
        client.flushdb()
    return Place(f"{redis_url}?db=5", tmp_path / "there")


@pytest.fixture
def played(here: Place) -> Opened:
    """A match of three humans that was begun here, with names."""
    desk = here.desk()
    opened = open_new(desk, Wish("calimala", humans(3)), "opening")
    play_on(desk, opened, until=4)
    here.signer().keys()  # the web process does it when it starts
    return opened


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where a backup is written."""
    return tmp_path / "backup"


def ok(result: Result) -> str:
    """Return what a command said that went well."""
    assert result.exit_code == 0, result.output
    return result.output


def test_tokens_names_keys_and_receipts_outlive_a_restore(
    here: Place, there: Place, played: Opened, file: Path
) -> None:
    """Elsewhere, from the file alone, the service goes on as the same service."""
    desk = here.desk()
    match = played.loaded.id
    loaded = load(desk, match)
    seat = next(seat for seat in range(3) if playing.legal_moves(loaded, seat))
    token = played.tokens[f"seat:{seat}"]
    move = playing.legal_moves(loaded, seat)[0]
    made = playing.move(desk, Submission(match, token, key="once"), move)

    assert "with the secrets" in ok(here.run("backup", file))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    said = ok(there.run("restore", file))
    assert "1 matches restored" in said
    assert "start the web processes again" in said
    assert stat.S_IMODE((there.data / "secret").stat().st_mode) == 0o600

    # A repeated opening is answered with the same tokens and names.
    new = there.desk()
    repeated = open_new(new, Wish("calimala", humans(3)), "opening")
    assert repeated.loaded.id == match
    assert repeated.tokens == played.tokens
    assert repeated.names == played.names

    # A repeated move is answered with its first commit and the same receipt.
    again = playing.move(new, Submission(match, token, key="once"), move)
    assert again.repeated
    assert made.receipt is not None
    assert again.receipt == made.receipt
    check_receipt(made.receipt, there.signer().keys())

    play_on(new, played, until=made.version + 2)
    assert load(new, match).version >= made.version + 2


def test_secrets_can_be_left_out(here: Place, there: Place, played: Opened, file: Path) -> None:
    """Then the file holds neither, and the restore says what is missing."""
    assert "without the secrets" in ok(here.run("backup", "--without-secrets", file))
    assert "holds no secrets" in ok(there.run("restore", file))
    assert not (there.data / "secret").exists()
    assert (here.data / "secret").read_bytes() not in file.read_bytes()


def test_a_backup_without_the_secrets_at_hand_is_refused(
    here: Place, played: Opened, tmp_path: Path, file: Path
) -> None:
    """Who backs up on another machine learns at once that secret and keys are missing."""
    elsewhere = Place(here.settings["GIORNALE_JOURNAL_URL"], tmp_path / "elsewhere")
    result = elsewhere.run("backup", file)
    assert result.exit_code == 1
    assert "neither GIORNALE_SECRET nor" in result.output
    assert not file.exists()


def test_another_secret_in_the_environment_is_told(
    here: Place, there: Place, played: Opened, file: Path
) -> None:
    """Nothing is written, for tokens of repeated openings would differ.

    Without the secrets the matches are taken.
    """
    ok(here.run("backup", file))
    there.settings["GIORNALE_SECRET"] = OTHER
    refused = there.run("restore", file)
    assert refused.exit_code == 1
    assert "GIORNALE_SECRET is another than the backup's" in refused.output
    assert OTHER not in refused.output
    assert list(there.desk().journal.matches()) == []

    ok(there.run("restore", "--without-secrets", file))
    assert list(there.desk().journal.matches()) == [played.loaded.id]


def test_a_merge_keeps_the_secret_and_lists_the_keys(
    here: Place, there: Place, played: Opened, file: Path
) -> None:
    """The living service signs with its own key.

    Receipts of the backup's keys can still be checked.
    """
    ok(here.run("backup", file))
    own = open_new(there.desk(), Wish("firenze", bots(2)))
    own_key = there.signer().key_id()
    assert there.run("restore", file).exit_code == 1

    assert "1 matches restored" in ok(there.run("restore", "--merge", file))
    assert sorted(there.desk().journal.matches()) == sorted([own.loaded.id, played.loaded.id])
    assert (there.data / "secret").read_bytes() != (here.data / "secret").read_bytes()

    signer = there.signer()
    assert signer.key_id() == own_key
    listed_keys = signer.keys()
    ends = {key["id"]: key["until"] for key in listed_keys}
    assert ends[own_key] is None
    assert ends[here.signer().key_id()] is not None


def test_a_file_that_is_there_is_kept(here: Place, played: Opened, file: Path) -> None:
    """Only --replace replaces it."""
    file.write_text("precious")
    assert here.run("backup", file).exit_code == 1
    assert file.read_text() == "precious"

    ok(here.run("backup", "--replace", file))
    ok(here.run("restore", "--check", file))


@pytest.mark.parametrize("options", [[], ["--check"]], ids=["restore", "check"])
def test_a_wrong_file_restores_nothing(
    here: Place, there: Place, played: Opened, file: Path, options: list[str]
) -> None:
    """What is damaged is refused with a sentence before the journal is touched."""
    ok(here.run("backup", file))
    file.write_bytes(file.read_bytes()[:-50])
    result = there.run("restore", *options, file)
    assert result.exit_code == 1
    assert "the backup is not right" in result.output
    assert list(there.desk().journal.matches()) == []


def test_the_bundled_server_is_started_for_the_command(
    here: Place, played: Opened, tmp_path: Path, file: Path
) -> None:
    """Where `giornale serve` does not run, its server is, for as long as the command takes."""
    ok(here.run("backup", file))
    bundled = Place("", tmp_path / "b")
    assert "there is no journal" in bundled.run("backup", tmp_path / "none").output
    assert "1 matches restored" in ok(bundled.run("restore", file))
    assert "1 matches" in ok(bundled.run("backup", tmp_path / "second"))


def test_every_match_is_exported_once(here: Place, played: Opened, tmp_path: Path) -> None:
    """A file a match, redacted where it is on.

    What is there and whole is passed over, what went on is written anew.
    """
    desk = here.desk()
    ended = open_new(desk, Wish("calimala", bots(3)))
    play_on(desk, ended)
    directory = tmp_path / "records"
    running_path = directory / f"{played.loaded.id}.ndjson"
    ended_path = directory / f"{ended.loaded.id}.ndjson"

    assert "2 records written, 0 there already" in ok(here.run("export", "--all", directory))
    assert set(directory.iterdir()) == {running_path, ended_path}
    assert verdict_of(running_path) == ("partly_checked", True)
    assert verdict_of(ended_path) == ("right", False)
    assert "0 records written, 2 there already" in ok(here.run("export", "--all", directory))

    # One is no longer whole, the other match went on.
    ended_path.write_bytes(ended_path.read_bytes()[:-5])
    play_on(desk, played, until=8)
    assert "2 records written, 0 there already" in ok(here.run("export", "--all", directory))
    assert set(directory.iterdir()) == {running_path, ended_path}


def verdict_of(path: Path) -> tuple[str, bool]:
    """Return the verdict on a record in a file, and whether it is redacted."""
    report = verify_record(record.lines(path.read_bytes())).report
    return report.verdict, report.redacted


class Terminal(io.StringIO):
    """A standard error that is a terminal."""

    def isatty(self) -> bool:
        """Return that it is."""
        return True


def half_done(monkeypatch: pytest.MonkeyPatch, stream: io.StringIO) -> str:
    """Return what is shown on standard error when half of a backup is done."""
    monkeypatch.setattr("sys.stderr", stream)
    with counting_bar("backup", 10) as progress:
        progress(5)
    return stream.getvalue()


def test_a_terminal_is_shown_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    """It says what is done, and how far it is."""
    shown = half_done(monkeypatch, Terminal())
    assert "backup" in shown
    assert "50%" in shown


def test_a_pipe_is_shown_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A log is not filled with bars."""
    assert half_done(monkeypatch, io.StringIO()) == ""


@pytest.mark.parametrize(
    "arguments", [["export"], ["export", "a" * 26, "--all", "x"]], ids=["neither", "both"]
)
def test_an_export_is_of_one_match_or_of_all(here: Place, arguments: list[str]) -> None:
    """Neither and both are a question of usage."""
    result = here.run(*arguments)
    assert result.exit_code == 2
    assert "give a MATCH, or --all DIRECTORY" in result.output
