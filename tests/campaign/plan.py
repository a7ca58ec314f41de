"""The plan of the nemesis: an endless row of faults that follows from the seed alone.

If parts are killed at all, the plan begins with one kill of each, so that a short campaign has
met every part.
"""

import itertools
import random
from collections.abc import Iterator, Sequence
from typing import Any

from tests.campaign.clocks import PLACES
from tests.campaign.faults import (
    CLOCK,
    CUT,
    CUTS,
    DISK,
    FLUSH,
    KILL,
    LONGEST_JUMP_MS,
    LONGEST_SECONDS,
    PART_WEIGHTS,
    SHORTEST_SECONDS,
    STOP,
    STOPPABLE,
    TOGETHER,
    WEIGHTS,
    Step,
)
from tests.campaign.proxy import DOORS
from tests.campaign.service import JOB

PATIENCE_SHARE = 0.8  # of the steps wait for the next acknowledged move
MOST_TOGETHER = 4


def plan(seed: int, faults: Sequence[str], pause: float) -> Iterator[Step]:
    """Yield the steps; the same arguments yield the same steps.

    pause: mean of the seconds between two steps, beside the time that the service needs.
    """
    lots = random.Random(seed)
    first_parts = [part for part in PART_WEIGHTS if part != JOB] if KILL in faults else []
    lots.shuffle(first_parts)
    weights = [WEIGHTS[fault] for fault in faults]

    for number in itertools.count(1):
        is_first_round = bool(first_parts)
        if is_first_round:
            fault = KILL
            details: dict[str, Any] = {"parts": (first_parts.pop(),)}
        else:
            [fault] = lots.choices(faults, weights)
            details = _details(fault, lots)

        yield Step(
            number=number,
            fault=fault,
            pause=round(lots.uniform(0, 2 * pause), 3),
            patient=lots.random() < PATIENCE_SHARE,
            lot=lots.random(),
            first_round=is_first_round,
            **details,
        )


def _details(fault: str, lots: random.Random) -> dict[str, Any]:
    """Draw what a fault hits, and for how long."""
    seconds = round(lots.uniform(SHORTEST_SECONDS, LONGEST_SECONDS), 3)
    if fault == KILL:
        return {"parts": _drawn_parts(lots, 1)}
    if fault == TOGETHER:
        number = lots.randint(2, MOST_TOGETHER)
        return {"parts": _drawn_parts(lots, number)}

    if fault == STOP:
        part = lots.choice(STOPPABLE)
        return {"parts": (part,), "seconds": seconds}
    if fault == CUT:
        mode = lots.choice(sorted(CUTS))
        amount = lots.randint(1, CUTS[mode]) if CUTS[mode] else 0
        door = lots.choice(DOORS)
        return {"parts": (door,), "mode": mode, "amount": amount, "seconds": seconds}

    if fault == CLOCK:
        jump = lots.randint(-LONGEST_JUMP_MS, LONGEST_JUMP_MS)
        place = lots.choice(sorted(PLACES))
        return {"parts": (place,), "amount": jump, "seconds": seconds}

    assert fault in (DISK, FLUSH)
    return {"parts": (), "seconds": seconds if fault == DISK else 0.0}


def _drawn_parts(lots: random.Random, number: int) -> tuple[str, ...]:
    """Draw different parts by their weights; a job alone is seldom there, so never just one."""
    parts: list[str] = []
    while len(parts) < number:
        [part] = lots.choices(list(PART_WEIGHTS), list(PART_WEIGHTS.values()))
        if part not in parts and (part != JOB or number > 1):
            parts.append(part)
    return tuple(parts)
