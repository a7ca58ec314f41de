"""The matches of the campaign: what they are opened as, and who knows their tokens."""

import random
import uuid
from dataclasses import dataclass, field
from typing import Any

GAMES = ("calimala", "firenze")
HUMAN = {"kind": "human"}
BOT = {"kind": "bot", "level": "random"}

# Who sits there, with how often that is drawn: one human among bots, humans alone, bots alone.
SEATINGS = (
    ([HUMAN, BOT, BOT], 5),
    ([HUMAN, HUMAN, BOT], 4),
    ([HUMAN, HUMAN, HUMAN], 3),
    ([BOT, BOT, BOT], 1),
)

MATCHES_PATH = "/v1/matches"


@dataclass(slots=True)
class Table:
    """One match as its players know it.

    tokens: by holder, "owner" or "seat:N".
    acting: the seat whose turn it was when somebody last looked.
    ended: whether it is over and everything is revealed.
    """

    match: str
    tokens: dict[str, str] = field(repr=False)
    acting: int = 0
    ended: bool = False

    @property
    def path(self) -> str:
        """Where the match is found."""
        return f"{MATCHES_PATH}/{self.match}"

    @property
    def seats(self) -> list[int]:
        """The seats that clients hold."""
        numbers = [name.partition(":")[2] for name in self.tokens]
        return sorted(int(number) for number in numbers if number)


def opening(lots: random.Random) -> dict[str, Any]:
    """Draw what a match is opened with."""
    seatings = [seats for seats, _weight in SEATINGS]
    weights = [weight for _seats, weight in SEATINGS]
    [seats] = lots.choices(seatings, weights)
    return {"game": lots.choice(GAMES), "seats": seats}


def new_key(lots: random.Random) -> str:
    """Draw an idempotency key."""
    return str(uuid.UUID(int=lots.getrandbits(128), version=4))


def is_over(document: dict[str, Any]) -> bool:
    """Return whether nobody must act any more: the match has ended and is revealed."""
    waiting_for = document["waiting_for"]
    return not any((waiting_for["seats"], waiting_for["house"], waiting_for["bots"]))
