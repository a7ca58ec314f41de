"""Plans of the scripts: seats, terms, and players with keys."""

import hashlib
from typing import Any

from tests.scripted.world import Player

HUMAN: dict[str, Any] = {"kind": "human"}
OPEN: dict[str, Any] = {"kind": "open"}
RANDOM: dict[str, Any] = {"kind": "bot", "level": "random"}
GREEDY: dict[str, Any] = {"kind": "bot", "level": "greedy"}
THREE = [HUMAN] * 3

CLOCK: dict[str, Any] = {"bank_s": 60, "move_s": 30, "level": "greedy"}
SHORT_CLOCK: dict[str, Any] = {"bank_s": 30, "move_s": 0, "level": "random"}

ADA, BEA, CLEO = (Player(name) for name in ("Ada", "Bea", "Cleo"))

AFTER_DRAFT = 7  # the version of Calimala with the first turn of seat 0
DRAFT = (0, 1, 2, 2, 1, 0)


def entropy(seat: int, attempt: int = 1) -> str:
    """Return the entropy of a seat, in hex."""
    return hashlib.sha256(f"entropy|{seat}|{attempt}".encode()).hexdigest()


def pledge(seat: int, attempt: int = 1) -> str:
    """Return the pledge of a seat's entropy (M19)."""
    text = f'{{"entropy":"{entropy(seat, attempt)}","seat":{seat}}}'
    return hashlib.sha256(text.encode()).hexdigest()


def pledging(seat: int, **more: Any) -> dict[str, Any]:
    """Return the plan of a human with a pledge at the opening."""
    return {**HUMAN, "pledge": pledge(seat), **more}
