"""The README's first match, typed in as it stands there."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.service.running import house

README = Path(__file__).parents[2] / "README.md"


@pytest.mark.skipif(shutil.which("curl") is None, reason="the README's commands need curl")
def test_the_readmes_first_match(tmp_path: Path) -> None:
    """Every command succeeds: a match is opened, a move made, history and past read, an illegal move explained."""
    blocks = re.findall(r"```sh\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) >= 4
    with house(tmp_path / "data") as running:
        script = "set -eu\n" + "\necho; echo ====\n".join(blocks).replace("http://127.0.0.1:8000", running.url)
        done = subprocess.run(["sh", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)  # noqa: S607
    answers = [part.strip() for part in done.stdout.split("====")]
    assert json.loads(answers[1])["events"], "the move was made"
    assert json.loads((tmp_path / "match.json").read_text())["game"] == "calimala"
    history, mine, public = [json.loads(line) for line in re.sub(r"\}\s*\{", "}\n{", answers[2]).splitlines()]
    assert history["commits"][0]["version"] == mine["version"] == public["version"] == 1
    assert (mine["seat"], public["seat"]) == (0, None)
    refusal = json.loads(answers[3])
    assert refusal["rule"].startswith("C")
    assert refusal["detail"]
