"""A rolling restart: every process is replaced while clients play, and no move is lost or made twice."""

import itertools
import os
import signal
import subprocess
import sys
import threading
import time
import uuid
from pathlib import Path
from typing import Any

import httpx

from service.jobs.queues import Queues
from service.process.address import free_port
from service.process.valkey import Server

PATIENCE = 60.0
SEATS = [{"kind": "human"}, {"kind": "bot", "level": "random"}, {"kind": "bot", "level": "random"}]
WORKERS = ("scoring", "bots")


class Fleet:
    """Two web processes with a port each, two workers and a keeper on one journal."""

    def __init__(self, url: str, data: Path) -> None:
        plain = {
            name: value for name, value in os.environ.items() if not name.startswith("GIORNALE_")
        }
        ours = {"GIORNALE_JOURNAL_URL": url, "GIORNALE_OPENINGS": "0", "GIORNALE_DATA": str(data)}
        self._environ = plain | ours
        self.ports = [free_port("127.0.0.1", 0), free_port("127.0.0.1", 0)]
        self.queues = Queues(f"{url}?db=1")
        self.running: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, part: str) -> None:
        """Start "web 0", "web 1", "worker bots", ... ; the one that runs is no longer known by the name."""
        kind, _, which = part.partition(" ")
        more = {"GIORNALE_PORT": str(self.ports[int(which)])} if kind == "web" else {}
        command = [kind] if kind != "worker" else part.split()
        started = [sys.executable, "-P", "-m", "service.cli", *command]
        self.running[part] = subprocess.Popen(
            started, env=self._environ | more, stdout=subprocess.DEVNULL
        )

    def stop(self, process: subprocess.Popen[bytes]) -> None:
        """End a process gently."""
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) in (0, -signal.SIGTERM)

    def stop_all(self) -> None:
        """End what runs."""
        for process in self.running.values():
            process.send_signal(signal.SIGTERM)
        for process in self.running.values():
            process.wait(PATIENCE)
        self.queues.redis.close()

    def serves(self, port: int) -> bool:
        """Return whether a web process answers."""
        try:
            return (
                httpx.get(f"http://127.0.0.1:{port}/livez", trust_env=False).status_code
                == httpx.codes.OK
            )
        except httpx.TransportError:
            return False


class Player(threading.Thread):
    """Plays match after match through whichever web process answers, repeating each move with its key."""

    def __init__(self, ports: list[int]) -> None:
        super().__init__()
        self._ports = itertools.cycle(ports)
        self._port = next(self._ports)
        self.acknowledged: dict[str, dict[int, str]] = {}
        self.failure: BaseException | None = None
        self.stopping = threading.Event()

    def run(self) -> None:
        """Play until told to stop."""
        try:
            while not self.stopping.is_set():
                self._play()
        except BaseException as error:  # noqa: BLE001 - it is handed to the test
            self.failure = error

    def count(self) -> int:
        """Return how many moves are acknowledged; raise what went wrong."""
        if self.failure is not None:
            raise self.failure
        return sum(map(len, list(self.acknowledged.values())))

    def _play(self) -> None:
        opened = self._insist(
            "POST", "/v1/matches", "", {"game": "calimala", "seats": SEATS}
        ).json()
        token, path = opened["tokens"]["seat:0"], f"/v1/matches/{opened['id']}/moves"
        moves = self.acknowledged.setdefault(opened["id"], {})
        while not self.stopping.is_set():
            seen = self._insist("GET", path, token).json()
            if seen["moves"]:
                made = self._insist("POST", path, token, seen["moves"][0]).json()
                assert made["version"] not in moves, "two keys made one commit"
                moves[made["version"]] = made["hash"]
            elif not seen["waiting_for"]["seats"] and not seen["waiting_for"]["house"]:
                return
            else:
                self.stopping.wait(0.02)

    def _insist(self, method: str, path: str, token: str, body: Any = None) -> httpx.Response:
        """Send a request, to the next web process if one does not answer, until it is answered well."""
        headers = {"Idempotency-Key": str(uuid.uuid4())} | (
            {"Authorization": f"Bearer {token}"} if token else {}
        )
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            try:
                url = f"http://127.0.0.1:{self._port}{path}"
                with httpx.Client(trust_env=False, timeout=10) as asker:
                    answer = asker.request(method, url, headers=headers, json=body)
            except httpx.TransportError:
                self._port = next(self._ports)
                self.stopping.wait(0.02)
                continue
            if answer.status_code != httpx.codes.SERVICE_UNAVAILABLE:
                return answer.raise_for_status()
            self._port = next(self._ports)
        raise AssertionError(f"{path} was never answered")


def until(condition: Any, what: str) -> None:
    """Wait for a condition: processes start slowly on a machine at work."""
    deadline, pause = time.monotonic() + PATIENCE, threading.Event()
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        pause.wait(0.05)


def test_a_rolling_restart_loses_no_move(tmp_path: Path) -> None:
    """Web processes, workers and the keeper are replaced in turn under load; each move stands exactly once."""
    with Server(tmp_path / "j") as server:
        fleet = Fleet(server.url, tmp_path / "d")
        parts = ["web 0", "web 1", *(f"worker {name}" for name in WORKERS), "keeper"]
        player = Player(fleet.ports)
        try:
            for part in parts:
                fleet.start(part)
            until(lambda: all(map(fleet.serves, fleet.ports)), "the web processes")
            until(lambda: all(fleet.queues.workers()[name] for name in WORKERS), "the workers")
            player.start()
            until(lambda: player.count() >= 5, "moves")
            roll(fleet, player)
            player.stopping.set()
            player.join()
            check(fleet, player)
        finally:
            player.stopping.set()
            fleet.stop_all()


def roll(fleet: Fleet, player: Player) -> None:
    """Replace every process: the web processes in turn, with moves in between; each worker when its heir is alive."""
    for number, port in enumerate(fleet.ports):
        fleet.stop(fleet.running[f"web {number}"])
        before = player.count()
        until(lambda: player.count() > before + 1, "moves while one web process is away")  # noqa: B023
        fleet.start(f"web {number}")
        until(lambda: fleet.serves(port), "the new web process")  # noqa: B023
    replaced = [f"worker {name}" for name in WORKERS] + ["keeper"]
    old = [fleet.running[part] for part in replaced]
    for part in replaced:
        fleet.start(part)
    until(
        lambda: all(len(fleet.queues.workers()[name]) == 2 for name in WORKERS), "the new workers"
    )
    for process in old:
        fleet.stop(process)

    before = player.count()
    until(lambda: player.count() > before + 3, "moves after all were replaced")


def check(fleet: Fleet, player: Player) -> None:
    """Assert that histories hold the acknowledged moves, each once, in whole chains."""
    assert player.count() >= 10
    measures = httpx.get(f"http://127.0.0.1:{fleet.ports[0]}/metrics", trust_env=False).text
    assert 'giornale_request_seconds_count{operation="makeMove"' in measures, (
        "the other's start took its measures away"
    )
    for match, moves in player.acknowledged.items():
        url = f"http://127.0.0.1:{fleet.ports[0]}/v1/matches/{match}/commits"
        commits: list[Any] = []
        while page := httpx.get(url, params={"after": len(commits)}, trust_env=False).json()[
            "commits"
        ]:
            commits += page
        made = {one["version"]: one["hash"] for one in commits if one["actor"] == "seat:0"}
        assert moves.items() <= made.items()
        assert len(made) - len(moves) <= 1, (
            "only the last move may have been made without an answer"
        )
        assert [one["prev"] for one in commits[1:]] == [one["hash"] for one in commits[:-1]]
