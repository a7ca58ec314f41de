"""A server of Redis or Valkey on its own port, for a test to stop, kill and start again."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from service.ops.process.preflight import free_port
from service.ops.process.server_files import find_program
from tests.running import until

HOST = "127.0.0.1"
ANSWER_SECONDS = 15.0  # the time until a server counts as hanging

# The journal's requirements, and quick replication of writes.
SAFE = {
    "bind": HOST,
    "daemonize": "no",
    "appendonly": "yes",
    "appendfsync": "always",
    "maxmemory-policy": "noeviction",
    "save": '""',
    "repl-diskless-sync-delay": "0",
    "repl-ping-replica-period": "1",
}

# Linux ends the server when the tests end, however they end.
_END_WITH_PARENT = """
import ctypes, os, sys
if sys.platform == "linux":
    ctypes.CDLL(None).prctl(1, 9)  # PR_SET_PDEATHSIG, SIGKILL
os.execv(sys.argv[1], sys.argv[1:])
"""


def free_ports(count: int) -> list[int]:
    """Return unused ports, all different."""
    ports: set[int] = set()
    while len(ports) < count:
        ports.add(free_port(HOST, 0))
    return list(ports)


class Node:
    """One server. It may be started again after it was killed."""

    def __init__(
        self, directory: Path, port: int, settings: Mapping[str, str], *options: str
    ) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self.port = port
        self._directory = directory
        self._options = options
        self._process: subprocess.Popen[bytes] | None = None

        lines = [f"{name} {value}\n" for name, value in settings.items()]
        self._config = directory / "node.conf"
        self._config.write_text("".join([f"port {port}\n", f'dir "{directory}"\n', *lines]))

    @property
    def name(self) -> str:
        """Host and port, as errors name it."""
        return f"{HOST}:{self.port}"

    def client(self, **options: Any) -> Any:
        """Return a plain client of this server alone."""
        return Redis(
            host=HOST,
            port=self.port,
            retry=Retry(NoBackoff(), 0),
            socket_timeout=ANSWER_SECONDS,
            decode_responses=True,
            **options,
        )

    def ask(self, *command: object) -> Any:
        """Return the answer to one command."""
        with self.client() as client:
            return client.execute_command(*command)

    def start(self) -> None:
        """Start the server. It may not answer yet."""
        starter = [sys.executable, "-I", "-S", "-c", _END_WITH_PARENT]
        command = [str(find_program()), str(self._config), *self._options]
        with (self._directory / "node.log").open("ab") as log_file:
            self._process = subprocess.Popen(
                [*starter, *command],
                stdin=subprocess.DEVNULL,
                stdout=log_file,
                stderr=log_file,
                start_new_session=True,
            )

    def wait_until_it_answers(self) -> None:
        """Wait until the server answers."""
        until(self._answers, f"an answer of {self.name}")

    def _answers(self) -> bool:
        try:
            return bool(self.ask("PING"))
        except RedisError:
            return False

    def signal(self, number: signal.Signals) -> None:
        """Send the server a signal, such as SIGSTOP."""
        assert self._process is not None
        os.kill(self._process.pid, number)

    def kill(self) -> None:
        """End the server at once, as a power cut would."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
