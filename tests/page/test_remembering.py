"""What a browser remembers, as far as it needs no page: run by Node."""

import subprocess
import sys
from pathlib import Path

CHECK = Path(__file__).with_name("remembering.mjs")
NODE = Path(sys.executable).with_name("node")


def test_the_modules_that_remember() -> None:
    """Tokens, and requests without an answer, are handled as `remembering.mjs` says."""
    ran = subprocess.run([NODE, "--test", CHECK], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout
