"""The command line: what it prints, and what it says when it cannot."""

import os
import socket

import pytest
from click.testing import CliRunner, Result

from service.cli import main
from service.embedded import Server


def run(*arguments: str, **environ: str) -> Result:
    """Return what a command does in an environment of these settings alone."""
    settings = {f"GIORNALE_{name.upper()}": value for name, value in environ.items()}
    return CliRunner(env=settings).invoke(main, arguments)


@pytest.fixture(autouse=True)
def _bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """No setting of whoever runs the tests gets in."""
    for name in os.environ:
        if name.startswith("GIORNALE_"):
            monkeypatch.delenv(name)


def test_version_is_told() -> None:
    """`giornale --version` names the program and its version."""
    result = run("--version")
    assert result.exit_code == 0
    assert result.output.split()[1].count(".") == 2


def test_config_is_printed_without_secrets() -> None:
    """What holds is printed as variables; the secret is not."""
    result = run("config", secret="hush" * 8, port="80")
    assert result.exit_code == 0
    assert "GIORNALE_PORT=80\n" in result.output
    assert "hush" not in result.output


def test_every_problem_is_told() -> None:
    """Two mistakes are two lines and exit code 1."""
    result = run("serve", port="http", prot="80")
    assert result.exit_code == 1
    assert [word for word in result.output.split() if word.startswith("GIORNALE_")] == [
        "GIORNALE_PROT",
        "GIORNALE_PORT",
    ]


@pytest.mark.parametrize("arguments", [["web"], ["worker", "bots"], ["worker", "scoring"], ["keeper"]], ids=" ".join)
@pytest.mark.parametrize(
    ("environ", "complaint"),
    [({}, "GIORNALE_JOURNAL_URL is needed"), ({"journal_url": "redis://:pw@127.0.0.1:1"}, "redis://:***@127.0.0.1:1")],
    ids=["no journal", "journal away"],
)
def test_part_without_a_journal_says_so(arguments: list[str], environ: dict[str, str], complaint: str) -> None:
    """A part started alone without a journal it can reach ends with one sentence, no traceback and no password."""
    result = run(*arguments, **environ)
    assert result.exit_code == 1
    assert complaint in result.output
    assert "pw@" not in result.output


def test_web_with_a_taken_port_says_so(server: Server) -> None:
    """The port is tried before Granian, which would share it, gets it."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        result = run("web", journal_url=server.url, port=str(taken.getsockname()[1]))
    assert result.exit_code == 1
    assert "address already in use" in result.output
