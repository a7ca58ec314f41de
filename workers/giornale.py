"""The program `giornale`: the commands of the service, and the programs that they start.

`python -m workers.giornale` runs the program without an installed script.
"""

import os
import sys
from collections.abc import Callable
from typing import NoReturn

from service.ops import cli
from service.ops.process.programs import MakeApp, Programs


def main() -> None:
    """Run the command named on the command line."""
    cli.main(PROGRAMS)


def load_app() -> MakeApp:
    """Load the modules of a web process, and return the function that makes the app."""
    from service.app import create_app

    return create_app


def load_worker() -> Callable[[str], int]:
    """Load the modules of a worker, and return the function that runs a worker."""
    from workers import __main__ as worker_main

    return worker_main.run


def become_worker(kind: str) -> NoReturn:
    """Replace this process by a worker of a kind. The worker shares no memory with its parent."""
    # -P keeps Python from importing files of the current directory.
    command = [sys.executable, "-P", "-m", "workers", kind]
    os.execv(sys.executable, command)  # noqa: S606 - no shell is wanted


PROGRAMS = Programs(load_app, load_worker, become_worker)

if __name__ == "__main__":
    main()
