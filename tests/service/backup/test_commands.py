"""`giornale backup`, `restore` and `export --all` as an operator types them."""

import io
import json
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
from service.ledger.receipts import check_receipt
from service.matches import playing
from service.matches.desk import Desk
from service.matches.loading import load
from service.matches.opening import Opened, Wish, open_new
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

    def run(self, *arguments: str) -> Result:
        """Return what a command says here."""
        return CliRunner(env=self.settings).invoke(main, arguments)

    def desk(self) -> Desk:
        """Return a desk of the service here."""
        return open_desk(Config.load({**self.settings, "GIORNALE_ALLOW_SEED": "true"}))[0]


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
    assert desk.signer is not None
    desk.signer.keys()
    return opened


def ok(result: Result) -> str:
    """Return what a command said that went well."""
    assert result.exit_code == 0, result.output
    return result.output


def test_tokens_names_keys_and_receipts_outlive_a_restore(
    here: Place, there: Place, played: Opened, tmp_path: Path
) -> None:
    """Elsewhere, from the file alone, the service goes on as the same service."""
    desk = here.desk()
    match = played.loaded.id
    loaded = load(desk, match)
    seat = next(seat for seat in range(3) if playing.legal_moves(loaded, seat))
    token = played.tokens[f"seat:{seat}"]
    move = playing.legal_moves(loaded, seat)[0]
    made = playing.move(desk, match, token, move, key="once")
    file = str(tmp_path / "backup")
    assert "with the secrets" in ok(here.run("backup", file))
    assert stat.S_IMODE(Path(file).stat().st_mode) == 0o600

    said = ok(there.run("restore", file))
    assert "1 matches restored" in said
    assert "start the web processes again" in said
    new = there.desk()
    repeated = open_new(new, Wish("calimala", humans(3)), "opening")
    assert (repeated.loaded.id, repeated.tokens, repeated.names) == (
        match,
        played.tokens,
        played.names,
    )
    again = playing.move(new, match, token, move, key="once")
    assert (again.repeated, again.receipt) == (True, made.receipt)
    assert made.receipt is not None
    assert new.signer is not None
    check_receipt(made.receipt, new.signer.keys())
    play_on(new, played, until=made.version + 2)
    loaded = load(new, match)
    assert loaded.version >= made.version + 2
    assert stat.S_IMODE((there.data / "secret").stat().st_mode) == 0o600


def test_secrets_can_be_left_out(here: Place, there: Place, played: Opened, tmp_path: Path) -> None:
    """Then the file holds neither, and the restore says what is missing."""
    file = str(tmp_path / "backup")
    assert "without the secrets" in ok(here.run("backup", "--without-secrets", file))
    assert "holds no secrets" in ok(there.run("restore", file))
    assert not (there.data / "secret").exists()
    assert (here.data / "secret").read_bytes() not in Path(file).read_bytes()


def test_a_backup_without_the_secrets_at_hand_is_refused(
    here: Place, played: Opened, tmp_path: Path
) -> None:
    """Who backs up on another machine learns that secret and keys are missing, instead of finding out later."""
    elsewhere = Place(here.settings["GIORNALE_JOURNAL_URL"], tmp_path / "elsewhere")
    result = elsewhere.run("backup", str(tmp_path / "backup"))
    assert result.exit_code == 1
    assert "neither GIORNALE_SECRET nor" in result.output
    assert not (tmp_path / "backup").exists()


def test_another_secret_in_the_environment_is_told(
    here: Place, there: Place, played: Opened, tmp_path: Path
) -> None:
    """Nothing is written, for tokens of repeated openings would differ; without the secrets the matches are taken."""
    file = str(tmp_path / "backup")
    ok(here.run("backup", file))
    there.settings["GIORNALE_SECRET"] = OTHER
    refused = there.run("restore", file)
    assert refused.exit_code == 1
    assert "GIORNALE_SECRET is another than the backup's" in refused.output
    assert OTHER not in refused.output
    assert not list(there.desk().journal.matches())
    ok(there.run("restore", "--without-secrets", file))
    assert list(there.desk().journal.matches()) == [played.loaded.id]


