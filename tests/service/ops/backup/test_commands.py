"""`giornale backup`, `restore` and `export --all` as an operator types them."""

import os
import stat
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from redis import Redis

from service.base.config import Config
from service.bootstrap import open_context
from service.matches import automation, lobby, moves
from service.matches.command_handler import Submission
from service.matches.context import Context
from service.matches.journal_watch import JournalNote, note_file, read_note, write_note
from service.matches.opening import NewMatch, OpenRequest, open_new
from service.matches.repository import load
from service.ops.cli.commands import main
from service.ops.process.valkey import Server
from service.record import record
from service.record.record import check_receipt
from service.record.verify.audit import verify_record
from service.store.journal.errors import JournalFull
from service.store.journal.redis.events import RedisEvents
from service.store.keys.signer import Signer
from tests.service.matches.conftest import bots, humans, play_on
from workers.journal_watch import JournalWatch

OTHER_SECRET = "another secret, of forty bytes and more."


@pytest.fixture(autouse=True)
def _bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove the settings of the user who runs the tests."""
    for name in os.environ:
        if name.startswith("GIORNALE_"):
            monkeypatch.delenv(name)


class Place:
    """A service's journal and data directory, without processes."""

    def __init__(self, url: str, data: Path, **settings: str) -> None:
        self.data = data
        self.settings = {
            "GIORNALE_JOURNAL_URL": url,
            "GIORNALE_DATA": str(data),
            **settings,
        }

    def run(self, *arguments: str | Path) -> Result:
        """Run a command at this place. Return its result."""
        words = [str(argument) for argument in arguments]
        return CliRunner(env=self.settings).invoke(main, words)

    def ctx(self) -> Context:
        """Return a context of the service here."""
        config = Config.load({**self.settings, "GIORNALE_ALLOW_SEED": "true"})
        ctx, _ = open_context(config)
        return ctx

    def signer(self) -> Signer:
        """Return the signer of the service here."""
        signer = self.ctx().signer
        assert signer is not None
        return signer

    def secret_bytes(self) -> bytes:
        """Return the content of the file of the server's secret here."""
        return (self.data / "secret").read_bytes()

    def matches(self) -> list[str]:
        """Return the ids of all matches here, in order."""
        return sorted(self.ctx().journal.events.matches())


@pytest.fixture
def here(redis_url: str, tmp_path: Path) -> Place:
    """The place of an earlier service."""
    return Place(redis_url, tmp_path / "here")


@pytest.fixture
def there(server: Server, redis_url: str, tmp_path: Path) -> Place:
    """An empty place, in another database of the same server."""
    with Redis.from_url(server.url, db=5) as client:
        client.flushdb()
    return Place(f"{redis_url}?db=5", tmp_path / "there")


