"""The commands of the README and of the first steps, typed in as they stand there."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

from giornale_client import Client, Key, Match, Opened
from service.ops.cli.commands import main
from service.record.commit import MATCH_ID
from service.store.jobs.table import QUEUES
from tests.running import COMMAND, RunningService
from tests.whole import whole_but

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
FIRST_PROGRAM = (ROOT / "docs/start/first-program.md").read_text(encoding="utf-8")
HOST = (ROOT / "docs/start/host.md").read_text(encoding="utf-8")
COMMANDS = (ROOT / "docs/reference/commands.md").read_text(encoding="utf-8")
MOST_LINES = 120
URL_IN_THE_README = "http://127.0.0.1:8000"
SEPARATOR = "===="


def run_blocks(page: str, url: str, checkout: Path, elsewhere: Path) -> list[str]:
    """Run a page's commands on a service. Return the output of each block.

    checkout: their working directory.   elsewhere: directory of temporary files.
    """
    blocks = re.findall(r"```sh\n(.*?)```", page, re.DOTALL)

    script = f"\necho {SEPARATOR}\n".join(blocks).replace(URL_IN_THE_README, url)
    completed = subprocess.run(
        ["/bin/sh", "-c", f"set -eu\n{script}"],
        cwd=checkout,
        env=os.environ | {"TMPDIR": str(elsewhere)},
        capture_output=True,
        text=True,
        check=True,
    )
    return [printed.removeprefix("\n") for printed in completed.stdout.split(f"{SEPARATOR}\n")]


@pytest.mark.skipif(shutil.which("curl") is None, reason="the README's commands need curl")
def test_the_readmes_commands(service: RunningService, tmp_path: Path) -> None:
    """A match is opened, a move made, and a match of bots checked."""
    put_command(tmp_path / ".venv/bin/giornale")
    _, moved, played, checked = run_blocks(README, service.url, tmp_path, tmp_path)
    assert json.loads(moved)["events"]
    assert played == ""
    [expected] = re.findall(r"^    (right: .+)$", README, re.MULTILINE)
    assert form_of(checked.splitlines()[0]) == form_of(expected)


def test_the_readme_is_short() -> None:
    """The README's picture and its two commands stand on the first screen."""
    assert len(README.splitlines()) <= MOST_LINES
    first_screen = "\n".join(README.splitlines()[:15])
    assert "![" in first_screen
    assert re.findall(r"^    (git clone|make serve)", first_screen, re.MULTILINE) == [
        "git clone",
        "make serve",
    ]


@pytest.mark.skipif(shutil.which("curl") is None, reason="the commands need curl")
def test_the_first_program(service: RunningService, tmp_path: Path) -> None:
    """A match is opened, a move made, the past read, an illegal move explained, a match checked."""
    checkout = tmp_path / "checkout"
    elsewhere = tmp_path / "elsewhere"
    put_command(checkout / ".venv/bin/giornale")
    elsewhere.mkdir()

    printed = run_blocks(FIRST_PROGRAM, service.url, checkout, elsewhere)
    _opened, moved, refused, story, looked_back, played, checked = printed
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
    [expected] = re.findall(r"^    (right: .+)$", FIRST_PROGRAM, re.MULTILINE)
    assert form_of(checked.splitlines()[0]) == form_of(expected)


@pytest.mark.parametrize("guide", ["python", "sign"])
def test_the_programs_of_a_guide(guide: str, service: RunningService, tmp_path: Path) -> None:
    """Each program runs to its end, and the calls named on the page exist."""
    page = (ROOT / f"docs/guides/{guide}.md").read_text(encoding="utf-8")
    programs = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert programs

    for program in programs:
        completed = subprocess.run(
            [sys.executable, "-c", program.replace(URL_IN_THE_README, service.url)],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert completed.returncode == 0, completed.stderr

    names = set(re.findall(r"\b(?:giornale|match|seat|opened|owner|Key)\.(\w+)\(", page))
    classes = (Client, Match, Opened, Key)
    assert {name for name in names if not any(hasattr(one, name) for one in classes)} == set()


def form_of(verdict: str) -> str:
    """Return the line of a verdict without the id of its match and the number of commits."""
    without_id = re.sub(rf"match {MATCH_ID} ", "match ID ", verdict)
    return re.sub(r"\d+ commits", "N commits", without_id)


def put_command(path: Path) -> None:
    """Put the command `giornale` in its place in a checkout."""
    path.parent.mkdir(parents=True)
    path.write_text(f'#!/bin/sh\nexec {shlex.join(COMMAND)} "$@"\n')
    path.chmod(0o700)


@pytest.mark.parametrize("shell", whole_but(["zsh", "fish"], ["bash", "zsh", "fish"]))
def test_the_completion(shell: str) -> None:
    """The line for each shell gets a script that asks for completions, such as a queue."""
    variable = "_GIORNALE_COMPLETE"
    assert COMMANDS.count(f"{variable}={shell}_source giornale") == 1
    script = giornale({variable: f"{shell}_source"})
    assert f"{variable}={shell}_complete" in script

    if shell == "bash":
        words_so_far = {"COMP_WORDS": "giornale worker ", "COMP_CWORD": "2"}
        completions = giornale({variable: "bash_complete", **words_so_far}).split()
        assert completions == [f"plain,{queue}" for queue in QUEUES]


def giornale(environ: dict[str, str]) -> str:
    """Return the command's output in an environment."""
    completed = subprocess.run(
        COMMAND, env=os.environ | environ, capture_output=True, text=True, check=True
    )
    return completed.stdout


def test_the_commands_of_the_reference_exist() -> None:
    """Its tables have every command of `giornale`, and no other."""
    usage = re.compile(r"`giornale ([a-z-]+(?: [a-z]+\b)?)")
    rows = "\n".join(line for line in COMMANDS.splitlines() if line.startswith("| `giornale "))
    commands = {*usage.findall(rows), *re.findall(r"^    giornale ([a-z]+)", HOST, re.MULTILINE)}
    assert {words.split()[0] for words in commands} == {*main.list_commands(click.Context(main))}

    for words in sorted(commands):
        name, *rest = words.split()
        # One that comes with workers is found by its entry point.
        command = main.get_command(click.Context(main), name)
        assert command is not None
        if isinstance(command, click.Group) and rest:
            assert rest[0] in command.commands
