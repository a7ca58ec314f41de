"""Parts that run alone, with real processes: they say when they are ready, and stop at once when told to."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.running import PATIENCE, until

FOLLOWERS = 3
SECONDS_TO_STOP = 1.5  # of the three that a stream used to hold the process up
HUMANS = {"game": "calimala", "seats": [{"kind": "human"}] * 3}


class Alone:
    """One part as a process of its own, and what it has logged."""

    def __init__(self, *arguments: str, **settings: str) -> None:
        plain = {
            name: value for name, value in os.environ.items() if not name.startswith("GIORNALE_")
        }
        self.process = subprocess.Popen(
            [sys.executable, "-m", "service.cli", *arguments],
            env=plain | {f"GIORNALE_{name.upper()}": value for name, value in settings.items()},
            stderr=subprocess.PIPE,
            text=True,
        )
        self.logged: list[dict[str, Any]] = []
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stderr is not None
        with self.process.stderr as lines:
            for line in lines:
                self.logged.append(json.loads(line))

    def said(self, words: str) -> list[dict[str, Any]]:
        """Return the log lines that say exactly this."""
        return [line for line in self.logged if line["msg"] == words]

    def hears(self, words: str) -> dict[str, Any]:
        """Return the first log line that says exactly this."""
        line: dict[str, Any] = until(lambda: self.said(words), words)[0]
        return line

    def end(self) -> int:
        """Tell it to stop and return its exit code."""
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        return code


@contextmanager
def alone(*arguments: str, **settings: str) -> Iterator[Alone]:
    """A part that runs alone, ended at the end."""
    part = Alone(*arguments, **settings)
    try:
        yield part
    finally:
        if part.process.poll() is None:
            part.end()


@pytest.mark.parametrize(
    ("arguments", "name"),
    [(["web", "--port", "0"], "web"), (["worker", "bots"], "worker"), (["keeper"], "keeper")],
    ids=["web", "worker", "keeper"],
)
def test_part_says_when_it_is_ready_and_when_it_stops(
    redis_url: str, tmp_path: Path, arguments: list[str], name: str
) -> None:
    """A part without a supervisor tells both, in one line each."""
    with alone(*arguments, journal_url=redis_url, data=str(tmp_path)) as part:
        ready = part.hears(f"the {name} is ready")
        assert part.end() == 0
    assert ready["level"] == "info"
    assert len(part.said(f"the {name} is ready")) == len(part.said(f"the {name} has stopped")) == 1


def test_web_tells_its_address_where_it_takes_a_free_port(redis_url: str, tmp_path: Path) -> None:
    """The line that says it is ready names the URL, at which it answers."""
    with alone(
        "web", "--port", "0", journal_url=redis_url, data=str(tmp_path), path_prefix="/under"
    ) as part:
        url = part.hears("the web is ready")["url"]
        assert url.endswith("/under")
        assert ask(url, "GET", "/livez").status == 200


def test_worker_logs_each_job_for_whoever_debugs(redis_url: str, tmp_path: Path) -> None:
    """Queue, job, match and milliseconds are told at the level `debug`."""
    settings = {"journal_url": redis_url, "data": str(tmp_path)}
    with (
        alone("web", "--port", "0", **settings) as web,
        alone("worker", "bots", log_level="debug", **settings) as worker,
    ):
        worker.hears("the worker is ready")
        seats = [{"kind": "bot", "level": "random"}, *HUMANS["seats"][1:]]
        opened = ask(
            web.hears("the web is ready")["url"], "POST", "/v1/matches", {**HUMANS, "seats": seats}
        )
        match = json.load(opened)["id"]
        done = worker.hears("a job was done")
    assert done["level"] == "debug"
    assert (done["queue"], done["match"]) == ("bots", match)
    assert match in done["job"]
    assert 0 < done["ms"] < 1000 * PATIENCE


def test_streams_and_long_polls_do_not_hold_up_a_stop(redis_url: str, tmp_path: Path) -> None:
    """At SIGTERM streams end as streams do, long polls are answered, and the process is gone in about a second."""
    with alone("web", "--port", "0", journal_url=redis_url, data=str(tmp_path)) as web:
        url = web.hears("the web is ready")["url"]
        match = "/v1/matches/" + json.load(ask(url, "POST", "/v1/matches", HUMANS))["id"]
        streams = [ask(url, "GET", f"{match}/stream?after=0") for _ in range(FOLLOWERS)]
        for stream in streams:
            assert b"commit" in stream.read1(65536) + stream.read1(65536)

        polled: list[int] = []
        poll = threading.Thread(
            target=lambda: polled.append(ask(url, "GET", f"{match}/commits?after=1&wait=60").status)
        )
        poll.start()
        until(lambda: long_answers(url) == FOLLOWERS + 1, "the long poll")

        began = time.monotonic()
        assert web.end() == 0
        took = time.monotonic() - began
        poll.join(PATIENCE)
    assert [stream.read() for stream in streams] == [
        b""
    ] * FOLLOWERS  # a broken stream raises IncompleteRead
    assert polled == [200]
    assert took < SECONDS_TO_STOP


def long_answers(url: str) -> float:
    """Return how many long answers a web process holds."""
    measures = ask(url, "GET", "/metrics").read().decode().splitlines()
    return sum(float(line.split()[-1]) for line in measures if line.startswith("giornale_streams"))


def ask(url: str, method: str, path: str, body: Any = None) -> HTTPResponse:
    """Return an answer whose body is not read yet."""
    parts = urlsplit(url)
    connection = HTTPConnection(parts.netloc, timeout=PATIENCE)
    data = None if body is None else json.dumps(body)
    connection.request(
        method, parts.path + path, data, {"Content-Type": "application/json", "Connection": "close"}
    )
    return connection.getresponse()