def test_a_merge_keeps_the_secret_and_lists_the_keys(
    here: Place, there: Place, played: Opened, tmp_path: Path
) -> None:
    """The living service signs with its own key, and receipts of the backup's can still be checked."""
    file = str(tmp_path / "backup")
    ok(here.run("backup", file))
    desk = there.desk()
    own = open_new(desk, Wish("firenze", bots(2)))
    assert desk.signer is not None
    own_key = desk.signer.key_id()
    assert there.run("restore", file).exit_code == 1

    said = ok(there.run("restore", "--merge", file))
    assert "1 matches restored" in said
    signer = there.desk().signer
    assert signer is not None
    assert signer.key_id() == own_key
    shown_keys = signer.keys()
    listed = {key["id"]: key["until"] for key in shown_keys}
    old_key = json.loads((here.data / "keys.json").read_bytes())["keys"][-1]["id"]
    assert listed[own_key] is None
    assert listed[old_key] is not None
    assert sorted(there.desk().journal.matches()) == sorted([own.loaded.id, played.loaded.id])
    assert (there.data / "secret").read_bytes() != (here.data / "secret").read_bytes()


def test_a_file_that_is_there_is_kept(here: Place, played: Opened, tmp_path: Path) -> None:
    """Only --replace replaces it."""
    file = tmp_path / "backup"
    file.write_text("precious")
    assert here.run("backup", str(file)).exit_code == 1
    assert file.read_text() == "precious"
    ok(here.run("backup", "--replace", str(file)))
    ok(here.run("restore", "--check", str(file)))


def test_a_wrong_file_restores_nothing(
    here: Place, there: Place, played: Opened, tmp_path: Path
) -> None:
    """What is damaged is refused with a sentence before the journal is touched."""
    file = tmp_path / "backup"
    ok(here.run("backup", str(file)))
    file.write_bytes(file.read_bytes()[:-50])
    for arguments in (["restore", str(file)], ["restore", "--check", str(file)]):
        result = there.run(*arguments)
        assert result.exit_code == 1
        assert "the backup is not right" in result.output
    assert not list(there.desk().journal.matches())


def test_the_bundled_server_is_started_for_the_command(
    here: Place, played: Opened, tmp_path: Path
) -> None:
    """Where `giornale serve` does not run, its server is, for as long as the command takes."""
    file = str(tmp_path / "backup")
    ok(here.run("backup", file))
    bundled = Place("", tmp_path / "b")
    assert "there is no journal" in bundled.run("backup", str(tmp_path / "none")).output
    assert "1 matches restored" in ok(bundled.run("restore", file))
    assert "1 matches" in ok(bundled.run("backup", str(tmp_path / "second")))


def test_every_match_is_exported_once(here: Place, played: Opened, tmp_path: Path) -> None:
    """A file a match, redacted where it is on; what is there and whole is passed over, what went on is written anew."""
    desk = here.desk()
    ended = open_new(desk, Wish("calimala", bots(3)))
    play_on(desk, ended)
    directory = tmp_path / "records"
    assert "2 records written, 0 there already" in ok(here.run("export", "--all", str(directory)))
    paths = {path.stem: path for path in directory.iterdir()}
    assert paths.keys() == {played.loaded.id, ended.loaded.id}
    for match, verdict in {played.loaded.id: "partly_checked", ended.loaded.id: "right"}.items():
        report = verify_record(paths[match].read_bytes().splitlines(keepends=True)).report
        assert report.verdict == verdict
        assert report.redacted == (match == played.loaded.id)

    assert "0 records written, 2 there already" in ok(here.run("export", "--all", str(directory)))
    paths[ended.loaded.id].write_bytes(paths[ended.loaded.id].read_bytes()[:-5])
    play_on(desk, played, until=8)
    assert "2 records written, 0 there already" in ok(here.run("export", "--all", str(directory)))
    assert [path.suffix for path in directory.iterdir()] == [".ndjson"] * 2


class Terminal(io.StringIO):
    """A standard error that is a terminal."""

    def isatty(self) -> bool:
        """Return that it is."""
        return True


@pytest.mark.parametrize(
    ("kind", "shown"), [(Terminal, ["backup", "50%"]), (io.StringIO, [])], ids=["terminal", "pipe"]
)
def test_a_terminal_is_shown_a_bar(
    monkeypatch: pytest.MonkeyPatch, kind: type[io.StringIO], shown: list[str]
) -> None:
    """How far it is; a log or a pipe is shown nothing."""
    stream = kind()
    monkeypatch.setattr("sys.stderr", stream)
    with counting_bar("backup", 10) as progress:
        progress(5)
    assert [word for word in ("backup", "50%") if word in stream.getvalue()] == shown


@pytest.mark.parametrize(
    "arguments", [["export"], ["export", "a" * 26, "--all", "x"]], ids=["neither", "both"]
)
def test_an_export_is_of_one_match_or_of_all(here: Place, arguments: list[str]) -> None:
    """Neither and both are a question of usage."""
    result = here.run(*arguments)
    assert result.exit_code == 2
    assert "give a MATCH, or --all DIRECTORY" in result.output
