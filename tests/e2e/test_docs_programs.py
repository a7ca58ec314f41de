"""The programs at the beginning of the documentation, run as they stand there."""

import html
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from tests.e2e.playing import client
from tests.running import PATIENCE, RunningService, until

NODE = Path(sys.executable).with_name("node")
SERVER = "http://127.0.0.1:8000"
PROGRAMS: dict[str, tuple[str, Sequence[str | Path]]] = {
    "curl": ("play.sh", ["/bin/sh", "-eu"]),
    "Python": ("play.py", [sys.executable, "-u"]),
    "TypeScript": ("play.ts", [NODE]),
}
STEPS = 4
# The first two commits, as the last step prints them: the opening, and the move of the program.
FOLLOWED = {
    "curl": r'"version":1,.*"actor":"owner"[\s\S]*"version":2,.*"actor":"seat:0"',
    "Python": r"^1 owner\n2 seat:0$",
    "TypeScript": r"^1 owner\n2 seat:0$",
}


def program_of(page: str, language: str) -> str:
    """Return the steps of a program, joined."""
    steps = re.findall(f'<pre [^>]*data-language="{language}">(.*?)</pre>', page, re.DOTALL)
    assert len(steps) == STEPS
    return html.unescape("\n".join(steps))


HAS_TOOLS = shutil.which("curl") and shutil.which("jq")
OF_CURL = pytest.mark.skipif(not HAS_TOOLS, reason="the program in sh needs curl and jq")


@pytest.mark.parametrize("language", [pytest.param("curl", marks=OF_CURL), "Python", "TypeScript"])
def test_a_program_of_the_documentation_plays(
    service: RunningService, tmp_path: Path, language: str
) -> None:
    """A program opens a match, lists its moves, makes one and follows the match."""
    name, command = PROGRAMS[language]
    with client(service) as asker:
        text = program_of(asker.get("/docs").text, language)
        (tmp_path / "giornale_client.py").write_text(asker.get("/client.py").text)
    assert SERVER in text
    (tmp_path / name).write_text(text.replace(SERVER, service.url))

    printed = tmp_path / "printed.txt"
    with printed.open("w") as output:
        program = subprocess.Popen(
            [*command, name],
            cwd=tmp_path,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        until(
            lambda: (
                re.search(FOLLOWED[language], printed.read_text(), re.MULTILINE)
                or program.poll() is not None
            ),
            "the move in the stream",
        )
        assert program.poll() is None, printed.read_text()
    finally:
        with suppress(ProcessLookupError):
            os.killpg(program.pid, signal.SIGKILL)
        program.wait(PATIENCE)

    assert "take_card" in printed.read_text()
