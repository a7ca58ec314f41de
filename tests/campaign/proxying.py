"""The fault proxy as a child process, and the orders that it is given."""

import subprocess
import sys
from pathlib import Path
from typing import Self

from tests.campaign.proxy import DOORS

ROOT = Path(__file__).parents[2]


class FaultProxy:
    """A running proxy; it ends with `close`, or when this process ends."""

    def __init__(self, directory: Path, address_file: Path) -> None:
        """Start it on sockets in the directory; address_file: holds the server's URL."""
        program = [sys.executable, "-m", "tests.campaign.proxy"]
        self._process = subprocess.Popen(
            [*program, str(directory), str(address_file)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            start_new_session=True,
        )

        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "ready\n"

    def order(self, door: str, mode: str, milliseconds: int = 0) -> None:
        """Put the connections to "journal" or "queue" into a mode of tests.campaign.proxy."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{door} {mode} {milliseconds}\n")
        self._process.stdin.flush()

    def heal(self) -> None:
        """Hand on everything again."""
        for door in DOORS:
            self.order(door, "pass")

    def close(self) -> None:
        """End the proxy."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
