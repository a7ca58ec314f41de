"""`giornale journal`, `keys`, `pending`, `match`: the journal and the operator's view of it."""

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from redis import Redis

from service.matches import automation, lifecycle, lobby
from service.matches.command_handler import Submission
from service.matches.context import Context
from service.matches.opening import NewMatch, OpenRequest, open_new
from service.ops.process.server_files import lock_directory
from service.ops.process.valkey import JOURNAL_DIRECTORY, Server
from service.record.commit import Json
from service.store.archive.archive import Archive
from service.store.archive.places import open_place
from service.store.journal.values import Generation, GoneBack
from tests import toy
from tests.service.ops.cli.conftest import Run, runner
from tests.service.ops.cli.shelf import match_in
from tests.service.toy_matches import move, new_context, play_on, whole

pytestmark = pytest.mark.usefixtures("toy_game")

# Commands that need the journal. M stands for a match, F for a file with its record, N for a new
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

# Commands that run the service, or a part of it.
PROCESSES = ["serve", "web --port 0", "worker bots", "worker house", "scheduler"]


def words_of(command: str, file: Path, new: Path) -> list[object]:
    """Return the input of a command of the table."""
    stands_for = {"M": match_in(file), "F": file, "N": new}
    return [stands_for.get(word, word) for word in command.split()]


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data directory of a stopped service with one match. The match's record is beside it."""
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


@pytest.mark.whole
@pytest.mark.parametrize("command", COMMANDS)
def test_the_bundled_server_is_started_for_a_command(
    stopped: Path, tmp_path: Path, command: str
) -> None:
    """If the service is stopped, its server runs for as long as the command takes."""
    data = tmp_path / "data"
    shutil.copytree(stopped, data, ignore=shutil.ignore_patterns("server.sock"))
    run = runner({"GIORNALE_DATA": str(data), "GIORNALE_JOURNAL_URL": ""})

    result = run(*words_of(command, stopped.with_name("record.ndjson"), tmp_path / "new"))

    assert result.exit_code == 0, result.output
    lock_directory(data / JOURNAL_DIRECTORY).close()


@pytest.mark.parametrize("command", [one for one in COMMANDS if one != "import F"])
def test_without_a_journal_the_user_is_told_to_start_it(
    run_alone: Run, stopped: Path, tmp_path: Path, command: str
) -> None:
    """Without a journal a command is refused with a way out, and writes no file."""
    words = words_of(command, stopped.with_name("record.ndjson"), tmp_path / "new")
    refused = run_alone(*words)

    assert refused.exit_code in (1, 2)
    assert "there is no journal: GIORNALE_JOURNAL_URL is not set" in refused.stderr
    assert "Run this beside `giornale serve`" in refused.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_journal_of_a_later_release_is_refused(
    run: Run, redis_url: str, later_layout: Callable[[str], None], file: Path, tmp_path: Path
) -> None:
    """Each command refuses a journal of a later release and changes none of its keys."""
    assert run("import", file).exit_code == 0
    later_layout("99")
    before = keys_of(redis_url)

    for command in [*COMMANDS, *PROCESSES]:
        refused = run(*words_of(command, file, tmp_path / "new"))
        assert refused.exit_code in (1, 2), command
        assert "The journal has the layout '99'" in refused.stderr, command
        assert keys_of(redis_url) == before, command


def keys_of(url: str) -> dict[bytes, bytes | None]:
    """Return all keys of a server with their values."""
    with Redis.from_url(url) as client:
        return {key: client.dump(key) for key in client.scan_iter()}


# ---- what was lost, and the keys -----------------------------------------------------------------


def test_a_loss_is_accepted_once(run: Run, served: Context) -> None:
    """`journal accept` prints the loss, and removes it from the generation."""
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
    """A rotation adds a key and ends the old one. The old one stays on the list."""
    assert served.signer is not None
    served.signer.keys()  # the web process makes the first key when it starts
    [first_key] = listed_keys(run)

    new_id = run("keys", "rotate").stdout.strip()
    old_key, new_key = listed_keys(run)

    assert old_key["id"] == first_key["id"]
    assert new_key["id"] == new_id
    assert old_key["until"] is not None


