"""The systemd units: systemd accepts them, and they start a service that gets ready."""

import re
import shlex
import shutil
import signal
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from service.ops.process.preflight import free_port
from service.ops.process.server_files import find_program
from service.store.jobs.queues import Queues
from service.store.jobs.table import QUEUES
from tests.deploy.places import SYSTEMD, environment_file, unit
from tests.deploy.processes import process, status_of
from tests.running import environment, until

UNITS = sorted(SYSTEMD.glob("*.service"))
JOURNAL = SYSTEMD / "giornale-journal.service"
PROGRAM = re.compile(r"^ExecStart=\S+", re.MULTILINE)
GIORNALE = "/opt/giornale/bin/giornale"
HOST = "127.0.0.1"


@pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed here"
)
def test_systemd_accepts_the_units(tmp_path: Path) -> None:
    """`systemd-analyze verify` finds nothing wrong, if the programs that they start are there."""
    for path in [*UNITS, SYSTEMD / "giornale.target"]:
        # systemd-analyze takes no templates, so one becomes an instance.
        name = path.name.replace("@.", "@bots.")
        text = PROGRAM.sub("ExecStart=/bin/true", path.read_text())
        (tmp_path / name).write_text(text)

    units = list(map(str, tmp_path.iterdir()))
    assert len(units) == 5
    command = ["systemd-analyze", "verify", "--man=no", "--recursive-errors=no", *units]
    completed = subprocess.run(command, capture_output=True, text=True, check=False)

    complaints = [line for line in completed.stderr.splitlines() if "giornale" in line]
    assert (completed.returncode, complaints) == (0, []), completed.stderr


class Machine:
    """A directory that stands for a machine: the paths in the units lead into it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.port = free_port(HOST, 0)
        for name in ("run", "journal", "data"):
            (root / name).mkdir()

        # The longest path first, since some begin with others.
        self._paths = {
            "/run/giornale-journal": root / "run",
            "/var/lib/giornale-journal": root / "journal",
            "/var/lib/giornale": root / "data",
            "/etc/giornale/journal.conf": root / "journal.conf",
            "/usr/bin/valkey-server": find_program(),
        }
        configuration = (SYSTEMD / "journal.conf").read_text()
        (root / "journal.conf").write_text(self._here(configuration))

        settings = {name: self._here(value) for name, value in environment_file().items()}
        self.environ = environment(**settings | {"GIORNALE_PORT": str(self.port)})

    def _here(self, text: str) -> str:
        """Return a text with the paths of this machine."""
        for path, place in self._paths.items():
            text = text.replace(path, str(place))
        return text

    def command(self, path: Path, instance: str = "") -> list[str]:
        """Return a unit's command."""
        [line] = unit(path)["ExecStart"]
        program, *arguments = shlex.split(self._here(line.replace("%i", instance)))
        if program == GIORNALE:
            return [sys.executable, "-m", "workers.giornale", *arguments]
        return [program, *arguments]

    def commands_of_the_service(self) -> list[list[str]]:
        """Return the commands of all units but the journal's, the worker once for each queue."""
        return [
            self.command(path, instance)
            for path in UNITS
            if path != JOURNAL
            for instance in (QUEUES if "@" in path.name else [""])
        ]


@pytest.mark.whole
def test_the_units_start_a_service_that_is_ready(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Every ExecStart runs with this machine's paths and the units' settings. All get ready."""
    # The path of a socket must be short, so this is not tmp_path.
    machine = Machine(tmp_path_factory.mktemp("m"))
    environ = machine.environ
    commands = machine.commands_of_the_service()
    assert len(commands) == len(QUEUES) + 2

    with process(machine.command(JOURNAL), environ, machine.root), ExitStack() as stack:
        until((machine.root / "run/server.sock").exists, "the journal's socket")
        started = [
            stack.enter_context(process(command, environ, machine.root)) for command in commands
        ]
        ready = f"http://{HOST}:{machine.port}/readyz"
        until(lambda: status_of(ready) == 200, "readiness")

        queues = Queues(environ["GIORNALE_QUEUE_URL"], b"s" * 32)
        everybody = [1] * len(QUEUES)
        until(
            lambda: [len(names) for names in queues.workers().values()] == everybody,
            "one worker for each queue",
        )
        queues.redis.close()

        # All at once, so that they need not end one after the other.
        for each in started:
            each.send_signal(signal.SIGTERM)
