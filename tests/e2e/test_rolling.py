"""A rolling restart: all processes are replaced under load, and no move is lost or doubled."""

import itertools
import signal
import subprocess
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from service.jobs.queues import Queues
from service.process.address import free_port
from service.process.child import module_command
from service.process.valkey import Server
from tests.e2e.playing import (
    REQUEST_SECONDS,
    RETRY_SECONDS,
    Player,
    history,
    is_one_chain,
    waits_for_nobody,
)
from tests.running import PATIENCE, environment, until

HOST = "127.0.0.1"
WORKERS = ("scoring", "bots", "exhibitions")  # the last tries again what has failed
BOT = {"kind": "bot", "level": "random"}
OPENING = {"game": "calimala", "seats": [{"kind": "human"}, BOT, BOT]}


class Fleet:
    """Two web processes with a port each, and the workers and the keeper that every match needs."""

    web_names = ("web 0", "web 1")
    other_names = (*(f"worker {queue}" for queue in WORKERS), "keeper")

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
        """Start "web 0", "worker bots", "keeper", ...

        A process that runs already under the name goes on, and is no longer known by it.
        """
        command = name.split()
        variables = dict(self._environment)
        if name in self.ports:
            command = ["web"]
            variables["GIORNALE_PORT"] = str(self.ports[name])

        self.running[name] = subprocess.Popen(
            module_command("service.cli", *command),
            env=variables,
            stdout=subprocess.DEVNULL,
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

    def client(self, name: str) -> httpx.Client:
        """Return a client of one of the web processes."""
        url = f"http://{HOST}:{self.ports[name]}"
        return httpx.Client(base_url=url, timeout=REQUEST_SECONDS, trust_env=False)

    def serves(self, name: str) -> bool:
        """Return whether a web process answers."""
        try:
            with self.client(name) as asker:
                return asker.get("/livez").status_code == httpx.codes.OK
        except httpx.TransportError:
            return False

    def all_serve(self) -> bool:
        """Return whether each web process answers."""
        return all(map(self.serves, self.web_names))

    def living_workers(self) -> list[int]:
        """Return how many workers of each queue are alive."""
        workers = self.queues.workers()
        return [len(workers[queue]) for queue in WORKERS]

    def all_work(self) -> bool:
        """Return whether each queue has a worker."""
        return all(self.living_workers())


class ChangingPlayer(Player):
    """Plays through whichever web process answers, repeating each move with its key."""

    def __init__(self, fleet: Fleet) -> None:
        super().__init__()
        self._fleet = fleet
        self._web_names = itertools.cycle(fleet.web_names)
        self._web_name = next(self._web_names)

    def play_match(self, _number: int) -> None:
        """Open a match and play it to its end."""
        opened = self._insist("POST", "/v1/matches", json=OPENING).json()
        match = opened["id"]
        moves_path = f"/v1/matches/{match}/moves"
        headers = {"Authorization": f"Bearer {opened['tokens']['seat:0']}"}
        self.acknowledged[match] = {}

        while not self.stopping.is_set():
            seen = self._insist("GET", moves_path, headers=headers).json()
            if seen["moves"]:
                move = seen["moves"][0]
                made = self._insist("POST", moves_path, headers=headers, json=move).json()
                self.note(match, made)
            elif waits_for_nobody(seen):
                return
            else:
                self.stopping.wait(RETRY_SECONDS)

    def _insist(self, method: str, path: str, **request: Any) -> httpx.Response:
        """Send a request with a key of its own until some web process answers it well."""
        key = {"Idempotency-Key": str(uuid.uuid4())}
        request["headers"] = request.get("headers", {}) | key
        deadline = time.monotonic() + PATIENCE

        while time.monotonic() < deadline:
            answer = self._ask(method, path, **request)
            if answer is not None:
                return answer.raise_for_status()

            # The other web process may answer.
            self._web_name = next(self._web_names)

        raise AssertionError(f"{path} was never answered")

    def _ask(self, method: str, path: str, **request: Any) -> httpx.Response | None:
        """Send a request once; None if nobody answered or the web process had no journal."""
        try:
            with self._fleet.client(self._web_name) as asker:
                answer = asker.request(method, path, **request)
        except httpx.TransportError:
            self.stopping.wait(RETRY_SECONDS)
            return None

        is_away = answer.status_code == httpx.codes.SERVICE_UNAVAILABLE
        return None if is_away else answer


@contextmanager
def running_fleet(directory: Path) -> Iterator[Fleet]:
    """A fleet on a journal of its own, of which all processes have come up."""
    with Server(directory / "j") as server:
        fleet = Fleet(server.url, directory / "d")
        names = [*fleet.web_names, *fleet.other_names]
        try:
            for name in names:
                fleet.start(name)
            until(fleet.all_serve, "the web processes")
            until(fleet.all_work, "the workers")

            yield fleet
        finally:
            fleet.stop_all()


def wait_for_moves(player: Player, number: int, what: str) -> None:
    """Wait until so many more moves are acknowledged."""
    enough = player.count() + number
    until(lambda: player.count() >= enough, what)


def replace_web(fleet: Fleet, player: Player, name: str) -> None:
    """Stop a web process, let the other one serve for some moves, and start it again."""
    fleet.stop(fleet.running[name])
    wait_for_moves(player, 2, "moves while one web process is away")
    fleet.start(name)
    until(lambda: fleet.serves(name), "the new web process")


def replace_others(fleet: Fleet) -> None:
    """Replace the workers and the keeper: the old ones stop when their heirs are alive."""
    old_processes = [fleet.running[name] for name in fleet.other_names]
    for name in fleet.other_names:
        fleet.start(name)

    until(lambda: set(fleet.living_workers()) == {2}, "the new workers")
    for process in old_processes:
        fleet.stop(process)


def check_metrics(asker: httpx.Client) -> None:
    """Assert that the start of the other web process left this one's metrics alone."""
    metrics = asker.get("/metrics").text
    assert 'giornale_request_seconds_count{operation="makeMove"' in metrics


def check_history(asker: httpx.Client, match: str, moves: dict[int, str]) -> None:
    """Assert that a match's history holds the acknowledged moves, each once, in a whole chain.

    Only the last move may have been made without an answer.
    """
    commits = history(asker, match)
    made = {commit["version"]: commit["hash"] for commit in commits if commit["actor"] == "seat:0"}

    assert moves.items() <= made.items()
    assert len(made) - len(moves) <= 1
    assert is_one_chain(commits)


def test_a_rolling_restart_loses_no_move(tmp_path: Path) -> None:
    """All processes are replaced in turn under load; each move stands exactly once."""
    with running_fleet(tmp_path) as fleet:
        player = ChangingPlayer(fleet)
        player.start()
        try:
            wait_for_moves(player, 5, "moves")
            for name in fleet.web_names:
                replace_web(fleet, player, name)
            replace_others(fleet)
            wait_for_moves(player, 4, "moves after all were replaced")
        finally:
            player.stop()

        assert player.count() >= 10
        with fleet.client("web 0") as asker:
            check_metrics(asker)
            for match, moves in player.acknowledged.items():
                check_history(asker, match, moves)
