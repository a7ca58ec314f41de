"""Clients that open matches and post moves one after the other, as fast as they are answered."""

import asyncio
import time
import uuid
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import aiohttp

from benchmarks.matches import HUMANS, SEED, SeatMove

CREATED = 201
COME_BACK = (429, 503)  # nothing was done: the same request is sent again later
_LONGEST_PAUSE_SECONDS = 1.0
_REQUEST_SECONDS = 30


class UnexpectedAnswer(Exception):
    """An answer that the service must never give, however many clients there are."""


@dataclass
class Tally:
    """What clients were told.

    answers: how many of each status; 0 stands for a connection that broke.
    seconds: of each move that was acknowledged, from the first try on.
    versions: the last acknowledged version of each match.
    """

    answers: Counter[int] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    versions: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Player:
    """One client: what it plays, and where it notes what it was told."""

    url: str
    game: str
    moves: Sequence[SeatMove]
    tally: Tally

    async def play(self, until: float) -> None:
        """Play match after match until a time of the monotonic clock."""
        timeout = aiohttp.ClientTimeout(total=_REQUEST_SECONDS)
        async with aiohttp.ClientSession(self.url, timeout=timeout) as session:
            while time.monotonic() < until:
                await self._play_match(session, until)

    async def _play_match(self, session: aiohttp.ClientSession, until: float) -> None:
        """Open a match and post its moves, or as many as there is time for."""
        wish = {"game": self.game, "seats": HUMANS, "seed": SEED}
        opened = await self._post(session, "/v1/matches", wish, {})
        match_id = opened["id"]
        self.tally.versions[match_id] = 1

        for version, seat_move in enumerate(self.moves, 1):
            if time.monotonic() >= until:
                return

            token = opened["tokens"][f"seat:{seat_move.seat}"]
            headers = {"Authorization": f"Bearer {token}", "If-Match": f'"{version}"'}
            start = time.monotonic()
            await self._post(session, f"/v1/matches/{match_id}/moves", seat_move.move, headers)

            self.tally.seconds.append(time.monotonic() - start)
            self.tally.versions[match_id] = version + 1

    async def _post(
        self, session: aiohttp.ClientSession, path: str, body: Any, headers: dict[str, str]
    ) -> Any:
        """Send a request until it is done, always with the same key; return the answer.

        Raises UnexpectedAnswer.
        """
        headers = {**headers, "Idempotency-Key": str(uuid.uuid4())}
        while True:
            try:
                async with session.post(path, json=body, headers=headers) as answer:
                    content = await answer.json(content_type=None)
            except (aiohttp.ClientError, TimeoutError):
                self.tally.answers[0] += 1
                await asyncio.sleep(_LONGEST_PAUSE_SECONDS)
                continue

            self.tally.answers[answer.status] += 1
            if answer.status == CREATED:
                return content
            if answer.status not in COME_BACK:
                raise UnexpectedAnswer(f"{path}: {answer.status} {content}")
            await asyncio.sleep(_pause(answer.headers))


def _pause(headers: Any) -> float:
    """Return how long to wait before the next try, in seconds."""
    asked = float(headers.get("Retry-After", _LONGEST_PAUSE_SECONDS))
    return min(asked, _LONGEST_PAUSE_SECONDS)
