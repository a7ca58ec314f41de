"""Each command of the program, run by a person at a terminal: input that is good, bad, or Ctrl-C.

The commands come from the program itself. A command missing in the tables fails the first test.
"""

import re
import shlex
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import orjson
import pytest
from redis import Redis

from service.base.config import Config
from service.bootstrap import prepare_data
from service.matches.context import Context
from service.ops.cli import INTERRUPTED
from service.ops.cli.boards import board_options
from service.ops.cli.commands import main
from service.ops.process.valkey import Server
from service.record import record
from service.record.catalogue import catalogue
from tests.service.ops.cli.conftest import Seal, runner
from tests.service.ops.cli.shelf import Shelf
from tests.service.ops.cli.terminals import COLUMNS, CTRL_C, ENTER, Shown, Terminals, leaves
from tests.service.rated import put
from tests.service.toy_matches import opened, play_on
from tests.whole import whole_but

NARROW = 24
UNKNOWN = "a" * 26

# The input, split into words as by a shell. Words in braces are in the fixture `names`. Those of
# one command are run one after another.
GOOD: dict[str, list[str]] = {
    "archive run": ["archive run --dry-run", "archive run"],
    "archive restore": ["archive restore --all"],
    "archive status": ["archive status"],
    "archive verify": ["archive verify"],
    "arena": ["arena firenze --pair random,greedy --seats 2 --matches 1 --out {new}.arena"],
    "backup": ["backup {new}.backup"],
    "board check": ["board check {board}"],
    "board show": ["board show"],
    "bot": ["bot {url} json:loads --tokens {ended}"],
    "config": ["config", "config --json"],
    "dump": ["dump -o {new}.zst", "dump --to 2026-02-01 --parquet {new}.tables"],
    "export": ["export {match}", "export --all {new}.records"],
    "feed": ["feed {url} --once"],
    "games": ["games", "games --json"],
    "import": ["import {record}"],
    "journal accept": ["journal accept"],
    "keys list": ["keys list"],
    "keys rotate": ["keys rotate"],
    "log consistency": ["log consistency {url} {new} --policy {policy}"] * 2,
    "log prove": ["log prove {url}/v1/matches/{match} -o {new}"],
    "log verify": [
        "log prove {url}/v1/matches/{match} -o {new}",
        "log verify {new} --receipt {receipt} --policy {policy}",
    ],
    "log witness": [],
    "match delete": ["match delete {other}"],
    "match list": ["match list"],
    "match show": ["match show {match}"],
    "pending": ["pending"],
    "pending retry": ["pending retry --all"],
    "ratings": ["ratings {dump}", "ratings --json {dump}"],
    "replay-test": ["replay-test {record} {dump} {backup} --sample 2"],
    "restore": ["restore --check {backup}", "restore --merge {backup}"],
    "scheduler": [],
    "schema diff": ["schema diff {catalogue} {catalogue}"],
    "schema show": ["schema show"],
    "serve": [],
    "story": ["story {record}"],
    "verify": ["verify {record}", "verify {record} {record}", "verify --jobs 2 {dump}"],
    "view": ["view {record} -o {new}.html"],
    "web": [],
    "worker": [],
}


class Bad(NamedTuple):
    """Words, and a part of the sentence on the terminal."""

    words: str
    text: str


