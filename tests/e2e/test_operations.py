"""The commands of docs/operations.md, typed in as they stand there."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.playing import client, to_end
from tests.running import running_service

OPERATIONS = Path(__file__).parents[2] / "docs/operations.md"
NOT_RUN = "# Not run by the tests: "
BOTS = [{"kind": "bot", "level": "random"}] * 2
HUMANS = [{"kind": "human"}, {"kind": "human"}]


def blocks() -> list[str]:
    """Return every block of commands."""
    return re.findall(
        r"^```sh\n(.*?)^```", OPERATIONS.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )


def test_what_is_not_run_says_why() -> None:
    """Blocks that no test can run are few, and their first line gives the reason to whoever reads them."""
    left_out = [block.splitlines()[0] for block in blocks() if "Not run" in block]
    assert len(left_out) <= 4
    assert all(re.fullmatch(NOT_RUN + r"it .+\.", line) for line in left_out)


@pytest.mark.skipif(shutil.which("curl") is None, reason="the commands need curl")
def test_the_commands_of_the_operations_page(tmp_path: Path) -> None:
    """Each succeeds in turn beside a running service: backup, check, restore, merge, export, metrics, keys."""
    commands = tmp_path / "bin"
    commands.mkdir()
    shim = commands / "giornale"
    shim.write_text(f'#!/bin/sh\nexec "{sys.executable}" -P -m service.cli "$@"\n')
    shim.chmod(0o700)
    plain = {name: value for name, value in os.environ.items() if not name.startswith("GIORNALE_")}
    environ = plain | {
        "GIORNALE_DATA": str(tmp_path / "data"),
        "PATH": f"{commands}:{os.environ['PATH']}",
    }
    runnable = [block for block in blocks() if not block.startswith(NOT_RUN)]
    assert len(runnable) >= 6

    with running_service(tmp_path / "data") as running:
        with client(running) as asker:
            opened = [
                asker.post("/v1/matches", json={"game": "firenze", "seats": seats})
                for seats in (BOTS, HUMANS)
            ]
            ended, begun = [answer.raise_for_status().json()["id"] for answer in opened]
            to_end(asker, ended)
        script = "set -eu\n" + "\n".join(runnable).replace("http://127.0.0.1:8000", running.url)
        command = ["/bin/sh", "-c", script]
        done = subprocess.run(
            command, cwd=tmp_path, env=environ, capture_output=True, text=True, check=False
        )

    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 matches restored" in done.stdout
    assert "0 matches restored, 0 marks of deleted ones, 2 there already" in done.stdout
    assert "2 records written" in done.stdout
    assert {path.stem for path in (tmp_path / "records").iterdir()} == {ended, begun}
    assert (tmp_path / "restored/secret").read_bytes() == (tmp_path / "data/secret").read_bytes()
    assert re.search(r"^giornale_journal_commits_total [1-9]", done.stdout, re.MULTILINE)
    assert '"worker_bots":"ok"' in done.stdout.replace(" ", "")
