"""The README's first match, typed in as it stands there."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

from service.cli.commands import main
from service.jobs.queues import FUNCTIONS
from tests.running import running_service

README = Path(__file__).parents[2] / "README.md"


@pytest.mark.skipif(shutil.which("curl") is None, reason="the README's commands need curl")
def test_the_readmes_first_match(tmp_path: Path) -> None:
    """Every command succeeds: a match is opened, a move made, history and past read, an illegal move explained."""
    blocks = re.findall(r"```sh\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) >= 4
    checkout = tmp_path / "checkout"
    elsewhere = tmp_path / "elsewhere"
    checkout.mkdir()
    elsewhere.mkdir()
    with running_service(tmp_path / "data") as running:
        script = "set -eu\n" + "\necho; echo ====\n".join(blocks).replace(
            "http://127.0.0.1:8000", running.url
        )
        done = subprocess.run(
            ["sh", "-c", script],  # noqa: S607
            cwd=checkout,
            env=os.environ | {"TMPDIR": str(elsewhere)},
            capture_output=True,
            text=True,
            check=True,
        )
    answers = [part.strip() for part in done.stdout.split("====")]
    assert json.loads(answers[1])["events"], "the move was made"
    assert list(checkout.iterdir()) == [], "no file with a token is left in the checkout"
    [written] = elsewhere.glob("*/match.json")
    assert json.loads(written.read_text())["game"] == "calimala"
    history, mine, public = [
        json.loads(line) for line in re.sub(r"\}\s*\{", "}\n{", answers[2]).splitlines()
    ]
    assert history["commits"][0]["version"] == mine["version"] == public["version"] == 1
    assert (mine["seat"], public["seat"]) == (0, None)
    refusal = json.loads(answers[3])
    assert refusal["rule"].startswith("C")
    assert refusal["detail"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_readmes_completion(shell: str) -> None:
    """The line for each shell gets a script that asks for what may follow; and what may follow is told."""
    [line] = re.findall(
        rf"_GIORNALE_COMPLETE={shell}_source giornale", README.read_text(encoding="utf-8")
    )
    variable, source = line.split()[0].split("=")
    script = giornale({variable: source})
    assert f"{variable}={shell}_complete" in script

    told = giornale(
        {variable: "bash_complete", "COMP_WORDS": "giornale worker ", "COMP_CWORD": "2"}
    )
    assert told.split() == [f"plain,{queue}" for queue in FUNCTIONS]


def giornale(environ: dict[str, str]) -> str:
    """Return what the command prints in an environment."""
    command = [sys.executable, "-m", "service.cli"]
    return subprocess.run(
        command, env=os.environ | environ, capture_output=True, text=True, check=True
    ).stdout


def test_the_readmes_commands_exist() -> None:
    """Every command of `giornale` that the README names, and every option it gives, is one that there is."""
    text = README.read_text(encoding="utf-8")
    named = re.findall(r"^    (?:\.venv/bin/)?giornale ([a-z]+(?: [a-z]+\b)?)", text, re.MULTILINE)
    assert {"config", "serve", "board show", "board check", "verify http"} == set(named)
    for words in named:
        group, *rest = words.split()
        below = main.commands[group]
        assert not isinstance(below, click.Group) or rest[0] in below.commands
