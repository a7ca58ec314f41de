"""The command line: what it prints, and what it says when it cannot."""

import errno
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from service.cli.commands import PLACES, main
from service.datadir import DataUnusable, explained
from service.process.valkey import Server

SECRET = "hush" * 8


def run(*arguments: str, **settings: str) -> Result:
    """Return what a command does in an environment of these settings alone."""
    variables = {f"GIORNALE_{name.upper()}": value for name, value in settings.items()}
    return CliRunner(env=variables).invoke(main, arguments)


@pytest.fixture(autouse=True)
def _bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """No setting of whoever runs the tests gets in."""
    for name in os.environ:
        if name.startswith("GIORNALE_"):
            monkeypatch.delenv(name)


def test_version_is_printed() -> None:
    """`giornale --version` names the program and its version."""
    result = run("--version")

    assert result.exit_code == 0
    assert result.output.split()[1] == version("giornale")


@pytest.mark.parametrize("name", PLACES)
def test_each_command_stands_where_it_is_said(name: str) -> None:
    """Every place leads to the command of that name, and its help is told."""
    with click.Context(main) as context:
        command = main.get_command(context, name)

    assert command is not None
    assert command.name == name
    assert run(name, "--help").exit_code == 0


def test_a_command_loads_no_more_than_it_needs() -> None:
    """`giornale keys` needs neither Flask, nor the application, nor the archive."""
    called = (
        "import sys; from service.cli.commands import main;"
        "main(['keys', '--help'], standalone_mode=False); print(*sys.modules)"
    )
    told = subprocess.run(
        [sys.executable, "-c", called], capture_output=True, text=True, check=True
    )

    loaded = told.stdout.splitlines()[-1].split()
    assert "service.cli.journal" in loaded
    assert {"flask", "service.api.app", "service.cli.archive"}.isdisjoint(loaded)


def test_config_is_printed_without_secrets() -> None:
    """What holds is printed as variables; the secret is not."""
    result = run("config", secret=SECRET, port="80")

    assert result.exit_code == 0
    assert "GIORNALE_PORT=80\n" in result.output
    assert "hush" not in result.output


def test_every_problem_is_told() -> None:
    """Two mistakes are two lines and exit code 1."""
    result = run("serve", port="http", prot="80")
    named = [word for word in result.output.split() if word.startswith("GIORNALE_")]

    assert result.exit_code == 1
    assert named == ["GIORNALE_PROT", "GIORNALE_PORT?", "GIORNALE_PORT"]


@pytest.mark.parametrize(
    "arguments",
    [["web"], ["worker", "bots"], ["worker", "scoring"], ["keeper"]],
    ids=" ".join,
)
@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({}, "GIORNALE_JOURNAL_URL is needed"),
        ({"journal_url": "redis://:pw@127.0.0.1:1"}, "redis://:***@127.0.0.1:1"),
    ],
    ids=["no journal", "journal away"],
)
def test_process_without_a_journal_says_so(
    arguments: list[str], settings: dict[str, str], complaint: str
) -> None:
    """It ends with one sentence, no traceback and no password."""
    result = run(*arguments, **settings)

    assert result.exit_code == 1
    assert complaint in result.output
    assert "pw@" not in result.output


