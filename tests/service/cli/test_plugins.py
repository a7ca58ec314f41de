"""Commands of other packages stand beside the program's own."""

from importlib.metadata import EntryPoint

import click
import pytest
from click.testing import CliRunner

from service.cli import commands
from service.cli.commands import GROUP, WithPlugins

no_command = "a text"


@click.command()
@click.argument("word")
def echo(word: str) -> None:
    """Say a word."""
    click.echo(word)


@click.command()
def own() -> None:
    """Do what the program does itself."""
    click.echo("own")


@click.group(cls=WithPlugins, places={"own": f"{__name__}:own"})
def program() -> None:
    """A program with one command of its own."""


@pytest.fixture(autouse=True)
def _installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Packages that name four commands: a good one, a hidden one, and two that are broken."""
    places = {
        "echo": f"{__name__}:echo",
        "own": f"{__name__}:echo",
        "gone": "no_such_package.command:gone",
        "text": f"{__name__}:no_command",
    }
    found = [EntryPoint(name, place, GROUP) for name, place in places.items()]
    monkeypatch.setattr(commands, "entry_points", lambda group: found if group == GROUP else [])


def test_a_command_of_another_package_is_called() -> None:
    """It gets its arguments as a command of the program's own does."""
    ran = CliRunner().invoke(program, ["echo", "hello"])
    assert (ran.exit_code, ran.output) == (0, "hello\n")


def test_a_command_of_the_program_cannot_be_replaced() -> None:
    """Where two have one name, the program's own counts."""
    assert CliRunner().invoke(program, ["own"]).output == "own\n"


def test_the_help_names_all() -> None:
    """What cannot be loaded does not hide the others."""
    ran = CliRunner().invoke(program, ["--help"])

    assert ran.exit_code == 0
    assert "Say a word." in ran.output
    assert "Do what the program does itself." in ran.output
    assert ran.output.count("Cannot be loaded.") == 2


@pytest.mark.parametrize(
    ("name", "reason"),
    [("gone", "No module named 'no_such_package'"), ("text", "no_command is no command")],
)
def test_a_broken_command_says_why(name: str, reason: str) -> None:
    """It ends with one sentence, whatever arguments it is given."""
    ran = CliRunner().invoke(program, [name, "--seats", "3", "word"])

    assert ran.exit_code == 1
    assert f"{name} cannot be loaded" in ran.output
    assert reason in ran.output


def test_an_unknown_command_is_unknown() -> None:
    """As without plugins."""
    ran = CliRunner().invoke(program, ["nothing"])

    assert ran.exit_code == 2
    assert "No such command 'nothing'" in ran.output