def listed_keys(run: Run) -> list[Json]:
    """Return the keys from `giornale keys list`."""
    keys: list[Json] = json.loads(run("keys", "list").stdout)["keys"]
    return keys


# ---- waiting matches -----------------------------------------------------------------------------


@pytest.fixture
def waiting_matches(served: Context) -> list[str]:
    """A waiting, a failed and a parked match."""
    bots = [{"kind": "bot", "level": "random"}] * 3
    opened = [open_new(served, OpenRequest("calimala", bots)).loaded.id for _ in range(3)]
    _waits, failed, parked = opened
    served.journal.pending.fail(failed, "ValueError", [60_000])
    served.journal.pending.fail(parked, "KeyError", [])
    return opened


def test_all_that_wait_are_listed(run: Run, waiting_matches: list[str]) -> None:
    """Columns: awaited actor, wait, failures, their error, and a mark if parked."""
    result = run("pending")

    assert result.exit_code == 0
    title, *lines, summary = result.stdout.splitlines()
    assert title.split() == ["match", "waits", "for", "waited", "tries", "error", "parked"]
    table = {line.split()[0]: re.split(r"  +", line) for line in lines}
    endings = {match: cells[1:2] + cells[3:] for match, cells in table.items()}
    waits, failed, parked = waiting_matches
    assert endings == {
        waits: ["exhibition", "0", "-", "no"],
        failed: ["exhibition", "1", "ValueError", "no"],
        parked: ["exhibition", "1", "KeyError", "yes"],
    }
    assert summary == "2 waiting, 1 parked"

    as_json = json.loads(run("pending", "--json", "--limit", "1").stdout)
    assert (as_json["waiting"], as_json["parked"]) == (2, 1)
    assert 0 <= as_json["longest_wait_ms"] < 60_000
    [row] = as_json["matches"]
    assert row["match"] in waiting_matches
    assert row.keys() == {"match", "work", "waited_ms", "tries", "error", "parked"}


def test_matches_that_have_failed_are_freed(
    run: Run, served: Context, waiting_matches: list[str]
) -> None:
    """`pending retry` frees one match by its id, or all with --all."""
    _waits, failed, parked = waiting_matches

    one = run("pending", "retry", parked)
    assert (one.exit_code, one.stdout) == (0, f"{parked}: will be retried\n")
    assert served.journal.pending.totals()[:2] == (3, 0)
    again = run("pending", "retry", parked)
    assert (again.exit_code, again.stderr) == (1, f"Error: match {parked} has not failed\n")

    served.journal.pending.fail(parked, "KeyError", [])
    freed = run("pending", "retry", "--all").stdout.splitlines()
    assert set(freed) == {f"{failed}: will be retried", f"{parked}: will be retried"}
    assert [waiting.tries for waiting in served.journal.pending.due(0, 9)] == [0, 0, 0]
    assert run("pending", "retry", "--all").stdout == "no match has failed\n"


HUMAN = {"kind": "human", "name": "Ada\n\x1b[2J"}
BOT = {"kind": "bot", "level": "greedy"}
OPEN = {"kind": "open"}
DAY_MS = 86_400_000