def test_web_with_a_taken_port_says_so(server: Server) -> None:
    """The port is tried before Granian, which would share it, gets it."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        result = run("web", journal_url=server.url, port=port)

    assert result.exit_code == 1
    assert "address already in use" in result.output


def commands(command: click.Command, *above: str) -> Iterator[list[str]]:
    """Yield the words of a command and of all below it."""
    yield list(above)
    if isinstance(command, click.Group):
        for name, below in command.commands.items():
            yield from commands(below, *above, name)


@pytest.mark.parametrize("words", list(commands(main)), ids=" ".join)
def test_short_help_is_help(words: list[str]) -> None:
    """`-h` is `--help` on every command."""
    short = run(*words, "-h")
    long = run(*words, "--help")

    assert short.exit_code == 0
    assert short.output == long.output
    assert "Usage: " in short.output


def test_config_is_printed_as_json_without_secrets() -> None:
    """Each setting has its name, its value and where that is from; secrets are masked, too."""
    settings = {
        "secret": SECRET,
        "journal_url": "redis://:hush@h",
        "host": "::1",
    }
    result = run("config", "--json", "--port", "81", **settings)
    assert result.exit_code == 0

    listed = {
        setting["name"]: (setting["value"], setting["source"])
        for setting in json.loads(result.output)
    }
    assert listed["GIORNALE_PORT"] == ("81", "command line")
    assert listed["GIORNALE_HOST"] == ("::1", "environment")
    assert listed["GIORNALE_QUEUE_URL"] == ("redis://:***@h/1", "GIORNALE_JOURNAL_URL")
    assert listed["GIORNALE_SECRET"] == ("(set)", "environment")
    assert "hush" not in result.output


NEED_THE_DIRECTORY = [
    ["config"],
    ["serve", "--port", "0"],
    ["web", "--port", "0"],
    ["worker", "bots"],
    ["keeper"],
    ["keys", "list"],
    ["keys", "rotate"],
    ["export", "m"],
    ["import", os.devnull],
]


@pytest.mark.parametrize("arguments", NEED_THE_DIRECTORY, ids=" ".join)
def test_unusable_data_directory_is_one_sentence(
    server: Server, tmp_path: Path, arguments: list[str]
) -> None:
    """The setting, the path and the reason are told, without a traceback."""
    file = tmp_path / "file"
    file.write_text("no directory")
    directory = str(file / "data")
    result = run(*arguments, data=directory, journal_url=server.url)

    assert result.exit_code == 1
    assert isinstance(result.exception, SystemExit)

    lines = result.output.splitlines()
    [error_line] = [line for line in lines if line.startswith("Error: ")]
    complaint = f"GIORNALE_DATA: the directory {directory} cannot be used: not a dir"
    assert error_line.startswith(f"Error: {complaint}")


def test_directory_that_may_not_be_written_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`config` tells of another user's directory, with the reason, before anything is started."""
    tmp_path.chmod(0o500)
    if os.geteuid() == 0:  # root may write everywhere, so the system's answer is given here
        monkeypatch.setattr(os, "access", lambda _place, _wanted: False)
    result = run("config", data=str(tmp_path / "data"))

    assert result.exit_code == 1
    assert "cannot be used: permission denied" in result.output


def test_config_makes_no_directory(tmp_path: Path) -> None:
    """Checking the settings leaves nothing behind."""
    result = run("config", data=str(tmp_path / "data" / "below"))

    assert result.exit_code == 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("action", "exit_code"), [("list", 0), ("rotate", 1)])
def test_asking_for_keys_makes_none(tmp_path: Path, action: str, exit_code: int) -> None:
    """In an empty directory it is said that there is none yet, and who makes one."""
    directory = tmp_path / "data"
    result = run("keys", action, data=str(directory))

    assert result.exit_code == exit_code
    note = f"there is no key in {directory} yet; the web process makes one when it starts"
    assert note in result.output
    assert list(tmp_path.iterdir()) == []


def test_wrong_host_is_told_as_it_is(tmp_path: Path) -> None:
    """A name without an address is told in the resolver's own words, with the setting."""
    result = run("serve", "--host", "no-such.invalid", data=str(tmp_path))

    assert result.exit_code == 1
    assert "GIORNALE_HOST: cannot listen on no-such.invalid: " in result.output
    assert "unknown error" not in result.output


def test_service_of_kubernetes_is_said_once() -> None:
    """A note on standard error names the variables that are ignored; standard output is as ever."""
    result = run("config", port="tcp://10.0.0.1:8000", service_host="10.0.0.1", max_depth="9")

    assert result.exit_code == 0
    names = "GIORNALE_PORT, GIORNALE_SERVICE_HOST"
    note = f"note: Kubernetes tells of a Service in {names}; these are no settings: ignored"
    gone = "note: GIORNALE_MAX_DEPTH is no setting any more: the JSON of a request may nest 16 deep"
    assert result.stderr.splitlines() == [f"{gone}: ignored", note]
    assert "GIORNALE_PORT=8000\n" in result.stdout


@pytest.mark.parametrize(
    "number",
    [errno.EACCES, errno.EROFS, errno.ENOSPC],
    ids=["denied", "read-only", "full"],
)
def test_what_the_system_refuses_is_explained(tmp_path: Path, number: int) -> None:
    """Setting, directory, reason and place are told; errors of other places stay as they are."""
    place = tmp_path / "secret"
    with pytest.raises(DataUnusable) as caught, explained(tmp_path):
        raise OSError(number, "whatever", str(place))

    reason = os.strerror(number).lower()
    complaint = f"GIORNALE_DATA: the directory {tmp_path} cannot be used: {reason} ({place})"
    assert str(caught.value) == complaint

    with pytest.raises(OSError, match="elsewhere"), explained(tmp_path):
        raise OSError(number, "whatever", "/elsewhere")
