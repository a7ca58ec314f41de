"""The program `giornale`: it hands workers to commands that know none."""

import subprocess
import sys

from service.app import create_app
from tests.checkout import ROOT
from workers import __main__ as worker_main
from workers.giornale import PROGRAMS


def test_the_commands_of_processes_load_no_worker() -> None:
    """Their module imports neither `workers` nor `service.app`."""
    program = "import sys, service.ops.cli.processes; print(*sys.modules)"
    command = [sys.executable, "-c", program]
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    loaded = printed.split()
    assert not [name for name in loaded if name.partition(".")[0] == "workers"]
    assert "service.app" not in loaded


def test_the_program_hands_over_the_code_of_its_children() -> None:
    """The supervisor runs this code in its children."""
    assert PROGRAMS.load_app() is create_app
    assert PROGRAMS.load_worker() is worker_main.run
