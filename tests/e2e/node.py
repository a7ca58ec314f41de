"""Programs of Node.js, installed as a Python package, and the packages of tests/contract."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CLIENT = ROOT / "tests/contract"
TOOLS = CLIENT / "node_modules/.bin"
NODE = Path(sys.executable).with_name("node")
TIMEOUT_SECONDS = 300


def need_packages() -> None:
    """Skip the test if the packages are not installed. Fail in CI."""
    if not TOOLS.is_dir() and not os.environ.get("CI"):
        advice = "`make test` installs them into tests/contract/node_modules"
        pytest.skip(f"Node's packages are not installed; {advice}")


def run(*command: str | Path, folder: Path = ROOT) -> str:
    """Return a Node program's output. Fail if it fails."""
    path = f"{NODE.parent}{os.pathsep}{os.environ['PATH']}"
    completed = subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env=os.environ | {"PATH": path},
        timeout=TIMEOUT_SECONDS,
        capture_output=True,
        text=True,
        check=False,
    )
    assert completed.returncode == 0, f"{command[0]}: {completed.stdout}{completed.stderr}"
    return completed.stdout
