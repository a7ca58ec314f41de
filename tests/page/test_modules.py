"""The pages' modules, as far as they need no page: run by Node."""

import subprocess
import sys
from pathlib import Path

NODE = Path(sys.executable).with_name("node")
TESTS = sorted(Path(__file__).parent.glob("*.test.mjs"))


def test_modules_without_a_page() -> None:
    """They do what the tests in the files beside this one say."""
    command = [str(NODE), "--test", *map(str, TESTS)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout
