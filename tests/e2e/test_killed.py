"""Killed in the middle: whatever dies, every acknowledged move is there exactly once and no match is stuck."""

import itertools
import os
import signal
import threading
import time
import uuid
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.e2e.playing import client, history
from tests.running import RunningService, running_service, until

STUCK_SECONDS = 5.0
ROLES = ("journal", "web", "bots", "scoring")


class Player(threading.Thread):
    """Plays the human seat of match after match, retrying each move with its key until it is acknowledged."""

    def __init__(self, service: RunningService, seed: int) -> None:
        super().__init__()
        self._service = service
        self._seed = seed
        self.acknowledged: dict[str, dict[int, str]] = {}
        self.failure: BaseException | None = None
        self.stopping = threading.Event()

    def run(self) -> None:
        """Play until told to stop."""
        try:
            for number in itertools.count():
                if self.stopping.is_set():
                    return
                self._play(f"{self._seed}-{number}")
        except BaseException as error:  # noqa: BLE001 (handed to the test)
            self.failure = error

    def _play(self, seed: str) -> None:
        seats = [
            {"kind": "human"},
            {"kind": "bot", "level": "random"},
            {"kind": "bot", "level": "random"},
        ]
        body = {"game": "calimala", "seats": seats, "seed": seed}
        with client(self._service) as asker:
            key = {"Idempotency-Key": str(uuid.uuid4())}
            opened = self._insist(asker, "POST", "/v1/matches", json=body, headers=key).json()
            asker.headers["Authorization"] = f"Bearer {opened['tokens']['seat:0']}"
            path, moves = (
                f"/v1/matches/{opened['id']}/moves",
                self.acknowledged.setdefault(opened["id"], {}),
            )
            while not self.stopping.is_set() and (move := self._next_move(asker, path)):
                key = {"Idempotency-Key": str(uuid.uuid4())}
                made = self._insist(asker, "POST", path, json=move, headers=key).json()
                assert made["version"] not in moves, "two keys made one commit"
                moves[made["version"]] = made["hash"]

    def _next_move(self, asker: httpx.Client, path: str) -> dict[str, Any] | None:
        """Wait for the seat's turn; None when the match is over. No wait while the service answers may be long."""
        since, version = time.monotonic(), 0
        while not self.stopping.is_set():
            answer = self._ask(asker, "GET", path)
            seen = answer.json() if answer else None
            if seen is None or seen["version"] != version:
                since, version = time.monotonic(), seen["version"] if seen else 0
            elif seen["moves"]:
                move: dict[str, Any] = seen["moves"][0]
                return move
            elif not seen["waiting_for"]["seats"] and not seen["waiting_for"]["house"]:
                return None
            assert time.monotonic() - since < STUCK_SECONDS, f"stuck at version {version}"
            self.stopping.wait(0.01)
        return None

    def _insist(
        self, asker: httpx.Client, method: str, path: str, **request: Any
    ) -> httpx.Response:
        """Send a request with its key until it is answered."""
        deadline = time.monotonic() + 60
        while (answer := self._ask(asker, method, path, **request)) is None:
            assert time.monotonic() < deadline, f"{path} was never answered"
        assert answer.status_code == httpx.codes.CREATED, answer.text
        return answer

    def _ask(
        self, asker: httpx.Client, method: str, path: str, **request: Any
    ) -> httpx.Response | None:
        """Send a request once; None if nobody answered or the journal was away."""
        try:
            answer = asker.request(method, path, **request)
        except httpx.TransportError:
            self.stopping.wait(0.02)
            return None
        return None if answer.status_code == httpx.codes.SERVICE_UNAVAILABLE else answer


def acknowledged(players: list[Player]) -> int:
    """Return how many moves are acknowledged; raise what went wrong in a player."""
    for player in players:
        if player.failure is not None:
            raise player.failure
    return sum(len(moves) for player in players for moves in list(player.acknowledged.values()))


def ready(asker: httpx.Client) -> bool:
    """Return whether the service says that it is ready."""
    try:
        return asker.get("/readyz").status_code == httpx.codes.OK
    except httpx.TransportError:
        return False


def kill(service: RunningService, role: str) -> bool:
    """SIGKILL the process of a role, if there is one."""
    pid = service.children().get(role)
    if pid is not None:
        os.kill(pid, signal.SIGKILL)
    return pid is not None


def campaign(service: RunningService, rounds: int) -> list[Player]:
    """Let three players play while every role is killed in turn, `rounds` times over; return the players."""
    players = [Player(service, number) for number in range(3)]
    for player in players:
        player.start()
    try:
        with client(service) as asker:
            for role in ROLES * rounds:
                enough = acknowledged(players) + 10
                until(lambda: acknowledged(players) >= enough, "ten more moves")  # noqa: B023
                until(lambda: kill(service, role), f"a {role} process to kill")  # noqa: B023
                until(lambda: ready(asker), f"readiness after the death of {role}")
    finally:
        for player in players:
            player.stopping.set()
        for player in players:
            player.join()
    return players


def check(asker: httpx.Client, match: str, moves: dict[int, str]) -> None:
    """Assert that a match's history holds the acknowledged moves of seat 0, each once, no other, in one chain."""
    commits = history(asker, match)
    assert {one["version"]: one["hash"] for one in commits if one["actor"] == "seat:0"} == moves
    assert [one["prev"] for one in commits[1:]] == [one["hash"] for one in commits[:-1]]


def idle(asker: httpx.Client, match: str) -> bool:
    """Return whether a match waits for nobody of the service."""
    waiting = asker.get(f"/v1/matches/{match}").json()["waiting_for"]
    return not waiting["house"] and not waiting["bots"]


@pytest.mark.parametrize("rounds", [int(os.environ.get("KILL_ROUNDS", "1"))])
def test_killed_in_the_middle(tmp_path: Path, rounds: int) -> None:
    """SIGKILL of server, web and workers while clients post: every acknowledged move stands once, nothing is stuck."""
    with running_service(tmp_path, GIORNALE_ALLOW_SEED="true", GIORNALE_OPENINGS="0") as service:
        players = campaign(service, rounds)
        assert acknowledged(players) >= 10 * len(ROLES) * rounds
        with client(service) as asker:
            for match, moves in (
                item for player in players for item in player.acknowledged.items()
            ):
                until(lambda: idle(asker, match), f"match {match} to move on")  # noqa: B023
                check(asker, match, moves)