@pytest.fixture
def played(here: Place) -> NewMatch:
    """A match of three humans that was begun here, with names."""
    ctx = here.ctx()
    opened = open_new(ctx, OpenRequest("calimala", humans(3)), "opening")
    play_on(ctx, opened, until=4)
    here.signer().keys()  # the web process does it when it starts
    return opened


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The path of a backup."""
    return tmp_path / "backup"


def ok(result: Result) -> str:
    """Return the output of a successful command."""
    assert result.exit_code == 0, result.output
    return result.output


def refused(result: Result) -> str:
    """Return the output of a refused command."""
    assert result.exit_code == 1, result.output
    return result.output


def permissions_of(path: Path) -> int:
    """Return the Unix permissions of a file."""
    return stat.S_IMODE(path.stat().st_mode)


def test_tokens_names_keys_and_receipts_outlive_a_restore(
    here: Place, there: Place, played: NewMatch, file: Path
) -> None:
    """A service restored elsewhere, from the file alone, answers as the same service."""
    ctx = here.ctx()
    loaded = load(ctx, played.loaded.id)
    seat = next(seat for seat in range(3) if moves.legal_moves(loaded, seat))
    move = moves.legal_moves(loaded, seat)[0]
    submission = Submission(loaded.id, played.tokens[f"seat:{seat}"], key="once")
    answer = moves.move(ctx, submission, move)

    assert "with the secrets" in ok(here.run("backup", file))
    output = ok(there.run("restore", file))
    assert "1 matches restored" in output
    assert "restart the web processes" in output

    # Only their owner can read the secrets.
    assert permissions_of(file) == 0o600
    assert permissions_of(there.data / "secret") == 0o600

    # A repeated opening is answered with the same tokens and names.
    new_context = there.ctx()
    repeated = open_new(new_context, OpenRequest("calimala", humans(3)), "opening")
    assert repeated.loaded.id == loaded.id
    assert repeated.tokens == played.tokens
    assert repeated.names == played.names

    # A repeated move is answered with its first commit and the same receipt.
    again = moves.move(new_context, submission, move)
    assert again.repeated
    assert answer.receipt is not None
    assert again.receipt == answer.receipt
    check_receipt(answer.receipt, there.signer().keys())

    # The old tokens move on.
    play_on(new_context, played, until=answer.version + 2)
    assert load(new_context, loaded.id).version >= answer.version + 2


def test_a_restore_begins_a_generation_and_names_the_loss(
    here: Place, there: Place, played: NewMatch, file: Path
) -> None:
    """The restore names the lost commits at once. The scheduler does not report them again."""
    ok(here.run("backup", file))
    held_more = JournalNote(
        generation="before", commits=900, time=1_700_000_000_000, lines={3: ("1-0", "m", 1)}
    )
    write_note(note_file(there.data), held_more)

    output = ok(there.run("restore", file))

    commits = there.ctx().journal.events.commit_count()
    sentence = f"the journal had 900 commits at 2023-11-14T22:13:20.000Z, and now has {commits}"
    assert sentence in output
    restored = there.ctx().journal.lifecycle.generation()
    assert restored is not None

    JournalWatch(there.ctx(), note_file(there.data)).look()
    assert there.ctx().journal.lifecycle.generation() == restored
    assert restored.gone_back is None
    assert read_note(note_file(there.data)) != held_more


def test_secrets_can_be_left_out(here: Place, there: Place, played: NewMatch, file: Path) -> None:
    """A backup without secrets does not contain the secret, and its restore says so."""
    said_by_backup = ok(here.run("backup", "--without-secrets", file))
    assert "without the secrets" in said_by_backup
    assert here.secret_bytes() not in file.read_bytes()

    said_by_restore = ok(there.run("restore", file))
    assert "has no secrets" in said_by_restore
    assert not (there.data / "secret").exists()


def test_a_backup_without_the_secrets_at_hand_is_refused(
    here: Place, played: NewMatch, tmp_path: Path, file: Path
) -> None:
    """A backup from a machine without the secret and the keys is refused at once."""
    journal_url = here.settings["GIORNALE_JOURNAL_URL"]
    elsewhere = Place(journal_url, tmp_path / "elsewhere")

    assert "neither GIORNALE_SECRET nor" in refused(elsewhere.run("backup", file))
    assert not file.exists()


def test_another_secret_in_the_environment_is_refused(
    here: Place, there: Place, played: NewMatch, file: Path
) -> None:
    """Nothing is restored, since tokens would differ.

    With --without-secrets matches are restored.
    """
    ok(here.run("backup", file))
    there.settings["GIORNALE_SECRET"] = OTHER_SECRET

    output = refused(there.run("restore", file))
    assert "GIORNALE_SECRET differs from the backup's" in output
    assert OTHER_SECRET not in output
    assert there.matches() == []

    ok(there.run("restore", "--without-secrets", file))
    assert there.matches() == [played.loaded.id]


def export_all(place: Place, directory: Path) -> str:
    """Export all matches of a place, and return the command's output."""
    return ok(place.run("export", "--all", directory))


def test_a_merge_keeps_the_secret_and_lists_the_keys(
    here: Place, there: Place, played: NewMatch, file: Path
) -> None:
    """The service signs with its own key. The backup's key is listed to check its receipts."""
    ok(here.run("backup", file))
    own_match = open_new(there.ctx(), OpenRequest("firenze", bots(2)))
    own_key = there.signer().key_id()

    refused(there.run("restore", file))
    output = ok(there.run("restore", "--merge", file))
    assert "1 matches restored" in output
    assert there.matches() == sorted([own_match.loaded.id, played.loaded.id])
    assert there.secret_bytes() != here.secret_bytes()

    assert there.signer().key_id() == own_key
    listed_keys = there.signer().keys()
    until = {key["id"]: key["until"] for key in listed_keys}
    assert until[own_key] is None
    assert until[here.signer().key_id()] is not None


