"""The command line: its imports, its printed settings, and its reasons not to start."""

import errno
import json
import os
import re
import socket
import subprocess
import sys
from importlib.abc import MetaPathFinder
from importlib.metadata import EntryPoint, version
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from service.base.datadir import DataUnusable, explained
from service.ops import cli
from service.ops.cli import commands
from service.ops.cli.commands import GROUP, WithPlugins, main
from service.ops.process.valkey import Server
from workers import giornale

SECRET = "hush" * 8


def run(*arguments: str, **settings: str) -> Result:
    """Return the result of a command in an environment of these settings alone."""
    variables = {f"GIORNALE_{name.upper()}": value for name, value in settings.items()}
    return CliRunner(env=variables).invoke(main, arguments, obj=giornale.PROGRAMS)


@pytest.fixture(autouse=True)
def _bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove the settings of the user who runs the tests."""
    for name in os.environ:
        if name.startswith("GIORNALE_"):
            monkeypatch.delenv(name)


def test_version_is_printed() -> None:
    """`giornale --version` names the program, its version and its commit."""
    name, number = run("--version").output.split()
    base, _, commit = number.partition("+")
    assert (name, base) == ("giornale", version("giornale"))
    assert re.fullmatch(r"g[0-9a-f]{10}|", commit)


# ---- what is loaded ------------------------------------------------------------------------------


def loaded_by(code: str) -> set[str]:
    """Return the modules loaded at the end of a program."""
    completed = subprocess.run(
        [sys.executable, "-c", f"import sys; {code}; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(completed.stdout.splitlines()[-1].split())


@pytest.mark.whole
def test_a_command_loads_no_more_than_it_needs() -> None:
    """`giornale keys` loads no application. Slow imports start after Ctrl-C is handled."""
    calling = (
        "from service.ops.cli.commands import main; main(['keys', '-h'], standalone_mode=False)"
    )
    loaded = loaded_by(calling)

    assert "service.ops.cli.journal" in loaded
    assert {"flask", "service.api.app", "service.ops.cli.archive"}.isdisjoint(loaded)
    assert {"click", "redis", "domain.games"}.isdisjoint(loaded_by("import service.ops.cli"))


class Interrupted(MetaPathFinder):
    """A finder that raises Ctrl-C at the import of a module."""

    def __init__(self, module: str) -> None:
        self._module = module

    def find_spec(self, fullname: str, *_where: Any) -> None:
        """Find nothing, and interrupt the search for the module."""
        if fullname == self._module:
            raise KeyboardInterrupt


@pytest.mark.parametrize("name", ["commands", "journal"])
def test_an_interruption_while_it_loads_is_one_word(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ctrl-C at the import of all commands, or of the called one, prints one word."""
    module = f"service.ops.cli.{name}"
    monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.delattr(cli, name, raising=False)
    monkeypatch.setattr(sys, "meta_path", [Interrupted(module), *sys.meta_path])
    monkeypatch.setattr(sys, "argv", ["giornale", "keys", "show"])

    with pytest.raises(SystemExit) as ended:
        giornale.main()

    assert ended.value.code == 130
    assert capsys.readouterr().err == "Interrupted.\n"


# ---- commands of other packages ------------------------------------------------------------------

no_command = "a text"


@click.command()
@click.argument("word")
def echo(word: str) -> None:
    """Say a word."""
    click.echo(word)


@click.command()
def own() -> None:
    """Stands for the program's own command."""
    click.echo("own")


@click.group(cls=WithPlugins, places={"own": f"{__name__}:own"})
def program() -> None:
    """A program with one command of its own."""