def test_a_match_is_deleted_when_one_is_sure(run: Run, served: Context, file: Path) -> None:
    """The command asks first. A no leaves the match as it is, a yes deletes it for good."""
    match = match_in(file)
    run("import", file)

    refused = run("match", "delete", match, input="n\n")
    assert refused.exit_code == 1
    assert served.journal.events.head(match) is not None
    at_stake = r"toy, ended, 8 commits \(\d+ kB\), idle for \d+ \w+, waits for nobody"
    assert re.match(f"{match}: {at_stake}\nDelete it for ever", refused.stdout)

    confirmed = run("match", "delete", match, input="y\n")
    assert confirmed.stdout.endswith(f"{match}: deleted\n")
    assert served.journal.events.head(match) is None

    tombstone = served.journal.lifecycle.deleted(match)
    assert tombstone is not None
    assert tombstone.by == "command line"

    again = run("match", "delete", match, "--yes")
    imported = run("import", file)
    assert again.exit_code == imported.exit_code == 1
    assert "was deleted" in again.stderr
    assert "Nothing was imported" in imported.stderr


def ago(ctx: Context, days: int) -> Context:
    """Return a context with a clock some days back."""
    return replace(ctx, clock=lambda: ctx.clock() - days * DAY_MS)


def begin(ctx: Context, *seats: Json, visibility: str = "public") -> NewMatch:
    """Open a match of the toy."""
    return open_new(ctx, OpenRequest("toy", list(seats), {"rounds": 2}, visibility=visibility))


@pytest.fixture
def matches(served: Context) -> dict[str, str]:
    """Running, open and ended matches, by the awaited actors."""
    running = begin(ago(served, 9), HUMAN, HUMAN)
    move(ago(served, 5), running, 0, "keep")
    with_bots = begin(ago(served, 4), BOT, HUMAN, visibility="private")
    lobby = begin(ago(served, 3), HUMAN, OPEN)
    ended = begin(served, BOT, BOT)
    play_on(served, ended)
    return {
        "seat 1": running.loaded.id,
        "seat 0 (bots)": with_bots.loaded.id,
        "players for seat 1": lobby.loaded.id,
        "nobody": ended.loaded.id,
    }


def test_a_name_written_from_right_to_left_is_isolated(run: Run, served: Context) -> None:
    """A name from right to left does not turn the text after it."""
    human = {**HUMAN, "name": "רבקה"}
    opened = open_new(served, OpenRequest("calimala", [human, OPEN, OPEN]))
    output = run("match", "show", opened.loaded.id).stdout
    assert "human \u2068רבקה\u2069\n" in output


def test_a_lobby_waits_for_players_and_then_for_its_owner(run: Run, served: Context) -> None:
    """The lobby waits for players of its open seats, by number, then for its owner."""
    opened = open_new(served, OpenRequest("calimala", [HUMAN, OPEN, OPEN]))
    match = opened.loaded.id
    assert "waits for  players for seats 1, 2\n" in run("match", "show", match).stdout

    for seat in (1, 2):
        lobby.join(served, Submission(match, None), seat, {"name": "", "entropy": ""})
    assert "waits for  its owner to start it\n" in run("match", "show", match).stdout


def listed(run: Run, *options: str) -> list[Json]:
    """Return the matches of a list for programs."""
    document = json.loads(run("match", "list", "--json", *options).stdout)
    matches: list[Json] = document["matches"]
    return matches


def test_matches_are_listed_with_whom_they_wait_for(run: Run, matches: dict[str, str]) -> None:
    """The list has private matches, too. The match with the latest move is first."""
    result = run("match", "list")
    assert result.exit_code == 0, result.output

    title, *lines, total = result.stdout.splitlines()
    assert re.split(r"  +", title) == [
        "match", "game", "status", "commits", "size", "idle", "waits for",
    ]  # fmt: skip
    cells = [re.split(r"  +", line) for line in lines]
    assert [one[0] for one in cells] == list(matches.values())[::-1]
    assert {one[-1]: one[0] for one in cells} == matches
    assert {one[1] for one in cells} == {"toy"}
    assert [one[2] for one in cells] == ["ended", "open", "running", "running"]
    assert [one[5] for one in cells][1:] == ["3 d", "4 d", "5 d"]
    assert total == "4 of 4 matches"


