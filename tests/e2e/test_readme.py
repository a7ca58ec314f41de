"""The README's first match, typed in as it stands there."""

import json
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import click
import pytest

from service.ops.cli.commands import main
from service.record.commit import MATCH_ID
from service.store.jobs.table import QUEUES
from tests.running import COMMAND, RunningService

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
URL_IN_THE_README = "http://127.0.0.1:8000"
SEPARATOR = "===="


def first_match(url: str, checkout: Path, elsewhere: Path) -> list[str]:
    """Run the README's commands on a service; return what each block printed.

    checkout: where they are typed in.   elsewhere: where temporary files go.
    """
    blocks = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
    assert len(blocks) >= 7

    script = f"\necho {SEPARATOR}\n".join(blocks).replace(URL_IN_THE_README, url)
    done = subprocess.run(
        ["/bin/sh", "-c", f"set -eu\n{script}"],
        cwd=checkout,
        env=os.environ | {"TMPDIR": str(elsewhere)},
        capture_output=True,
        text=True,
        check=True,
    )
    return [printed.removeprefix("\n") for printed in done.stdout.split(f"{SEPARATOR}\n")]


@pytest.mark.skipif(shutil.which("curl") is None, reason="the README's commands need curl")
def test_the_readmes_first_match(service: RunningService, tmp_path: Path) -> None:
    """A match is opened, a move made, the past read, an illegal move explained, a match checked."""
    checkout = tmp_path / "checkout"
    elsewhere = tmp_path / "elsewhere"
    put_command(checkout / ".venv/bin/giornale")
    elsewhere.mkdir()

    printed = first_match(service.url, checkout, elsewhere)
    _opened, moved, story, looked_back, refused, played, checked = printed
    assert all(text.endswith("\n") for text in printed if text), "no prompt follows in the line"

    left_over = [path.name for path in checkout.iterdir()]
    assert left_over == [".venv"], "no file with a token is left in the checkout"
    [match_file] = elsewhere.glob("*/match.json")
    assert json.loads(match_file.read_text())["game"] == "calimala"

    assert json.loads(moved)["events"], "the move was made"

    assert "Florence is laid out" in story
    assert "keeps a final scoring card in secret." in story

    history, my_view, public_view = map(json.loads, looked_back.splitlines())
    assert history["commits"][0]["version"] == 1
    assert my_view["version"] == 1
    assert public_view["version"] == 1
    assert my_view["seat"] == 0
    assert public_view["seat"] is None

    refusal = json.loads(refused)
    assert refusal["rule"].startswith("C")
    assert refusal["detail"]

    assert played == ""
    [expected] = re.findall(r"^    (right: .+)$", README, re.MULTILINE)
    assert form_of(checked.splitlines()[0]) == form_of(expected)


def form_of(verdict: str) -> str:
    """Return the line of a verdict without the id of its match and the number of commits."""
    without_id = re.sub(rf"match {MATCH_ID} ", "match ID ", verdict)
    return re.sub(r"\d+ commits", "N commits", without_id)


def put_command(path: Path) -> None:
    """Put the command `giornale` where a checkout has it."""
    path.parent.mkdir(parents=True)
    path.write_text(f'#!/bin/sh\nexec {shlex.join(COMMAND)} "$@"\n')
    path.chmod(0o700)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_readmes_completion(shell: str) -> None:
    """The line for each shell gets a script that asks for what may follow, such as a queue."""
    variable = "_GIORNALE_COMPLETE"
    assert README.count(f"{variable}={shell}_source giornale") == 1
    script = giornale({variable: f"{shell}_source"})
    assert f"{variable}={shell}_complete" in script

    if shell == "bash":
        words_so_far = {"COMP_WORDS": "giornale worker ", "COMP_CWORD": "2"}
        completions = giornale({variable: "bash_complete", **words_so_far}).split()
        assert completions == [f"plain,{queue}" for queue in QUEUES]


def giornale(environ: dict[str, str]) -> str:
    """Return what the command prints in an environment."""
    done = subprocess.run(
        COMMAND, env=os.environ | environ, capture_output=True, text=True, check=True
    )
    return done.stdout


def test_the_readmes_commands_exist() -> None:
    """Every command of `giornale` that the README names is one that there is."""
    usage = re.compile(r"^    (?:\.venv/bin/)?giornale ([a-z]+(?: [a-z]+\b)?)", re.MULTILINE)
    named = usage.findall(README)
    assert set(named) == {
        "arena",
        "config",
        "serve",
        "board show",
        "bot",
        "board check",
    }

    for words in named:
        name, *rest = words.split()
        # One that comes with workers is found by its entry point.
        command = main.get_command(click.Context(main), name)
        assert command is not None
        if isinstance(command, click.Group):
            assert rest[0] in command.commands
