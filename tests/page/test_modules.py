"""The pages' modules, as far as they need no page: run by Node."""

import subprocess
import sys
from pathlib import Path

import pytest

NODE = Path(sys.executable).with_name("node")
CHECKS = (
    "advising",
    "auditing",
    "following",
    "making",
    "naming",
    "opening",
    "remembering",
    "weighing",
)


@pytest.mark.parametrize("name", CHECKS)
def test_modules_without_a_page(name: str) -> None:
    """They do what the tests in the file of this name say."""
    check = Path(__file__).with_name(f"{name}.mjs")
    ran = subprocess.run([NODE, "--test", check], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout
