"""Going through a match and following it live, as far as it needs no page: run by Node."""

import subprocess
import sys
from pathlib import Path

CHECK = Path(__file__).with_name("following.mjs")
NODE = Path(sys.executable).with_name("node")


def test_the_modules_for_following_a_match() -> None:
    """Versions, frames, story, stream and tokens are handled as `following.mjs` says."""
    ran = subprocess.run([NODE, "--test", CHECK], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout
