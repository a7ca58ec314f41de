"""The service under test: `giornale serve` and all its processes, kept running like by an init.

Whenever `giornale serve` ends it is started again, as systemd would do.
"""

import os
import signal
import subprocess
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from pathlib import Path

from redis import Redis

from tests.campaign.signals import send
from tests.running import COMMAND, environment, forkservers, processes, until

HOST = "127.0.0.1"
LOG_FILE = "service.log"
INJECTED = Path(__file__).parent / "injected"
ROOT = Path(__file__).parents[2]

# The parts that can be killed and stopped.
SUPERVISOR = "supervisor"
JOURNAL = "journal"
WEB = "web"
WEB_PROCESS = "web process"
WEB_TITLE = "giornale web worker"
JOB = "job"
FORKS = "forkserver"
WORKERS = ("scoring", "bots", "exhibitions", "audits", "advice", "keeper")
PARTS = (SUPERVISOR, FORKS, JOURNAL, WEB, WEB_PROCESS, *WORKERS, JOB)

_START_AGAIN_SECONDS = 0.3
_LOOK_SECONDS = 0.05
_PROBE_SECONDS = 2
_OK = 200


@dataclass(frozen=True, slots=True)
class Ended:
    """`giornale serve` has ended: when, with which exit code, and whether it was killed."""

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
        self._webs: set[int] = set()

        self.process = self._start()
        self._watcher = threading.Thread(target=self._keep_running, name="init")
        self._watcher.start()

    @property
    def address_file(self) -> Path:
        """The file that holds the URL of the bundled server."""
        return self.data / "journal" / "server.url"

    def pids(self, part: str) -> list[int]:
        """Return the ids of the processes of a part; none while it is away."""
        if part == SUPERVISOR:
            return [self.process.pid] if self.process.poll() is None else []
        return self.all_pids().get(part, [])

    def all_pids(self) -> dict[str, list[int]]:
        """Return the ids of all processes below the supervisor by their parts."""
        listed = processes()
        found: defaultdict[str, list[int]] = defaultdict(list)
        parents = {self.process.pid, *forkservers(listed, self.process.pid)}
        for pid, (parent, arguments) in listed.items():
            if parent in parents:
                part = _part_of(arguments)
                found[part].append(pid)

        self._webs.update(found[WEB])
        workers = {pid for part in WORKERS for pid in found[part]}
        for pid, (parent, arguments) in listed.items():
            if parent in workers:
                found[JOB].append(pid)
            elif self._is_web_process(pid, arguments):
                found[WEB_PROCESS].append(pid)
        return found

    def _is_web_process(self, pid: int, arguments: str) -> bool:
        """Return whether this is a web process of ours, also one that has outlived its parent.

        It stays in the session of the web that has started it.
        """
        if pid in self._webs or not arguments.startswith(WEB_TITLE):
            return False
        try:
            return os.getsid(pid) in self._webs
        except ProcessLookupError:
            return False

    def kill(self, part: str, choose: Callable[[list[int]], int]) -> bool:
        """SIGKILL one process of a part; return whether there was one."""
        pids = self.pids(part)
        if not pids:
            return False

        pid = choose(sorted(pids))
        self._killed.add(pid)
        return send(pid, signal.SIGKILL)

    def answers(self, path: str) -> bool:
        """Return whether a probe is answered well."""
        connection = HTTPConnection(HOST, self.port, timeout=_PROBE_SECONDS)
        try:
            connection.request("GET", path)
            return connection.getresponse().status == _OK
        except (OSError, HTTPException):
            return False
        finally:
            connection.close()

    def wait_until_ready(self, seconds: float) -> None:
        """Wait until `/readyz` is answered well; fails after some seconds."""
        until(lambda: self.answers("/readyz"), "readiness", seconds)

    def redis(self, database: int = 0, seconds: float = _PROBE_SECONDS) -> "Redis":
        """Return a client of the bundled server itself, past the proxy."""
        url = f"{self.address_file.read_text()}?db={database}"
        return Redis.from_url(url, socket_timeout=seconds)

    def close(self) -> None:
        """End the service gently, and by force where it does not end."""
        self._stopping.set()
        self._watcher.join()
        self.process.terminate()
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._log.close()

        # Web processes whose supervisor was killed may serve on for a while.
        for pid in self.all_pids().get(WEB_PROCESS, []):
            send(pid, signal.SIGKILL)

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
    """Return which part a child of the supervisor is, by its command line."""
    if "-server " in arguments:
        return JOURNAL
    words = arguments.split()
    return words[-1] if words else ""