BAD: dict[str, list[Bad]] = {
    "archive run": [Bad("archive run --older-than long", "must be a number of hours or days")],
    "archive restore": [Bad("archive restore {unknown}", "there is no archived match")],
    "archive status": [Bad("archive status more", "unexpected extra argument")],
    "archive verify": [Bad("archive verify --clean --clear", "No such option")],
    "arena": [Bad("arena chess", "is not"), Bad("arena firenze --pair x --out {new}", "Error: ")],
    "backup": [
        Bad("backup {record}", "exists. Replace it"),
        Bad("backup {new}/a/b", "no such dir"),
    ],
    "board check": [Bad("board check {empty}", "cannot be read"), Bad("board check {new}", "new")],
    "board show": [Bad("board show --game chess", "firenze")],
    "bot": [
        Bad("bot {url} nothing:at_all --tokens {ended}", "there is no module nothing here"),
        Bad("bot {url} json:loads --tokens {new}", "cannot be read"),
    ],
    "config": [Bad("config --port many", "a whole number from 0 to 65535")],
    "dump": [
        Bad("dump -o {record}", "exists. Replace it"),
        Bad("dump --from yesterday -o {new}", "such as 2026-01-31"),
    ],
    "export": [Bad("export", "give a MATCH"), Bad("export {unknown}", "there is no match")],
    "feed": [Bad("feed {nowhere} --once --patience 0", "Error: ")],
    "games": [Bad("games chess", "unexpected extra argument")],
    "import": [Bad("import {wrong}", "commit 4"), Bad("import {empty}", "Error: ")],
    "journal accept": [Bad("journal accept all", "unexpected extra argument")],
    "keys list": [Bad("keys list all", "unexpected extra argument")],
    "keys rotate": [Bad("keys rotate all", "unexpected extra argument")],
    "log consistency": [Bad("log consistency {nowhere} {new} --policy {new}", "Error: ")],
    "log prove": [Bad("log prove {nowhere}/v1/matches/{unknown}", "Error: ")],
    "log verify": [Bad("log verify {empty} --receipt {empty} --policy {empty}", "Error: ")],
    "log witness": [Bad("log witness {new}", "name a log to watch")],
    "match delete": [Bad("match delete {unknown}", "there is no match")],
    "match list": [Bad("match list --status lost", "Invalid value")],
    "match show": [Bad("match show {unknown}", "there is no match")],
    "pending": [Bad("pending --limit 0", "Invalid value")],
    "pending retry": [Bad("pending retry {unknown}", "has not failed")],
    "ratings": [
        Bad("ratings {new}", "is not a dump"),
        Bad("ratings {empty}", "is not a dump"),
        Bad("ratings {record}", "is not a dump"),
        Bad("ratings {cut}", "cut.ndjson.zst"),
        Bad("ratings {nowhere}", "Error: "),
    ],
    "replay-test": [
        Bad("replay-test", "give --journal, or FILES"),
        Bad("replay-test {wrong}", "1 damaged"),
        Bad("replay-test --journal", "toy/1 is not installed"),
        Bad("replay-test {empty}", "is not a record"),
    ],
    "restore": [
        Bad("restore {new}", "does not exist"),
        Bad("restore --check {empty}", "the backup is not valid"),
        Bad("restore {backup}", "the journal has matches"),
    ],
    "scheduler": [Bad("scheduler now", "unexpected extra argument")],
    "schema diff": [Bad("schema diff {empty} {catalogue}", "is no catalogue of")],
    "schema show": [Bad("schema show all", "unexpected extra argument")],
    "serve": [Bad("serve --port many", "a whole number from 0 to 65535")],
    "story": [Bad("story {wrong}", "the record is wrong"), Bad("story {empty}", "is not a record")],
    "verify": [
        Bad("verify {wrong}", "wrong: commit 4"),
        Bad("verify {record} {wrong-dump} {cut} {new}", "wrong: "),
        Bad("verify {empty}", "is not a record"),
    ],
    "view": [Bad("view {wrong}", "wrong: commit 4"), Bad("view {new}", "No such file")],
    "web": [Bad("web --port many", "a whole number from 0 to 65535")],
    "worker": [Bad("worker nothing", "is not one of")],
}

# Processes without an end of their own, and the text on the terminal when they are ready.
PROCESSES = {
    "log witness": ("log witness {new}.witness --log {log-key} --port 0", "http://"),
    "scheduler": ("scheduler", "scheduler ready"),
    "serve": ("serve --port 0 --data {new}.data", "http://127.0.0.1"),
    "web": ("web --port 0", "http://127.0.0.1"),
    "worker": ("worker house", "ready"),
}

# Words for a command with a wait: for a silent journal or server (`{silent}`), for a terminal, or
# while it works. It is interrupted when the terminal shows the text.
WAITS: dict[str, tuple[str, str]] = {
    "arena": ("arena firenze --pair strong,greedy --out {new}.arena", "0%"),
    "bot": ("bot {silent} json:loads --tokens {ended}", ""),
    "feed": ("feed {silent}", ""),
    "import": ("import -", ""),
    "log consistency": ("log consistency {silent} {new} --policy {policy}", ""),
    "log prove": ("log prove {silent}/v1/matches/{unknown}", ""),
    "ratings": ("ratings {silent}", ""),
    "restore": ("restore {backup}", "right"),
    "story": ("story -", ""),
    "verify": ("verify -", ""),
    "view": ("view -", ""),
} | {
    name: (words, "")
    for name, words in {
        "archive run": "archive run",
        "archive restore": "archive restore --all",
        "archive status": "archive status",
        "archive verify": "archive verify",
        "backup": "backup {new}",
        "dump": "dump -o {new}",
        "export": "export --all {new}",
        "journal accept": "journal accept",
        "match delete": "match delete {unknown}",
        "match list": "match list",
        "match show": "match show {unknown}",
        "pending": "pending",
        "pending retry": "pending retry --all",
        "replay-test": "replay-test --journal",
    }.items()
}

