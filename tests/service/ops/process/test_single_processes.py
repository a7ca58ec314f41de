"""Single processes: they log when they are ready, and stop at once when told to."""

import json
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.running import COMMAND, PATIENCE, environment, until, wait_and_close

pytestmark = pytest.mark.whole

FOLLOWERS = 3
HUMAN = {"kind": "human"}
BOT = {"kind": "bot", "level": "random"}
MATCH_OF_HUMANS = {"game": "calimala", "seats": [HUMAN, HUMAN, HUMAN]}
MATCH_WITH_A_BOT = {"game": "calimala", "seats": [BOT, HUMAN, HUMAN]}


class SingleProcess:
    """One process of the service, run alone, and its log."""

    def __init__(self, *arguments: str, **settings: str) -> None:
        variables = {f"GIORNALE_{name.upper()}": value for name, value in settings.items()}
        self.process = subprocess.Popen(
            [*COMMAND, *arguments],
            env=environment(**variables),
            stderr=subprocess.PIPE,
            text=True,
        )

        self.logged: list[dict[str, Any]] = []
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stderr is not None
        with self.process.stderr as output:
            for line in output:
                self.logged.append(json.loads(line))

    def lines_of(self, message: str) -> list[dict[str, Any]]:
        """Return the log lines with exactly this message."""
        return [line for line in self.logged if line["msg"] == message]

    def wait_for(self, message: str) -> dict[str, Any]:
        """Return the first log line with exactly this message."""
        lines: list[dict[str, Any]] = until(lambda: self.lines_of(message), message)
        return lines[0]

    def end(self) -> int:
        """Tell it to stop and return its exit code. Kill it if it does not end."""
        self.process.send_signal(signal.SIGTERM)
        return wait_and_close(self.process, self._reader)


@contextmanager
def single_process(*arguments: str, **settings: str) -> Iterator[SingleProcess]:
    """Run a single process of the service, and end it afterwards."""
    started = SingleProcess(*arguments, **settings)
    try:
        yield started
    finally:
        if started.process.poll() is None:
            started.end()


def assert_ends(started: SingleProcess, name: str) -> None:
    """End a process, and check its log: one line each for ready and stopped."""
    assert started.end() == 0

    [ready_line] = started.lines_of(f"{name} ready")
    assert ready_line["level"] == "info"
    assert len(started.lines_of(f"{name} stopped")) == 1


def test_processes_log_their_start_work_and_stop(redis_url: str, tmp_path: Path) -> None:
    """Processes run without a supervisor. A worker logs each job at the level `debug`."""
    settings = {"journal_url": redis_url, "data": str(tmp_path)}
    with (
        single_process("web", "--port", "0", **settings, path_prefix="/under") as web,
        single_process("worker", "bots", log_level="debug", **settings) as worker,
        single_process("scheduler", **settings) as scheduler,
    ):
        url = web.wait_for("web process ready")["url"]  # at a free port
        assert url.endswith("/under")
        assert ask(url, "GET", "/livez").status == 200

        worker.wait_for("worker ready")
        match = open_match(url, MATCH_WITH_A_BOT)
        done_line = worker.wait_for("job done")
        assert (done_line["level"], done_line["queue"]) == ("debug", "bots")
        assert done_line["match"] == match
        assert match in done_line["job"]
        assert 0 < done_line["ms"] < 1000 * PATIENCE

        scheduler.wait_for("scheduler ready")
        assert_ends(scheduler, "scheduler")
        assert_ends(worker, "worker")
        assert_stream_and_polls_hold_up_no_stop(web, url)
        assert_ends(web, "web process")


def assert_stream_and_polls_hold_up_no_stop(web: SingleProcess, url: str) -> None:
    """Stop a web process: its streams end cleanly, and its long polls are answered.

    If they held up its stop, it would be killed, and streams and polls would break.
    """
    match_path = f"/v1/matches/{open_match(url, MATCH_OF_HUMANS)}"
    streams = [follow(url, match_path) for _ in range(FOLLOWERS)]
    poll, statuses = start_long_poll(url, match_path)
    until(lambda: long_answers(url) == FOLLOWERS + 1, "the long poll")

    assert web.end() == 0
    poll.join(PATIENCE)

    rests = [stream.read() for stream in streams]  # a broken stream raises IncompleteRead
    assert rests == [b""] * FOLLOWERS
    assert statuses == [200]


def open_match(url: str, opening: Any) -> str:
    """Open a match and return its id."""
    answer = ask(url, "POST", "/v1/matches", opening)
    match: str = json.load(answer)["match"]
    return match


def follow(url: str, match_path: str) -> HTTPResponse:
    """Return a stream of a match after its first commit was read."""
    stream = ask(url, "GET", f"{match_path}/stream?after=0")
    beginning = stream.read1(65536) + stream.read1(65536)
    assert b"commit" in beginning
    return stream


def start_long_poll(url: str, match_path: str) -> tuple[threading.Thread, list[int]]:
    """Ask for future commits.

    Return the waiting thread, and the list for the status.
    """
    statuses: list[int] = []

    def wait_for_commits() -> None:
        answer = ask(url, "GET", f"{match_path}/commits?after=1&wait=60")
        statuses.append(answer.status)

    poll = threading.Thread(target=wait_for_commits)
    poll.start()
    return poll, statuses


def long_answers(url: str) -> float:
    """Return the number of long answers of a web process."""
    lines = ask(url, "GET", "/metrics").read().decode().splitlines()
    values = [line.split()[-1] for line in lines if line.startswith("giornale_streams")]
    return sum(map(float, values))


def ask(url: str, method: str, path: str, body: Any = None) -> HTTPResponse:
    """Return an answer with an unread body."""
    parts = urlsplit(url)
    connection = HTTPConnection(parts.netloc, timeout=PATIENCE)
    content = None if body is None else json.dumps(body)
    headers = {"Content-Type": "application/json", "Connection": "close"}
    connection.request(method, parts.path + path, content, headers)
    return connection.getresponse()