def test_damaged_keys_here_are_not_the_fault_of_the_backup(
    here: Place, there: Place, played: NewMatch, file: Path
) -> None:
    """The refusal names the damaged file. After its removal the restore succeeds."""
    ok(here.run("backup", file))
    there.data.mkdir()
    keys = there.data / "keys.json"
    keys.write_text("{")
    output = refused(there.run("restore", file))
    assert f"Error: GIORNALE_DATA: {keys} is damaged. Put it back" in output

    keys.unlink()
    assert "1 matches restored" in ok(there.run("restore", file))


def end_early(ctx: Context) -> NewMatch:
    """Open a match, abort it and let the house reveal it."""
    ended = open_new(ctx, OpenRequest("calimala", humans(3)))
    lobby.abort(ctx, Submission(ended.loaded.id, ended.tokens["owner"]))
    automation.act(ctx, ended.loaded.id)
    return ended


@pytest.mark.parametrize("was_used", [False, True], ids=["new", "with another secret"])
def test_a_merge_ends_a_restore_that_was_cut_short(
    here: Place,
    there: Place,
    played: NewMatch,
    file: Path,
    was_used: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """After the merge the service has the backup's secret and key, so tokens are the same."""
    ok(here.run("backup", file))
    if was_used:
        there.ctx()
        there.signer().keys()

    def fill(*_arguments: object) -> None:
        raise JournalFull("no room")

    with monkeypatch.context() as patch:
        patch.setattr(RedisEvents, "restore", fill)
        assert "Continue later with --merge" in refused(there.run("restore", file))
    assert "1 matches restored" in ok(there.run("restore", "--merge", file))

    assert there.secret_bytes() == here.secret_bytes()
    assert there.signer().key_id() == here.signer().key_id()
    again = open_new(there.ctx(), OpenRequest("calimala", humans(3)), "opening")
    assert again.tokens == played.tokens


def test_only_a_restore_advises_to_merge(
    here: Place, played: NewMatch, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other commands on a full journal do not advise --merge, because they have no such option."""

    def fill(*_arguments: object) -> None:
        raise JournalFull("no room")

    monkeypatch.setattr(RedisEvents, "matches", fill)
    for words in (("backup", file), ("export", "--all", tmp_path / "records")):
        assert refused(here.run(*words)) == "Error: no room\n"


def test_a_merge_takes_a_secret_if_none_is_there(
    here: Place, there: Place, played: NewMatch, file: Path
) -> None:
    """A restore by an earlier release wrote the secret last, so a merge can complete it."""
    ok(here.run("backup", file))
    output = ok(there.run("restore", "--merge", file))
    assert "the secret was put back" in output
    assert "restart the web processes" in output
    assert there.secret_bytes() == here.secret_bytes()

    assert "the secret was put back" not in ok(there.run("restore", "--merge", file))


@pytest.fixture
def damaged(here: Place, played: NewMatch) -> str:
    """The id of a match with a missing file in the archive. The journal has another match."""
    ended = end_early(here.ctx())
    ok(here.run("archive", "run"))

    [packed] = (here.data / "archive").rglob("*.zst")
    packed.unlink()
    return ended.loaded.id


def test_a_damaged_archived_file_stops_neither_backup_nor_export(
    here: Place, there: Place, damaged: str, played: NewMatch, file: Path, tmp_path: Path
) -> None:
    """Backup, check, restore and export name the unreadable match, and take the other one."""
    written = here.run("backup", file)
    assert written.exit_code == 3
    assert "1 matches," in written.stdout
    assert written.stderr == (
        f"{damaged}: left out: it cannot be read. "
        "Find the reason with giornale archive verify and giornale verify\n"
    )

    lacks = f"{damaged}: could not be read during the backup\n"
    for place, *command in ((here, "restore", "--check"), (there, "restore")):
        restored = place.run(*command, file)
        assert (restored.exit_code, restored.stderr) == (0, lacks)
    assert there.matches() == [played.loaded.id]

    directory = tmp_path / "records"
    exported = here.run("export", "--all", directory)
    assert exported.exit_code == 3
    assert "1 records written" in exported.stdout
    assert f"{damaged}: left out: it cannot be read" in exported.stderr
    assert [path.stem for path in directory.iterdir()] == [played.loaded.id]


def test_a_backup_without_a_match_replaces_none(here: Place, damaged: str, file: Path) -> None:
    """An incomplete backup replaces no file, because it may be the last one with the match."""
    file.write_text("precious")
    output = refused(here.run("backup", "--replace", file))

    assert f"{damaged}: left out: it cannot be read" in output
    assert "an incomplete backup replaces no file: write it to another one" in output
    assert file.read_text() == "precious"
    assert list(file.parent.glob(".backup.*")) == []


def test_a_match_that_lacks_commits_stops_no_backup(
    here: Place, played: NewMatch, file: Path
) -> None:
    """A backup of a damaged journal leaves out and names what cannot be read."""
    other = open_new(here.ctx(), OpenRequest("firenze", humans(2))).loaded.id
    with Redis.from_url(here.settings["GIORNALE_JOURNAL_URL"]) as client:
        [stream] = client.keys(f"*{other}:commits")
        client.xtrim(stream, maxlen=0)

    written = here.run("backup", file)
    assert written.exit_code == 3
    assert f"{other}: left out" in written.stderr


@pytest.mark.parametrize(
    "words",
    ["dump --output {}/dump.zst", "dump --parquet {}", "export --all {}"],
    ids=["dump", "tables", "export"],
)
def test_a_match_that_lacks_commits_stops_no_export(
    here: Place, played: NewMatch, tmp_path: Path, words: str
) -> None:
    """An export names a match that lacks commits, and writes the others."""
    lacking = end_early(here.ctx()).loaded.id
    end_early(here.ctx())
    with Redis.from_url(here.settings["GIORNALE_JOURNAL_URL"]) as client:
        [stream] = client.keys(f"*{lacking}:commits")
        client.xtrim(stream, maxlen=0)

    written = here.run(*words.format(tmp_path).split())
    assert written.exit_code == 3, written.output
    assert f"{lacking}: left out" in written.stderr


@pytest.mark.parametrize("options", [[], ["--check"]], ids=["restore", "check"])
def test_a_wrong_file_restores_nothing(
    here: Place, there: Place, played: NewMatch, file: Path, options: list[str]
) -> None:
    """A damaged file is refused with a sentence before the journal is touched."""
    ok(here.run("backup", file))
    whole = file.read_bytes()
    file.write_bytes(whole[:-50])

    assert "the backup is not valid" in refused(there.run("restore", *options, file))
    assert there.matches() == []


def test_every_match_is_exported_once(here: Place, played: NewMatch, tmp_path: Path) -> None:
    """Records of running matches are redacted. Only incomplete files are written again."""
    ctx = here.ctx()
    ended = end_early(ctx)

    directory = tmp_path / "records"
    running_path = directory / f"{played.loaded.id}.ndjson"
    ended_path = directory / f"{ended.loaded.id}.ndjson"

    assert "2 records written, 0 existed already" in export_all(here, directory)
    assert set(directory.iterdir()) == {running_path, ended_path}
    assert verdict_of(running_path) == ("partly_checked", True)
    assert verdict_of(ended_path) == ("right", False)

    assert "0 records written, 2 existed already" in export_all(here, directory)

    # One is no longer whole, the other match went on.
    whole = ended_path.read_bytes()
    ended_path.write_bytes(whole[:-5])
    play_on(ctx, played, until=8)

    assert "2 records written, 0 existed already" in export_all(here, directory)
    assert set(directory.iterdir()) == {running_path, ended_path}


def verdict_of(path: Path) -> tuple[str, bool]:
    """Return the verdict on a record in a file, and True if it is redacted."""
    report = verify_record(record.lines(path.read_bytes())).report
    return report.verdict, report.redacted
