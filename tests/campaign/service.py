"""The service under test: `giornale serve` and all its processes, kept running as by init.

Whenever `giornale serve` ends it is started again, as systemd would do.
"""

import mmap
import os
import shutil
import signal
import struct
import subprocess
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Self

from redis import Redis

from tests.running import COMMAND, environment, processes, until


def send(pid: int, number: signal.Signals) -> bool:
    """Send a signal. Return True if the process was there."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return False
    return True


class Stopped:
    """A process that stands still until it is told to go on."""

    def __init__(self, pid: int) -> None:
        """Stop the process. Raises ProcessLookupError if it has gone."""
        self._pid = pid
        os.kill(pid, signal.SIGSTOP)

    def go_on(self) -> None:
        """Let the process go on, if it still exists. A running process is not changed."""
        with suppress(ProcessLookupError, PermissionError):
            os.kill(self._pid, signal.SIGCONT)


CLOCK_FILE = "clock"
PLACES = {"web": 0, "workers": 1}  # place in the file: an offset for each kind of process
_NUMBER = struct.Struct("<q")


class Clocks:
    """A file that tells the processes of the service how wrong their clocks are."""

    def __init__(self, directory: Path) -> None:
        self.path = directory / CLOCK_FILE
        size = _NUMBER.size * len(PLACES)
        self.path.write_bytes(bytes(size))
        with self.path.open("r+b") as file:
            self._offsets = mmap.mmap(file.fileno(), size)

    def move(self, place: str, milliseconds: int) -> None:
        """Set how far the clocks of one kind of process are ahead. Below 0: behind."""
        _NUMBER.pack_into(self._offsets, PLACES[place] * _NUMBER.size, milliseconds)

    def set_right(self) -> None:
        """Set all clocks right."""
        for place in PLACES:
            self.move(place, 0)

    def close(self) -> None:
        """Release the file."""
        self._offsets.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


IMAGE_FILE = "disk.img"
FILLER_FILE = "filler"
MEBIBYTE = 1024 * 1024
_SMALLEST_PIECE = 4096


class NoDisk(Exception):
    """There can be no small disk here. The message says why."""


class Disk:
    """A mounted disk of so many MiB at a directory. Raises NoDisk."""

    def __init__(self, directory: Path, mount_point: Path, mebibytes: int) -> None:
        if os.geteuid() != 0:
            raise NoDisk("only root may mount a disk")

        self.mount_point = mount_point
        self._filler = mount_point / FILLER_FILE

        image = directory / IMAGE_FILE
        with image.open("wb") as file:
            file.truncate(mebibytes * MEBIBYTE)

        mount_point.mkdir(parents=True, exist_ok=True)
        _run("mkfs.ext4", "-q", "-m", "0", str(image))
        _run("mount", "-o", "loop", str(image), str(mount_point))

    def fill(self) -> None:
        """Fill the disk until not even 4 KiB can be allocated."""
        position = 0
        piece = shutil.disk_usage(self.mount_point).free
        while piece >= _SMALLEST_PIECE:
            place = ("--offset", str(position), "--length", str(piece))
            try:
                _run("fallocate", *place, str(self._filler))
                position += piece
            except NoDisk:
                piece //= 2

    def drain(self) -> None:
        """Free the space taken by `fill`."""
        self._filler.unlink(missing_ok=True)

    def close(self) -> None:
        """Unmount the disk."""
        with suppress(NoDisk):
            _run("umount", "--lazy", str(self.mount_point))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _run(*command: str) -> None:
    """Run a command of the system. Raises NoDisk with its output."""
    program = shutil.which(command[0])
    if program is None:
        raise NoDisk(f"there is no {command[0]}")

    completed = subprocess.run([program, *command[1:]], capture_output=True, text=True, check=False)
    if completed.returncode:
        raise NoDisk(f"{command[0]}: {completed.stderr.strip()}")


HOST = "127.0.0.1"
LOG_FILE = "service.log"
INJECTED = Path(__file__).parent / "injected"
ROOT = Path(__file__).parents[2]

# The parts that can be killed and stopped.
SUPERVISOR = "supervisor"
JOURNAL = "journal"
WEB = "web"
JOB = "job"
WORKERS = ("house", "bots", "exhibitions", "audits", "advice", "hooks", "scheduler")
PARTS = (SUPERVISOR, JOURNAL, WEB, *WORKERS, JOB)

_START_AGAIN_SECONDS = 0.3
_LOOK_SECONDS = 0.05
_PROBE_SECONDS = 2
_OK = 200


@dataclass(frozen=True, slots=True)
class Ended:
    """`giornale serve` has ended: the time, the exit code, and True if it was killed."""

    at: float
    code: int
    killed: bool


class CampaignService:
    """Runs `giornale serve` on a directory until it is closed."""

    def __init__(self, directory: Path, data: Path, port: int, **settings: str) -> None:
        self.port = port
        self.data = data
        self.ends: list[Ended] = []
        self._environment = environment(
            GIORNALE_DATA=str(data),
            GIORNALE_PORT=str(port),
            **settings,
        )
        python_path = [str(INJECTED), str(ROOT)]
        self._environment["PYTHONPATH"] = os.pathsep.join(python_path)
        self._log = (directory / LOG_FILE).open("ab")
        self._stopping = threading.Event()
        self._killed: set[int] = set()

        self.process = self._start()
        self._watcher = threading.Thread(target=self._keep_running, name="init")
        self._watcher.start()

    @property
    def address_file(self) -> Path:
        """The file that holds the URL of the bundled server."""
        return self.data / "journal" / "server.url"

    def pids(self, part: str) -> list[int]:
        """Return the ids of the processes of a part, an empty list while it is away."""
        if part == SUPERVISOR:
            return [self.process.pid] if self.process.poll() is None else []
        return self.all_pids().get(part, [])

    def all_pids(self) -> dict[str, list[int]]:
        """Return the ids of all processes below the supervisor by their parts."""
        listed = processes()
        pids: defaultdict[str, list[int]] = defaultdict(list)
        for pid, (parent, arguments) in listed.items():
            if parent == self.process.pid:
                part = _part_of(arguments)
                pids[part].append(pid)

        workers = {pid for part in WORKERS for pid in pids[part]}
        for pid, (parent, _arguments) in listed.items():
            if parent in workers:
                pids[JOB].append(pid)
        return pids

    def kill(self, part: str, choose: Callable[[list[int]], int]) -> bool:
        """SIGKILL one process of a part. Return True if there was one."""
        pids = self.pids(part)
        if not pids:
            return False

        pid = choose(sorted(pids))
        self._killed.add(pid)
        return send(pid, signal.SIGKILL)

    def answers(self, path: str) -> bool:
        """Return True if a request is answered with 200."""
        connection = HTTPConnection(HOST, self.port, timeout=_PROBE_SECONDS)
        try:
            connection.request("GET", path)
            return connection.getresponse().status == _OK
        except (OSError, HTTPException):
            return False
        finally:
            connection.close()

    def wait_until_ready(self, seconds: float) -> None:
        """Wait until `/readyz` is answered with 200. Raises AssertionError after some seconds."""
        until(lambda: self.answers("/readyz"), "readiness", seconds)

    def redis(self, database: int = 0, seconds: float = _PROBE_SECONDS) -> "Redis":
        """Return a client of the bundled server itself, past the proxy."""
        url = f"{self.address_file.read_text()}?db={database}"
        return Redis.from_url(url, socket_timeout=seconds)

    def close(self) -> None:
        """End the service gently, and by force if it does not end."""
        self._stopping.set()
        self._watcher.join()
        self.process.terminate()
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._log.close()

    def _start(self) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            [*COMMAND, "serve"],
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=self._log,
            start_new_session=True,
        )

    def _keep_running(self) -> None:
        """Start the supervisor again whenever it has ended."""
        while not self._stopping.wait(_LOOK_SECONDS):
            code = self.process.poll()
            if code is None:
                continue

            killed = self.process.pid in self._killed
            self.ends.append(Ended(time.monotonic(), code, killed))
            if not self._stopping.wait(_START_AGAIN_SECONDS):
                self.process = self._start()


def _part_of(arguments: str) -> str:
    """Return the part of a supervisor's child, by its command line."""
    if "-server " in arguments:
        return JOURNAL
    words = arguments.split()
    return words[-1] if words else ""