@pytest.mark.parametrize(
    ("words", "exit_code", "texts"),
    [
        ("echo hello", 0, ["hello\n"]),
        ("own", 0, ["own\n"]),
        ("gone --seats 3 word", 1, ["gone cannot be loaded", "No module named 'no_such_package'"]),
        ("text --seats 3 word", 1, ["text cannot be loaded", "no_command is not a command"]),
        ("nothing", 2, ["No such command 'nothing'"]),
        (
            "--help",
            0,
            ["Say a word.", "Stands for the program's own command.", "Cannot be loaded."],
        ),
    ],
)
def test_a_command_of_another_package_stands_beside_the_own(
    words: str, exit_code: int, texts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It gets arguments and replaces no own command. A broken command gives the reason."""
    places = {
        "echo": f"{__name__}:echo",
        "own": f"{__name__}:echo",
        "gone": "no_such_package.command:gone",
        "text": f"{__name__}:no_command",
    }
    points = [EntryPoint(name, place, GROUP) for name, place in places.items()]
    monkeypatch.setattr(commands, "entry_points", lambda group: points if group == GROUP else [])

    ran = CliRunner().invoke(program, words.split())

    assert ran.exit_code == exit_code
    for one in texts:
        assert one in ran.output


# ---- settings ------------------------------------------------------------------------------------


def test_config_is_printed_as_json_without_secrets() -> None:
    """Each setting has its name, its value and its source. Secrets are masked, too."""
    settings = {"secret": SECRET, "journal_url": "redis://:hush@h", "host": "::1"}
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


def test_every_problem_is_told() -> None:
    """Two mistakes are two lines and exit code 1."""
    result = run("serve", port="http", prot="80")
    settings = [word for word in result.output.split() if word.startswith("GIORNALE_")]

    assert result.exit_code == 1
    assert settings == ["GIORNALE_PROT", "GIORNALE_PORT?", "GIORNALE_PORT"]


def test_service_of_kubernetes_is_said_once() -> None:
    """A note on standard error names the ignored variables. Standard output is as ever."""
    result = run("config", port="tcp://10.0.0.1:8000", service_host="10.0.0.1")

    assert result.exit_code == 0
    names = "GIORNALE_PORT, GIORNALE_SERVICE_HOST"
    note = f"note: ignored variables of a Kubernetes Service, not settings: {names}"
    assert result.stderr.splitlines() == [note]
    assert "GIORNALE_PORT=8000\n" in result.stdout


@pytest.mark.parametrize("command", ["web", "serve"])
def test_a_taken_port_is_said_before_anything_is_started(
    server: Server, tmp_path: Path, command: str
) -> None:
    """The port is tried before Granian gets it, since Granian would share it."""
    with socket.create_server(("127.0.0.1", 0)) as holder:
        port = str(holder.getsockname()[1])
        result = run(command, journal_url=server.url, port=port, data=str(tmp_path / "data"))

    assert result.exit_code == 1
    assert "address already in use" in result.output
    assert command == "web" or list(tmp_path.iterdir()) == []


# ---- the data directory --------------------------------------------------------------------------


NEED_THE_DIRECTORY = [
    ["config"],
    ["serve", "--port", "0"],
    ["web", "--port", "0"],
    ["worker", "bots"],
    ["scheduler"],
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


@pytest.mark.parametrize(
    ("words", "exit_code"), [("config", 0), ("keys list", 0), ("keys rotate", 1)]
)
def test_asking_makes_no_directory(tmp_path: Path, words: str, exit_code: int) -> None:
    """`config` and `keys` make no directory. The web process makes the keys."""
    directory = tmp_path / "data"

    result = run(*words.split(), data=str(directory))

    note = f"there is no key in {directory} yet. The web process makes one when it starts"
    assert result.exit_code == exit_code
    assert (note in result.output) == words.startswith("keys")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "number",
    [errno.EACCES, errno.EROFS, errno.ENOSPC],
    ids=["denied", "read-only", "full"],
)
def test_refusals_of_the_system_are_explained(tmp_path: Path, number: int) -> None:
    """The error names setting, directory, reason and file. Errors elsewhere stay unchanged."""
    place = tmp_path / "secret"
    with pytest.raises(DataUnusable) as caught, explained(tmp_path):
        raise OSError(number, "whatever", str(place))

    reason = os.strerror(number).lower()
    complaint = f"GIORNALE_DATA: the directory {tmp_path} cannot be used: {reason} ({place})"
    assert str(caught.value) == complaint

    with pytest.raises(OSError, match="elsewhere"), explained(tmp_path):
        raise OSError(number, "whatever", "/elsewhere")
