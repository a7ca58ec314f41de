"""The examples of deployment run: each unit's command under a real server, the container's steps in a directory."""

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from service.jobs.queues import FUNCTIONS, Queues
from service.process.address import free_port
from service.process.server_program import find_program
from tests.deploy.places import CONTAINER, ROOT, SYSTEMD, environment_file, unit
from tests.running import until

START_SECONDS = 90
UNITS = sorted(SYSTEMD.glob("*.service"))


@pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed here"
)
def test_systemd_takes_the_units(tmp_path: Path) -> None:
    """`systemd-analyze verify` has nothing to say of any unit, the programs they start being at hand."""
    for path in SYSTEMD.iterdir():
        if path.suffix in (".service", ".target"):
            text = re.sub(
                r"^ExecStart=\S+", "ExecStart=/bin/true", path.read_text(), flags=re.MULTILINE
            )
            (tmp_path / path.name).write_text(text)
    instance = (tmp_path / "giornale-worker@.service").rename(
        tmp_path / "giornale-worker@bots.service"
    )
    assert instance.exists()
    names = [str(path) for path in sorted(tmp_path.iterdir())]
    command = ["systemd-analyze", "verify", "--man=no", "--recursive-errors=no", *names]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    complaints = [line for line in done.stderr.splitlines() if "giornale" in line]
    assert (done.returncode, complaints) == (0, []), done.stderr


@contextmanager
def process(
    command: list[str], environ: dict[str, str], directory: Path
) -> Iterator[subprocess.Popen[bytes]]:
    """A process, ended gently at the end, and well."""
    started = subprocess.Popen(command, env=environ, cwd=directory, stdout=subprocess.DEVNULL)
    try:
        yield started
    finally:
        started.send_signal(signal.SIGTERM)
        assert started.wait(30) in (0, -signal.SIGTERM)


class Machine:
    """A directory that stands for a machine: paths of the units lead into it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.port = free_port("127.0.0.1", 0)
        for name in ("run", "journal", "data"):
            (root / name).mkdir()
        self.paths = {
            "/run/giornale-journal": str(root / "run"),
            "/var/lib/giornale-journal": str(root / "journal"),
            "/var/lib/giornale": str(root / "data"),
            "/etc/giornale/journal.conf": str(root / "journal.conf"),
            "/usr/bin/valkey-server": str(find_program()),
        }
        (root / "journal.conf").write_text(self.here((SYSTEMD / "journal.conf").read_text()))

    def here(self, text: str) -> str:
        """Return a text with paths of this machine; the longest first, since some begin with others."""
        for path in sorted(self.paths, key=len, reverse=True):
            text = text.replace(path, self.paths[path])
        return text

    @property
    def environ(self) -> dict[str, str]:
        """What the units' environment file says, with this machine's paths and a free port."""
        plain = {
            name: value for name, value in os.environ.items() if not name.startswith("GIORNALE_")
        }
        told = {name: self.here(value) for name, value in environment_file().items()}
        return plain | told | {"GIORNALE_PORT": str(self.port)}

    def command(self, path: Path, instance: str = "") -> list[str]:
        """Return what a unit starts."""
        [line] = unit(path)["ExecStart"]
        program, *arguments = shlex.split(self.here(line.replace("%i", instance)))
        if program == "/opt/giornale/bin/giornale":
            return [sys.executable, "-m", "service.cli", *arguments]
        return [program, *arguments]


def in_time(condition: Callable[[], bool], what: str) -> None:
    """Wait for a condition, longer than elsewhere: six processes start at once."""
    deadline, pause = time.monotonic() + START_SECONDS, threading.Event()
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        pause.wait(0.1)


def answers(url: str) -> int:
    """Return the status of an answer, 0 if nobody answers."""
    try:
        with urllib.request.urlopen(url, timeout=2) as answer:  # noqa: S310 - an address of this test
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return 0


def test_the_units_start_a_service_that_is_ready(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Every ExecStart, with the units' settings, run as it stands: together they are a service that is ready."""
    machine = Machine(tmp_path_factory.mktemp("m"))
    environ, root = machine.environ, machine.root
    [journal] = [path for path in UNITS if path.name == "giornale-journal.service"]
    others = [path for path in UNITS if path != journal]
    commands = [
        machine.command(path, instance)
        for path in others
        for instance in (FUNCTIONS if "@" in path.name else [""])
    ]
    assert len(commands) == len(FUNCTIONS) + 2
    with process(machine.command(journal), environ, root):
        until((root / "run/server.sock").exists, "the journal's socket")
        with ExitStack() as stack:
            started = [stack.enter_context(process(command, environ, root)) for command in commands]
            url = f"http://127.0.0.1:{machine.port}/readyz"
            in_time(lambda: answers(url) == 200, "readiness")
            queues = Queues(environ["GIORNALE_QUEUE_URL"])
            assert all(len(names) == 1 for names in queues.workers().values())
            queues.redis.close()
            for one in started:
                one.send_signal(signal.SIGTERM)


def test_the_containers_steps_make_a_service(redis_url: str, tmp_path: Path) -> None:
    """The wheel of exactly what the Containerfile copies, installed apart, serves as `giornale web`."""
    containerfile = (CONTAINER / "Containerfile").read_text()
    source, target, data = tmp_path / "source", tmp_path / "target", tmp_path / "data"
    source.mkdir()
    for line in re.findall(r"^COPY (?!--from)(.+) \S+$", containerfile, re.MULTILINE):
        for name in line.split():
            if (ROOT / name).is_dir():
                shutil.copytree(
                    ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__")
                )
            else:
                shutil.copy(ROOT / name, source / name)

    assert "--no-deps --no-build-isolation ." in containerfile
    install = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "--no-index",
    ]
    subprocess.run(
        [*install, "--target", str(target), str(source)], check=True, capture_output=True
    )

    settings = dict(re.findall(r"(GIORNALE_\w+)=(\S+)", containerfile))
    port = free_port("127.0.0.1", 0)
    changed = {"GIORNALE_DATA": str(data), "GIORNALE_HOST": "127.0.0.1", "GIORNALE_PORT": str(port)}
    assert settings.keys() == changed.keys()
    plain = {name: value for name, value in os.environ.items() if not name.startswith("GIORNALE_")}
    environ = plain | changed | {"GIORNALE_JOURNAL_URL": redis_url, "PYTHONPATH": str(target)}
    entry = "import sys, service, service.cli.commands; print(service.__file__, flush=True); sys.exit(service.cli.commands.main())"
    [default] = re.findall(r'^CMD \["(\w+)"\]$', containerfile, re.MULTILINE)
    asked = [sys.executable, "-P", "-c", entry, "--version"]
    where = subprocess.run(
        asked, env=environ, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert where.stdout.startswith(str(target))
    with process([sys.executable, "-P", "-c", entry, default], environ, tmp_path):
        in_time(lambda: answers(f"http://127.0.0.1:{port}/livez") == 200, "the web process")
        assert answers(f"http://127.0.0.1:{port}/v1/games") == 200
        assert answers(f"http://127.0.0.1:{port}/readyz") == 503, "no worker runs"
