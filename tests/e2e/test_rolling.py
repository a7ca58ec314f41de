"""A rolling restart: all processes are replaced under load, and no move is lost or doubled."""

import itertools
import signal
import subprocess
import threading
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from service.ops.process.preflight import free_port
from service.ops.process.valkey import Server
from service.store.jobs.queues import Queues
from tests.e2e.playing import history, is_one_chain
from tests.running import COMMAND, PATIENCE, environment, until

HOST = "127.0.0.1"
RETRY_SECONDS = 0.05
WORKERS = ("house", "bots", "exhibitions")  # the last repeats failed ones
BOT = {"kind": "bot", "level": "random"}
OPENING = {"game": "calimala", "seats": [{"kind": "human"}, BOT, BOT]}


class Fleet:
    """Two web processes with a port each, and the workers and the scheduler of every match."""

    web_names = ("web 0", "web 1")
    other_names = (*(f"worker {queue}" for queue in WORKERS), "scheduler")

    def __init__(self, url: str, data: Path) -> None:
        self._environment = environment(
            GIORNALE_JOURNAL_URL=url,
            GIORNALE_OPENINGS="0",
            GIORNALE_DATA=str(data),
        )
        self.ports = {name: free_port(HOST, 0) for name in self.web_names}
        self.queues = Queues(f"{url}?db=1", b"s" * 32)
        self.running: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, name: str) -> None:
        """Start "web 0", "worker bots", "scheduler", ...

        A process that runs already under the name goes on, and is no longer known by it.
        """
        command = name.split()
        variables = dict(self._environment)
        if name in self.ports:
            command = ["web"]
            variables["GIORNALE_PORT"] = str(self.ports[name])

        self.running[name] = subprocess.Popen(
            [*COMMAND, *command],
            env=variables,
            stdout=subprocess.DEVNULL,
        )

    def stop(self, process: subprocess.Popen[bytes]) -> None:
        """End a process gently."""
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) in (0, -signal.SIGTERM)

    def stop_all(self) -> None:
        """End all processes."""
        for process in self.running.values():
            process.send_signal(signal.SIGTERM)
        for process in self.running.values():
            process.wait(PATIENCE)
        self.queues.redis.close()

    def client(self, name: str) -> httpx.Client:
        """Return a client of one of the web processes."""
        url = f"http://{HOST}:{self.ports[name]}"
        return httpx.Client(
            base_url=url,
            timeout=PATIENCE,
            trust_env=False,
            verify=False,  # noqa: S501 - it speaks no TLS, and reading certificates takes its time
        )

    def serves(self, name: str) -> bool:
        """Return True if a web process answers."""
        try:
            with self.client(name) as asker:
                return asker.get("/livez").status_code == httpx.codes.OK
        except httpx.TransportError:
            return False

    def living_workers(self) -> list[int]:
        """Return the number of living workers of each queue."""
        workers = self.queues.workers()
        return [len(workers[queue]) for queue in WORKERS]


