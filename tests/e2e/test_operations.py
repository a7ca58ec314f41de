"""The commands of the guides for operators, typed in as they stand there."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tests.e2e.playing import client, to_end
from tests.running import environment, running_service

GUIDES = Path(__file__).parents[2] / "docs/guides"
# In this order: later pages use files of earlier ones.
PAGES = ("backup", "archive", "upgrade", "cluster", "capacity", "monitor", "troubles")
URL_IN_THE_PAGE = "http://127.0.0.1:8000"
NOT_RUN = "# Not run by the tests: "
MOST_NOT_RUN = 4

BOTS = [{"kind": "bot", "level": "random"}] * 2
HUMANS = [{"kind": "human"}] * 2


def blocks() -> list[str]:
    """Return every block of commands."""
    block = re.compile(r"^```sh\n(.*?)^```", re.DOTALL | re.MULTILINE)
    texts = [(GUIDES / f"{page}.md").read_text(encoding="utf-8") for page in PAGES]
    return [part for text in texts for part in block.findall(text)]


def test_blocks_that_are_not_run_give_a_reason() -> None:
    """Blocks that no test can run are few, and their first line gives the reason."""
    first_lines = [block.splitlines()[0] for block in blocks() if "Not run" in block]

    assert len(first_lines) <= MOST_NOT_RUN
    assert all(re.fullmatch(NOT_RUN + r"it .+\.", line) for line in first_lines)


@pytest.fixture
def command_directory(tmp_path: Path) -> Path:
    """A directory with a command `giornale`, as an installation has one."""
    directory = tmp_path / "bin"
    directory.mkdir()
    command = directory / "giornale"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -P -m workers.giornale "$@"\n')
    command.chmod(0o700)
    return directory


@pytest.mark.whole
@pytest.mark.skipif(shutil.which("curl") is None, reason="the commands need curl")
def test_the_commands_of_the_guides(tmp_path: Path, command_directory: Path) -> None:
    """Each block succeeds in turn: backup, check, restore, merge, export, metrics, keys."""
    data = tmp_path / "data"
    runnable = [block for block in blocks() if not block.startswith(NOT_RUN)]
    assert len(runnable) >= 6

    with running_service(data) as service:
        with client(service) as asker:
            ended_match = open_match(asker, BOTS)
            begun_match = open_match(asker, HUMANS)
            to_end(asker, ended_match)

        commands = "\n".join(runnable).replace(URL_IN_THE_PAGE, service.url)
        path = f"{command_directory}:{os.environ['PATH']}"
        completed = subprocess.run(
            ["/bin/sh", "-c", f"set -eu\n{commands}"],
            cwd=tmp_path,
            env=environment(GIORNALE_DATA=str(data), PATH=path),
            capture_output=True,
            text=True,
            check=False,
        )

    output = completed.stdout
    assert completed.returncode == 0, output + completed.stderr
    assert "2 matches restored" in output
    assert "0 matches restored, 0 marks of deleted ones, 2 existed already" in output
    assert "2 records written" in output
    assert re.search(r"^giornale_journal_commits_total [1-9]", output, re.MULTILINE)
    assert '"worker_bots":"ok"' in output.replace(" ", "")

    records = {path.stem for path in (tmp_path / "records").iterdir()}
    assert records == {ended_match, begun_match}
    assert (tmp_path / "restored/secret").read_bytes() == (data / "secret").read_bytes()


def open_match(asker: httpx.Client, seats: list[dict[str, str]]) -> str:
    """Open a match and return its id."""
    answer = asker.post("/v1/matches", json={"game": "firenze", "seats": seats})
    match: str = answer.raise_for_status().json()["match"]
    return match
