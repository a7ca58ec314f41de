"""The journal that commands work on, and `giornale journal accept`."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from redis import Redis

from service.journal.values import Generation, GoneBack
from service.matches.context import Context
from service.process.server_files import lock_directory
from service.process.valkey import JOURNAL_DIRECTORY, Server
from tests.service.cli.conftest import Run, runner
from tests.service.cli.shelf import match_in

# Commands that need the journal; M stands for a match, F for a file with its record, N for a new
# file or directory.
COMMANDS = [
    "export M",
    "export --all N",
    "story M",
    "verify M",
    "pending",
    "pending retry --all",
    "journal accept",
    "import F",
    "backup --without-secrets N",
    "dump -o N",
    "archive status",
    "archive run",
    "archive verify",
    "archive restore --all",
    "match list",
    "match show M",
    "match delete --yes M",
]

# These run the service, or a part of it.
PROCESSES = ["serve", "web --port 0", "worker bots", "worker scoring", "keeper"]

LOST = GoneBack(had=90, noted=1_700_000_000_000, has=70, noticed=1_700_000_060_000)


def test_a_loss_is_accepted_once(run: Run, served: Context) -> None:
    """The command says what was lost; the epoch stays as it is, and nothing warns any more."""
    epoch = Generation(id="two", since=1, superseded=("one",), gone_back=LOST)
    served.journal.lifecycle.replace_generation(None, epoch)

    accepted = run("journal", "accept")
    again = run("journal", "accept")

    assert accepted.exit_code == again.exit_code == 0
    assert accepted.stdout.startswith("accepted: the journal has gone back: it had 90 commits at")
    assert again.stdout.startswith("there is nothing to accept")
    assert served.journal.lifecycle.generation() == replace(epoch, gone_back=None)


def test_a_journal_that_is_away_is_told(environ: dict[str, str]) -> None:
    """One sentence, and exit code 1."""
    away = runner({**environ, "GIORNALE_JOURNAL_URL": "unix:///nowhere/server.sock"})

    result = away("journal", "accept")

    assert result.exit_code == 1
    assert result.stderr.startswith("Error: the journal cannot be written: ")


def test_the_command_is_listed(run: Run) -> None:
    """With what it does."""
    assert "\n  journal " in run("--help").stdout
    assert "has gone back" in run("journal", "--help").stdout


def words_of(command: str, file: Path) -> list[object]:
    """Return what is typed in for a command of the table."""
    stands_for = {"M": match_in(file), "F": file, "N": file.parent / "new"}
    return [stands_for.get(word, word) for word in command.split()]


@pytest.fixture
def stopped(tmp_path: Path, file: Path) -> Run:
    """Run commands on the data directory of a service that is stopped, and that holds a match."""
    data = tmp_path / "stopped"
    environ = {"GIORNALE_DATA": str(data), "GIORNALE_JOURNAL_URL": ""}
    with Server(data / JOURNAL_DIRECTORY) as server:
        imported = runner(environ | {"GIORNALE_JOURNAL_URL": server.url})("import", file)
        assert imported.exit_code == 0
    return runner(environ)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_bundled_server_is_started_for_a_command(
    toy_game: None, stopped: Run, tmp_path: Path, file: Path, command: str
) -> None:
    """Where the service is stopped, its server runs for as long as the command takes."""
    done = stopped(*words_of(command, file))
    assert done.exit_code == 0, done.output

    lock_directory(tmp_path / "stopped" / JOURNAL_DIRECTORY).close()


@pytest.mark.parametrize("command", COMMANDS)
def test_without_a_journal_it_is_said_what_to_start(
    toy_game: None, run_alone: Run, tmp_path: Path, file: Path, command: str
) -> None:
    """In one sentence; nothing is made, and nothing written."""
    before = set(tmp_path.rglob("*"))
    refused = run_alone(*words_of(command, file))

    assert refused.exit_code in (1, 2)
    assert "there is no journal: GIORNALE_JOURNAL_URL is not set" in refused.stderr
    assert "run this where `giornale serve` runs" in refused.stderr
    assert set(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("command", [*COMMANDS, *PROCESSES])
def test_a_journal_of_a_later_release_is_refused(
    toy_game: None,
    run: Run,
    redis_url: str,
    later_layout: Callable[[str], None],
    file: Path,
    command: str,
) -> None:
    """By whatever opens it; not a key of it is changed."""
    assert run("import", file).exit_code == 0
    later_layout("99")
    before = keys_of(redis_url)
    refused = run(*words_of(command, file))

    assert refused.exit_code in (1, 2)
    assert "The journal has the layout '99'" in refused.stderr
    assert keys_of(redis_url) == before


def keys_of(url: str) -> dict[bytes, bytes | None]:
    """Return all keys of a server with what they hold."""
    with Redis.from_url(url) as client:
        return {key: client.dump(key) for key in client.scan_iter()}