class ChangingPlayer:
    """Plays match after match through any web process that answers, and keeps the moves.

    acknowledged: by match, the hashes of the moves that the service answered with 201, by version.
    """

    def __init__(self, fleet: Fleet) -> None:
        self.acknowledged: dict[str, dict[int, str]] = {}
        self._stopping = threading.Event()
        self._fleet = fleet
        self._web_names = itertools.cycle(fleet.web_names)
        self._web_name = next(self._web_names)
        self._playing = ThreadPoolExecutor(1).submit(self._play)

    def _play(self) -> None:
        """Play until told to stop."""
        while not self._stopping.is_set():
            self._play_match()

    def count(self) -> int:
        """Return the number of acknowledged moves. Raise an error of the thread."""
        if self._playing.done():
            self._playing.result()
        return sum(len(moves) for moves in list(self.acknowledged.values()))

    def wait_for_moves(self, number: int, what: str) -> None:
        """Wait until so many more moves are acknowledged."""
        enough = self.count() + number
        until(lambda: self.count() >= enough, what)

    def stop(self) -> None:
        """End the thread, and wait for its end."""
        self._stopping.set()
        self._playing.result(PATIENCE)

    def _play_match(self) -> None:
        opened = self._insist("POST", "/v1/matches", json=OPENING).json()
        match = opened["match"]
        moves_path = f"/v1/matches/{match}/moves"
        headers = {"Authorization": f"Bearer {opened['tokens']['seat:0']}"}
        acknowledged = self.acknowledged.setdefault(match, {})

        while not self._stopping.is_set():
            answer = self._insist("GET", moves_path, headers=headers).json()
            waiting_for = answer["waiting_for"]
            if answer["moves"]:
                move = answer["moves"][0]
                commit = self._insist("POST", moves_path, headers=headers, json=move).json()
                assert commit["version"] not in acknowledged, "two keys made one commit"
                acknowledged[commit["version"]] = commit["hash"]
            elif not waiting_for["seats"] and not waiting_for["house"]:
                return
            else:
                self._stopping.wait(RETRY_SECONDS)

    def _insist(self, method: str, path: str, **request: Any) -> httpx.Response:
        """Send a request with one key until some web process answers it well."""
        key = {"Idempotency-Key": str(uuid.uuid4())}
        request["headers"] = request.get("headers", {}) | key

        def answered() -> httpx.Response | None:
            try:
                with self._fleet.client(self._web_name) as asker:
                    answer = asker.request(method, path, **request)
            except httpx.TransportError:
                answer = None

            if answer is not None and answer.status_code != httpx.codes.SERVICE_UNAVAILABLE:
                return answer.raise_for_status()
            self._web_name = next(self._web_names)
            return None

        answer: httpx.Response = until(answered, f"an answer to {path}")
        return answer


@contextmanager
def running_fleet(directory: Path) -> Iterator[Fleet]:
    """A fleet on its own journal, with all processes up."""
    with Server(directory / "j") as server:
        fleet = Fleet(server.url, directory / "d")
        names = [*fleet.web_names, *fleet.other_names]
        try:
            for name in names:
                fleet.start(name)
            until(lambda: all(map(fleet.serves, fleet.web_names)), "the web processes")
            until(lambda: all(fleet.living_workers()), "the workers")

            yield fleet
        finally:
            fleet.stop_all()


def replace_web(fleet: Fleet, player: ChangingPlayer, name: str) -> None:
    """Stop a web process, let the other one serve for some moves, and start it again."""
    fleet.stop(fleet.running[name])
    player.wait_for_moves(2, "moves while one web process is away")
    fleet.start(name)
    until(lambda: fleet.serves(name), "the new web process")


def replace_others(fleet: Fleet) -> None:
    """Replace the workers and the scheduler: the old ones stop when their heirs are alive."""
    old_processes = [fleet.running[name] for name in fleet.other_names]
    for name in fleet.other_names:
        fleet.start(name)

    until(lambda: set(fleet.living_workers()) == {2}, "the new workers")
    for process in old_processes:
        fleet.stop(process)


def check_history(asker: httpx.Client, match: str, moves: dict[int, str]) -> None:
    """Assert that a match's history holds the acknowledged moves, each once, in a whole chain.

    Only the last move may have been made without an answer.
    """
    commits = history(asker, match)
    hashes = {
        commit["version"]: commit["hash"] for commit in commits if commit["actor"] == "seat:0"
    }

    assert moves.items() <= hashes.items()
    assert len(hashes) - len(moves) <= 1
    assert is_one_chain(commits)


@pytest.mark.whole
def test_a_rolling_restart_loses_no_move(tmp_path: Path) -> None:
    """All processes are replaced in turn under load. Each move stands exactly once."""
    with running_fleet(tmp_path) as fleet:
        player = ChangingPlayer(fleet)
        try:
            player.wait_for_moves(5, "moves")
            for name in fleet.web_names:
                replace_web(fleet, player, name)
            replace_others(fleet)
            player.wait_for_moves(4, "moves after all were replaced")
        finally:
            player.stop()

        assert player.count() >= 10
        with fleet.client("web 0") as asker:
            metrics = asker.get("/metrics").text
            assert 'giornale_request_seconds_count{operation="makeMove"' in metrics
            for match, moves in player.acknowledged.items():
                check_history(asker, match, moves)