# Commands that wait for nothing and end at once.
AT_ONCE = {
    "board check",
    "board show",
    "config",
    "games",
    "keys list",
    "keys rotate",
    "log verify",
    "schema diff",
    "schema show",
}

# Commands with a bar, a question, a table and standard input, and a process. The others are marked
# `whole`.
FEW = ("archive restore", "match delete", "match list", "serve", "story")

WINDOWS = {
    "a terminal": (COLUMNS, {}),
    "narrow, no colour": (NARROW, {"NO_COLOR": "1", "TERM": "dumb"}),
}


@pytest.fixture(params=whole_but(["a terminal"], WINDOWS))
def window(request: pytest.FixtureRequest) -> tuple[int, dict[str, str]]:
    """The width of a terminal, and the variables for it."""
    return WINDOWS[request.param]


@pytest.fixture(scope="module")
def silent() -> Iterator[str]:
    """The host and port of a silent server. It takes connections."""
    with socket.create_server(("127.0.0.1", 0), backlog=128) as listening:
        host, port = listening.getsockname()
        yield f"{host}:{port}"


class Kept(NamedTuple):
    """Records of every sort, and a backup and a dump of the two matches in the journal."""

    shelf: Shelf
    backup: Path
    dump: Path


@pytest.fixture(scope="module")
def stock(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Kept:
    """Files that no command changes, made in a database that no other test uses."""
    directory = tmp_path_factory.mktemp("kept")
    shelf = Shelf(directory)
    url = f"{server.url}?db=8"
    with Redis.from_url(url) as client:
        client.flushdb()
    settings = {"GIORNALE_JOURNAL_URL": url, "GIORNALE_DATA": str(directory / "var")}
    run = runner(settings)
    config = Config.load(settings)
    prepare_data(config)
    second = directory / "second.ndjson"
    second.write_bytes(shelf.contents[1])
    backup, dump = directory / "whole.backup", directory / "two.ndjson.zst"
    for command in (
        ["import", shelf.plain],
        ["import", second],
        ["backup", backup],
        ["dump", "-o", dump],
    ):
        assert run(*command).exit_code == 0
    return Kept(shelf, backup, dump)


@pytest.fixture
def names(
    stock: Kept, here: Context, seal: Seal, tmp_path: Path, url: str, silent: str
) -> dict[str, str]:
    """The values of the words in braces. The journal's three matches lie in the log."""
    shelf = stock.shelf
    match, other = [put(here, record.lines(content)) for content in shelf.contents[:2]]
    ended = opened(here)
    play_on(here, ended)
    seal()
    assert here.signer is not None
    here.signer.keys()
    assert here.log is not None
    log_key = str(here.log.state().key)
    head = here.journal.events.head(match)
    assert head is not None
    receipt = {"match": match, "version": head.version, "hash": head.hash}

    files = {
        "board": orjson.dumps(board_options()[0][1].default),
        "catalogue": orjson.dumps(catalogue()),
        "empty": b"",
        "ended": ended.tokens["seat:0"].encode(),
        "policy": f"log {log_key}\nquorum none\n".encode(),
        "receipt": orjson.dumps(receipt),
    }
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    return {
        **{name: str(tmp_path / name) for name in files},
        "backup": str(stock.backup),
        "cut": str(shelf.cut),
        "dump": str(stock.dump),
        "log-key": log_key,
        "match": match,
        "new": str(tmp_path / "new"),
        "nowhere": "http://127.0.0.1:1",
        "other": other,
        "record": str(shelf.plain),
        "silent": f"http://{silent}",
        "unknown": UNKNOWN,
        "url": url,
        "wrong": str(shelf.wrong),
        "wrong-dump": str(shelf.dump),
    }


@pytest.fixture(scope="module")
def forker() -> Iterator[Terminals]:
    """A program with all commands loaded."""
    with Terminals() as opened:
        yield opened


Terminal = Callable[..., Shown]


@pytest.fixture
def terminal(forker: Terminals, environ: dict[str, str], tmp_path: Path) -> Terminal:
    """Run words in a terminal beside the journal."""

    def run(words: list[str], *, columns: int = COLUMNS, **more: str) -> Shown:
        typing = {name: more.pop(name, "") for name in ("until", "typed")}
        return forker.run(words, environ | more, tmp_path, columns=columns, **typing)

    return run


def split(words: str, names: dict[str, str]) -> list[str]:
    """Return words as a shell hands them over."""
    return shlex.split(words.format_map(names))


def demand_sane(screen: Shown, columns: int, environ: dict[str, str]) -> None:
    """Fail if a terminal shows Python's own words, or is left in another state than before."""
    assert "Traceback" not in screen.text, screen.text
    assert "waits no longer" not in screen.text, screen.text
    assert screen.text.count("\x1b[?25l") == screen.text.count("\x1b[?25h")
    bars = [line for line in screen.lines if re.search(r"\d%( |$)", line)]
    assert all(len(line) < columns for line in bars), bars
    if "NO_COLOR" in environ:
        assert "\x1b[" not in screen.text


def test_each_command_is_run_at_a_terminal() -> None:
    """Each command has good and bad input, and is interrupted unless it ends at once."""
    commands = set(leaves(main))
    assert set(GOOD) == commands
    assert set(BAD) == commands
    assert set(WAITS) | AT_ONCE | set(PROCESSES) == commands


@pytest.mark.parametrize("command", whole_but(FEW, [name for name, lines in GOOD.items() if lines]))
def test_good_input_at_a_terminal(
    command: str,
    names: dict[str, str],
    terminal: Terminal,
    window: tuple[int, dict[str, str]],
) -> None:
    """The command does its work, and ends with 0."""
    columns, environ = window
    for words in GOOD[command]:
        has_question = command == "match delete"
        until, typed = ("for ever?", f"y{ENTER}") if has_question else ("", "")
        screen = terminal(split(words, names), until=until, typed=typed, columns=columns, **environ)
        assert screen.exit_code == 0, screen.text
        demand_sane(screen, columns, environ)


@pytest.mark.parametrize("command", whole_but(FEW, BAD))
def test_bad_input_at_a_terminal(
    command: str,
    names: dict[str, str],
    terminal: Terminal,
    window: tuple[int, dict[str, str]],
) -> None:
    """The error names the fault, even if a bar is shown."""
    columns, environ = window
    for words, text in BAD[command]:
        screen = terminal(split(words, names), columns=columns, **environ)
        assert screen.exit_code in (1, 2), screen.text
        assert text in " ".join(screen.lines), screen.text
        demand_sane(screen, columns, environ)


@pytest.mark.parametrize("command", whole_but(FEW, WAITS))
def test_ctrl_c_at_a_terminal(
    command: str, names: dict[str, str], terminal: Terminal, tmp_path: Path
) -> None:
    """The command ends with 130 and without a traceback."""
    words, until = WAITS[command]
    journal = f"redis://{names['silent'].removeprefix('http://')}"
    screen = terminal(split(words, names), until=until, typed=CTRL_C, GIORNALE_JOURNAL_URL=journal)
    assert screen.exit_code == INTERRUPTED, screen.text
    demand_sane(screen, COLUMNS, {})


@pytest.mark.parametrize("command", whole_but(FEW, PROCESSES))
def test_a_process_at_a_terminal(
    command: str,
    names: dict[str, str],
    terminal: Terminal,
    window: tuple[int, dict[str, str]],
) -> None:
    """A process prints that it is ready, and Ctrl-C ends it with 0."""
    columns, environ = window
    words, until = PROCESSES[command]
    screen = terminal(split(words, names), until=until, typed=CTRL_C, columns=columns, **environ)
    assert screen.exit_code == 0, screen.text
    demand_sane(screen, columns, environ)


@pytest.mark.whole
def test_a_bar_of_unknown_length_counts(names: dict[str, str], terminal: Terminal) -> None:
    """A bar of unknown length shows a count, and a bar of known length the share."""
    assert "archiving  3" in terminal(split("archive run", names)).lines
    restored = terminal(split("archive restore --all", names))
    assert any(re.search(r"restoring  \[#{30}\]  100%", line) for line in restored.lines)
