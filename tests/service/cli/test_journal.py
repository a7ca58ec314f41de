"""The journal that commands work on; `giornale journal`, `keys` and `pending`."""

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from redis import Redis

from service.journal.values import Generation, GoneBack
from service.ledger.commit import Json
from service.matches.context import Context
from service.matches.opening import OpenRequest, open_new
from service.process.server_files import lock_directory
from service.process.valkey import JOURNAL_DIRECTORY, Server
from tests import toy
from tests.service.cli.conftest import Run, runner
from tests.service.cli.shelf import match_in
from tests.service.toy_matches import new_context, whole

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
PROCESSES = ["serve", "web --port 0", "worker bots", "worker house", "scheduler"]


def words_of(command: str, file: Path, new: Path) -> list[object]:
    """Return what is typed in for a command of the table."""
    stands_for = {"M": match_in(file), "F": file, "N": new}
    return [stands_for.get(word, word) for word in command.split()]


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data directory of a service that is stopped and holds a match; beside it, its record."""
    directory = tmp_path_factory.mktemp("stopped")
    file = directory / "record.ndjson"
    with pytest.MonkeyPatch.context() as patch:
        toy.install(patch)
        file.write_bytes(b"".join(whole(new_context())))
        data = directory / "data"
        with Server(data / JOURNAL_DIRECTORY) as server:
            here = {"GIORNALE_DATA": str(data), "GIORNALE_JOURNAL_URL": server.url}
            assert runner(here)("import", file).exit_code == 0
    return data


@pytest.mark.parametrize("command", COMMANDS)
def test_the_bundled_server_is_started_for_a_command(
    toy_game: None, stopped: Path, tmp_path: Path, command: str
) -> None:
    """Where the service is stopped, its server runs for as long as the command takes."""
    data = tmp_path / "data"
    shutil.copytree(stopped, data, ignore=shutil.ignore_patterns("server.sock"))
    run = runner({"GIORNALE_DATA": str(data), "GIORNALE_JOURNAL_URL": ""})

    done = run(*words_of(command, stopped.with_name("record.ndjson"), tmp_path / "new"))

    assert done.exit_code == 0, done.output
    lock_directory(data / JOURNAL_DIRECTORY).close()


@pytest.mark.parametrize("command", COMMANDS)
def test_without_a_journal_it_is_said_what_to_start(
    toy_game: None, run_alone: Run, stopped: Path, tmp_path: Path, command: str
) -> None:
    """In one sentence; nothing is made, and nothing written."""
    words = words_of(command, stopped.with_name("record.ndjson"), tmp_path / "new")
    refused = run_alone(*words)

    assert refused.exit_code in (1, 2)
    assert "there is no journal: GIORNALE_JOURNAL_URL is not set" in refused.stderr
    assert "run this where `giornale serve` runs" in refused.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_journal_of_a_later_release_is_refused(
    run: Run, redis_url: str, later_layout: Callable[[str], None], file: Path, tmp_path: Path
) -> None:
    """By whatever opens it; not a key of it is changed."""
    assert run("import", file).exit_code == 0
    later_layout("99")
    before = keys_of(redis_url)

    for command in [*COMMANDS, *PROCESSES]:
        refused = run(*words_of(command, file, tmp_path / "new"))
        assert refused.exit_code in (1, 2), command
        assert "The journal has the layout '99'" in refused.stderr, command
        assert keys_of(redis_url) == before, command


def keys_of(url: str) -> dict[bytes, bytes | None]:
    """Return all keys of a server with what they hold."""
    with Redis.from_url(url) as client:
        return {key: client.dump(key) for key in client.scan_iter()}


# ---- what was lost, and the keys -----------------------------------------------------------------


def test_a_loss_is_accepted_once(run: Run, served: Context) -> None:
    """The command says what was lost; the epoch stays as it is, and nothing warns any more."""
    lost = GoneBack(had=90, noted=1_700_000_000_000, has=70, noticed=1_700_000_060_000)
    epoch = Generation(id="two", since=1, superseded=("one",), gone_back=lost)
    served.journal.lifecycle.replace_generation(None, epoch)

    accepted = run("journal", "accept")
    again = run("journal", "accept")

    assert accepted.exit_code == again.exit_code == 0
    assert accepted.stdout.startswith("accepted: the journal has gone back: it had 90 commits at")
    assert again.stdout.startswith("there is nothing to accept")
    assert served.journal.lifecycle.generation() == replace(epoch, gone_back=None)


def test_keys_are_listed_and_rotated(run: Run, served: Context) -> None:
    """A rotation adds a key and ends the old one, which stays on the list."""
    assert served.signer is not None
    served.signer.keys()  # the web process makes the first key when it starts
    [first_key] = listed_keys(run)

    new_id = run("keys", "rotate").stdout.strip()
    old_key, new_key = listed_keys(run)

    assert old_key["id"] == first_key["id"]
    assert new_key["id"] == new_id
    assert old_key["until"] is not None


def listed_keys(run: Run) -> list[Json]:
    """Return the keys that `giornale keys list` prints."""
    keys: list[Json] = json.loads(run("keys", "list").stdout)["keys"]
    return keys


# ---- matches that wait ---------------------------------------------------------------------------


@pytest.fixture
def matches(served: Context) -> list[str]:
    """One match that waits, one that has failed and one that is parked."""
    bots = [{"kind": "bot", "level": "random"}] * 3
    opened = [open_new(served, OpenRequest("calimala", bots)).loaded.id for _ in range(3)]
    _waits, failed, parked = opened
    served.journal.pending.fail(failed, "ValueError", [60_000])
    served.journal.pending.fail(parked, "KeyError", [])
    return opened


def test_all_that_wait_are_listed(run: Run, matches: list[str]) -> None:
    """For whom, for how long, how often they have failed, by what, and whether they are parked."""
    result = run("pending")

    assert result.exit_code == 0
    title, *lines, summary = result.stdout.splitlines()
    assert title.split() == ["match", "waits", "for", "waited", "tries", "error", "parked"]
    told = {line.split()[0]: re.split(r"  +", line) for line in lines}
    endings = {match: cells[1:2] + cells[3:] for match, cells in told.items()}
    waits, failed, parked = matches
    assert endings == {
        waits: ["exhibition", "0", "-", "no"],
        failed: ["exhibition", "1", "ValueError", "no"],
        parked: ["exhibition", "1", "KeyError", "yes"],
    }
    assert summary == "2 wait, 1 are parked"

    as_json = json.loads(run("pending", "--json", "--limit", "1").stdout)
    assert (as_json["waiting"], as_json["parked"]) == (2, 1)
    assert 0 <= as_json["longest_wait_ms"] < 60_000
    [shown] = as_json["matches"]
    assert shown["match"] in matches
    assert shown.keys() == {"match", "work", "waited_ms", "tries", "error", "parked"}


def test_matches_that_have_failed_are_freed(run: Run, served: Context, matches: list[str]) -> None:
    """One by its name, once, or all of them; those that have not failed stay."""
    _waits, failed, parked = matches

    one = run("pending", "retry", parked)
    assert (one.exit_code, one.stdout) == (0, f"{parked}: is tried again\n")
    assert served.journal.pending.totals()[:2] == (3, 0)
    again = run("pending", "retry", parked)
    assert (again.exit_code, again.stderr) == (1, f"Error: match {parked} has not failed\n")

    served.journal.pending.fail(parked, "KeyError", [])
    freed = run("pending", "retry", "--all").stdout.splitlines()
    assert set(freed) == {f"{failed}: is tried again", f"{parked}: is tried again"}
    assert [waiting.tries for waiting in served.journal.pending.due(0, 9)] == [0, 0, 0]
    assert run("pending", "retry", "--all").stdout == "no match has failed\n"
