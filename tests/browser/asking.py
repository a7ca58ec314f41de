"""Requests of the browser's tests beside the pages: matches, states, records."""

from typing import Any

import httpx

from tests.e2e.playing import Json, client, to_end
from tests.running import RunningService

ADA = {"kind": "human", "name": "Ada"}
BOB = {"kind": "human", "name": "Bob"}
BOT = {"kind": "bot", "level": "random"}


def open_match(
    service: RunningService, game: str, seats: list[Json], key: str = "", **more: Any
) -> Json:
    """Open a match and return the answer with its tokens. key: the Idempotency-Key."""
    headers = {"Idempotency-Key": key} if key else {}
    with client(service) as asker:
        body = {"game": game, "seats": seats, **more}
        answer = asker.post("/v1/matches", json=body, headers=headers)
        assert answer.status_code == httpx.codes.CREATED, answer.text
        opened: Json = answer.json()
        return opened


def played_match(service: RunningService, game: str, seats: int, **more: Any) -> Json:
    """Let bots play a match to its end. Return its document."""
    opened = open_match(service, game, [BOT] * seats, **more)
    with client(service) as asker:
        return to_end(asker, opened["match"])


def get(service: RunningService, path: str, token: str | None = None, **query: Any) -> Any:
    """Return the JSON that a GET is answered with."""
    with client(service, token) as asker:
        return asker.get(path, params=query).raise_for_status().json()


def record_of(service: RunningService, match: str) -> str:
    """Return the whole record of a match."""
    with client(service) as asker:
        return asker.get(f"/v1/matches/{match}/record").raise_for_status().text


def seat_address(opened: Json, seat: int) -> str:
    """Return the address of a table for one of its seats, with the token in the fragment."""
    token = opened["tokens"][f"seat:{seat}"]
    return f"/matches/{opened['match']}#token={token}"
