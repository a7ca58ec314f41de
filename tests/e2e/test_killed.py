"""Killed in the middle: every acknowledged move is there exactly once, and no match is stuck."""

import os
import signal
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.e2e.playing import (
    RETRY_SECONDS,
    Json,
    Player,
    client,
    history,
    is_one_chain,
    waits_for_nobody,
)
from tests.running import RunningService, running_service, until

STUCK_SECONDS = 5.0
ANSWER_SECONDS = 60.0
MOVES_BETWEEN_KILLS = 10
PLAYERS = 3
ROLES = ("journal", "web", "bots", "scoring")
ROUNDS = int(os.environ.get("KILL_ROUNDS", "1"))

BOT = {"kind": "bot", "level": "random"}
SEATS = [{"kind": "human"}, BOT, BOT]
NOTHING_SEEN: Json = {"version": 0, "moves": []}


class InsistentPlayer(Player):
    """Plays the human seat of its matches, and repeats each move with its key until it is made."""

    def __init__(self, service: RunningService, number: int) -> None:
        super().__init__()
        self._service = service
        self._number = number

    def play_match(self, number: int) -> None:
        """Open a match and play it to its end."""
        body = {"game": "calimala", "seats": SEATS, "seed": f"{self._number}-{number}"}
        with client(self._service) as asker:
            opened = self._post(asker, "/v1/matches", body)
            match = opened["id"]
            asker.headers["Authorization"] = f"Bearer {opened['tokens']['seat:0']}"
            self.acknowledged[match] = {}

            moves_path = f"/v1/matches/{match}/moves"
            while not self.stopping.is_set():
                move = self._next_move(asker, moves_path)
                if move is None:
                    return
                self.note(match, self._post(asker, moves_path, move))

    def _next_move(self, asker: httpx.Client, moves_path: str) -> Json | None:
        """Wait for the seat's turn and return a move; None when the match is over.

        Fails if the match does not move on for STUCK_SECONDS while the service answers.
        """
        since = time.monotonic()
        version = 0
        while not self.stopping.is_set():
            answer = self._ask(asker, "GET", moves_path)
            seen = NOTHING_SEEN if answer is None else answer.json()

            if answer is None or seen["version"] != version:
                since = time.monotonic()
                version = seen["version"]
            elif seen["moves"]:
                move: Json = seen["moves"][0]
                return move
            elif waits_for_nobody(seen):
                return None

            assert time.monotonic() - since < STUCK_SECONDS, f"stuck at version {version}"
            self.stopping.wait(RETRY_SECONDS / 2)
        return None

    def _post(self, asker: httpx.Client, path: str, body: Json) -> Json:
        """Send a request with a key of its own until it is answered; return what was made."""
        key = {"Idempotency-Key": str(uuid.uuid4())}
        deadline = time.monotonic() + ANSWER_SECONDS

        answer = None
        while answer is None:
            assert time.monotonic() < deadline, f"{path} was never answered"
            answer = self._ask(asker, "POST", path, json=body, headers=key)

        assert answer.status_code == httpx.codes.CREATED, answer.text
        made: Json = answer.json()
        return made

    def _ask(
        self, asker: httpx.Client, method: str, path: str, **request: Any
    ) -> httpx.Response | None:
        """Send a request once; None if nobody answered or the journal was away."""
        try:
            answer = asker.request(method, path, **request)
        except httpx.TransportError:
            self.stopping.wait(RETRY_SECONDS)
            return None

        is_away = answer.status_code == httpx.codes.SERVICE_UNAVAILABLE
        return None if is_away else answer


@contextmanager
def playing(service: RunningService) -> Iterator[list[InsistentPlayer]]:
    """Players that play until the end of the block."""
    players = [InsistentPlayer(service, number) for number in range(PLAYERS)]
    for player in players:
        player.start()

    try:
        yield players
    finally:
        for player in players:
            player.stopping.set()
        for player in players:
            player.join()


def count(players: list[InsistentPlayer]) -> int:
    """Return how many moves are acknowledged; raise what went wrong in a player."""
    return sum(player.count() for player in players)


def is_ready(asker: httpx.Client) -> bool:
    """Return whether the service says that it is ready."""
    try:
        return asker.get("/readyz").status_code == httpx.codes.OK
    except httpx.TransportError:
        return False


def kill(service: RunningService, role: str) -> bool:
    """SIGKILL the process of a role, if there is one."""
    pid = service.children().get(role)
    if pid is None:
        return False

    os.kill(pid, signal.SIGKILL)
    return True


def kill_after_some_moves(
    service: RunningService, role: str, players: list[InsistentPlayer]
) -> None:
    """Kill the process of a role in the middle of play, and wait until all is ready again."""
    enough = count(players) + MOVES_BETWEEN_KILLS
    until(lambda: count(players) >= enough, "more moves")
    until(lambda: kill(service, role), f"a {role} process to kill")
    with client(service) as asker:
        until(lambda: is_ready(asker), f"readiness after the death of {role}")


def is_idle(asker: httpx.Client, match: str) -> bool:
    """Return whether a match waits for nobody of the service."""
    waiting_for = asker.get(f"/v1/matches/{match}").json()["waiting_for"]
    return not waiting_for["house"] and not waiting_for["bots"]


def check(asker: httpx.Client, match: str, moves: dict[int, str]) -> None:
    """Assert that a match moves on, and that its history holds the acknowledged moves of seat 0.

    It holds each of them once and no other, in one chain.
    """
    until(lambda: is_idle(asker, match), f"match {match} to move on")
    commits = history(asker, match)

    made = {commit["version"]: commit["hash"] for commit in commits if commit["actor"] == "seat:0"}
    assert made == moves
    assert is_one_chain(commits)


@pytest.mark.parametrize("rounds", [ROUNDS])
def test_killed_in_the_middle(tmp_path: Path, rounds: int) -> None:
    """SIGKILL of server, web and workers while clients post: each move once, nothing is stuck."""
    settings = {"GIORNALE_ALLOW_SEED": "true", "GIORNALE_OPENINGS": "0"}
    with running_service(tmp_path, **settings) as service:
        with playing(service) as players:
            for role in ROLES * rounds:
                kill_after_some_moves(service, role, players)

        assert count(players) >= MOVES_BETWEEN_KILLS * len(ROLES) * rounds
        for player in players:
            check_all(service, player)


def check_all(service: RunningService, player: InsistentPlayer) -> None:
    """Check every match of a player."""
    with client(service) as asker:
        for match, moves in player.acknowledged.items():
            check(asker, match, moves)
