"""What clients of a running service do: ask, play, wait for an end, read a history."""

import threading
from typing import Any

import httpx

from tests.running import RunningService, until

Json = dict[str, Any]

# Games in whose matches every player makes many moves; a new game may be a short one.
LONG_GAMES = ("calimala", "firenze")

REQUEST_SECONDS = 10
RETRY_SECONDS = 0.02


def client(service: RunningService, token: str | None = None) -> httpx.Client:
    """Return an HTTP client of the service, with a token if given."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return httpx.Client(
        base_url=service.url,
        headers=headers,
        timeout=REQUEST_SECONDS,
        trust_env=False,
    )


def to_end(asker: httpx.Client, match: str) -> Json:
    """Wait until a match has ended and everything is revealed; return its document."""

    def ended_match() -> Json | None:
        document: Json = asker.get(f"/v1/matches/{match}").raise_for_status().json()
        is_over = document["status"] == "finished" and not document["waiting_for"]["house"]
        return document if is_over else None

    document: Json = until(ended_match, "the end of the match")
    return document


def history(asker: httpx.Client, match: str) -> list[Json]:
    """Return a match's whole history, read in pages."""
    commits: list[Json] = []
    while True:
        position = {"after": len(commits)}
        page = asker.get(f"/v1/matches/{match}/commits", params=position).json()["commits"]
        if not page:
            return commits
        commits += page


def is_one_chain(commits: list[Json]) -> bool:
    """Return whether each commit of a history names the hash of the one before."""
    hashes = [commit["hash"] for commit in commits]
    named_hashes = [commit["prev"] for commit in commits]
    return named_hashes[1:] == hashes[:-1]


def waits_for_nobody(document: Json) -> bool:
    """Return whether neither a seat nor the house must act: the match is over."""
    waiting_for = document["waiting_for"]
    return not waiting_for["seats"] and not waiting_for["house"]


class Player(threading.Thread):
    """A client that plays match after match in its own thread, and keeps what was acknowledged.

    acknowledged: by match, the hashes of the moves that the service answered with 201, by version.
    """

    def __init__(self) -> None:
        super().__init__()
        self.acknowledged: dict[str, dict[int, str]] = {}
        self.stopping = threading.Event()
        self._failure: BaseException | None = None

    def run(self) -> None:
        """Play until told to stop."""
        number = 0
        try:
            while not self.stopping.is_set():
                self.play_match(number)
                number += 1
        except BaseException as error:  # noqa: BLE001 - the test raises it
            self._failure = error

    def play_match(self, number: int) -> None:
        """Open and play one match; number: how many were played before."""
        raise NotImplementedError

    def note(self, match: str, made: Json) -> None:
        """Keep a move that was acknowledged; fail if another move made the same commit."""
        moves = self.acknowledged[match]
        assert made["version"] not in moves, "two keys made one commit"
        moves[made["version"]] = made["hash"]

    def count(self) -> int:
        """Return how many moves are acknowledged; raise what went wrong in the thread."""
        if self._failure is not None:
            raise self._failure
        return sum(len(moves) for moves in list(self.acknowledged.values()))

    def stop(self) -> None:
        """Have the thread end, and wait for that."""
        self.stopping.set()
        self.join()