def test_a_list_tells_programs_the_same(run: Run, served: Context, matches: dict[str, str]) -> None:
    """The list for programs has sizes in bytes and idle times in milliseconds."""
    rows = {one["match"]: one for one in listed(run)}
    assert rows.keys() == set(matches.values())

    for match, one in rows.items():
        assert one["bytes"] == sum(map(len, served.journal.events.read(match)))
        assert one["archived"] is None
    assert rows[matches["players for seat 1"]]["idle_ms"] >= 3 * DAY_MS
    assert rows[matches["seat 0 (bots)"]]["waiting_for"]["bots"] == [0]


@pytest.mark.parametrize(
    ("options", "awaited"),
    [
        (["--status", "running"], ["seat 0 (bots)", "seat 1"]),
        (["--idle", "100h"], ["seat 1"]),
        (["--idle", "6d"], []),  # since the last move, not since it was opened
        (["--idle", "4d", "--status", "open"], []),
        (["--limit", "1"], ["nobody"]),
        (["--game", "firenze"], []),
    ],
    ids=" ".join,
)
def test_a_list_can_be_narrowed(
    run: Run, matches: dict[str, str], options: list[str], awaited: list[str]
) -> None:
    """Options select by status, game and idle time, and limit the number."""
    assert [one["match"] for one in listed(run, *options)] == [matches[one] for one in awaited]


def test_a_match_is_shown(run: Run, served: Context, matches: dict[str, str]) -> None:
    """A match is shown with the columns of the list, seats and failures. Names are escaped."""
    match = matches["seat 0 (bots)"]
    served.journal.pending.fail(match, "ValueError", [])

    lines = dict(
        re.split(r"  +", line, maxsplit=1)
        for line in run("match", "show", match).stdout.splitlines()
    )
    assert lines["match"] == match
    assert lines["game"] == "toy, private"
    assert lines["status"] == "running"
    assert lines["moved"].endswith("idle for 4 d")
    assert lines["waits for"] == "seat 0 (bots)"
    assert re.fullmatch(r"for \d+ \w+, failures: 1 \(ValueError\), parked", lines["pending"])
    assert lines["seat 0"] == "bot greedy"
    assert lines["seat 1"] == r"human Ada\u000a\u001b[2J"

    document = json.loads(run("match", "show", match, "--json").stdout)
    assert document["pending"]["parked"] is True
    assert document["match"] == match


def test_a_match_is_shown_with_its_clock(run: Run, served: Context) -> None:
    """`match show` has the first deadline, and each seat's time at the last commit (M15)."""
    clock = {"bank_s": 7200, "move_s": 0, "level": "random"}
    opened = open_new(
        served, OpenRequest("toy", [HUMAN, HUMAN], {"rounds": 1}, terms={"clock": clock})
    )
    automation.act(served, opened.loaded.id)

    result = run("match", "show", opened.loaded.id)
    lines = dict(re.split(r"  +", line, maxsplit=1) for line in result.stdout.splitlines())
    document = json.loads(run("match", "show", opened.loaded.id, "--json").stdout)
    assert document["clock"]["left_ms"] == [7_200_000, 7_200_000]
    assert lines["time runs out"] == document["deadline"] == document["clock"]["due"]
    assert lines["seat 0"].endswith(", 2 h left at the last commit")


def test_an_archived_match_is_shown_without_its_file(
    run: Run, served: Context, environ: dict[str, str], matches: dict[str, str]
) -> None:
    """An archived match with a lost file can be shown, because its marker has its size."""
    match = matches["nobody"]
    size = sum(map(len, served.journal.events.read(match)))
    place = open_place(str(Path(environ["GIORNALE_DATA"], "archive")))
    lifecycle.archive(served, Archive(place), match)
    [packed] = Path(environ["GIORNALE_DATA"], "archive").rglob("*.zst")
    packed.unlink()

    document = json.loads(run("match", "show", match, "--json").stdout)
    assert document["bytes"] == size
    assert document["archived"] is not None
    assert "archived   20" in run("match", "show", match).stdout
