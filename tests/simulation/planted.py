"""Faults planted in the product, one at a time, to see that the simulation finds them.

They are switches of the tests alone. Most are wrong journals (see wrong_journals.py); the others
change one function of the product.
"""

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from domain.seats import seat_actor
from service.matches import automation, views
from tests.simulation.world import Wrap
from tests.simulation.wrong_journals import (
    AnswersTooSoon,
    AppendsTwice,
    ForgetsIds,
    IgnoresTheVersion,
    KeepsNoPendingHouse,
    RetriesBlindly,
    TellsTheDiscarded,
    UsesAnySnapshot,
    WaitsByTheCommitsTime,
)

MOST_SEATS = 5


def _sleeping_keeper(patch: pytest.MonkeyPatch) -> None:
    """Let the keeper look at no match."""
    patch.setattr(automation, "sweep", lambda *_: 0)


def _told_secrets(patch: pytest.MonkeyPatch) -> None:
    """Let every caller see what all seats see."""
    everybody = [seat_actor(seat) for seat in range(MOST_SEATS)]
    patch.setattr(views, "audiences", lambda _caller: everybody)


def _nothing(_patch: pytest.MonkeyPatch) -> None:
    """Change nothing in the product."""


@dataclass(frozen=True, slots=True)
class Plant:
    """A fault.

    text: what is wrong.   seeds: the first so many seeds find it.
    wrap: what is put between every process and its journal.
    patch: what is changed in the product.
    """

    text: str
    seeds: int
    wrap: Wrap | None = None
    patch: Callable[[pytest.MonkeyPatch], None] = _nothing


PLANTS = {
    "version-ignored": Plant(
        "An append ignores the expected version.", seeds=40, wrap=IgnoresTheVersion.wrap
    ),
    "answered-too-soon": Plant(
        "A commit is acknowledged before it is appended.", seeds=15, wrap=AnswersTooSoon.wrap
    ),
    "ids-forgotten": Plant(
        "The journal does not remember command ids.", seeds=60, wrap=ForgetsIds.wrap
    ),
    "retried-blindly": Plant(
        "An append whose answer was lost is retried without a look.",
        seeds=150,
        wrap=RetriesBlindly.wrap,
    ),
    "keeper-asleep": Plant("The keeper wakes nobody.", seeds=40, patch=_sleeping_keeper),
    "pending-not-written": Plant(
        "The pending index lacks the matches that wait for the house.",
        seeds=60,
        wrap=KeepsNoPendingHouse.wrap,
    ),
    "waits-by-commit-time": Plant(
        "A commit of a clock that was ahead keeps its match from ever being due.",
        seeds=250,
        wrap=WaitsByTheCommitsTime.wrap,
    ),
    "discarded-told": Plant(
        "What was read before the journal went back is told after it.",
        seeds=120,
        wrap=TellsTheDiscarded.wrap,
    ),
    "snapshot-of-another-history": Plant(
        "A snapshot is used although the journal has gone back behind it.",
        seeds=400,
        wrap=UsesAnySnapshot.wrap,
    ),
    "job-appends-twice": Plant(
        "A job that is done twice appends twice.", seeds=200, wrap=AppendsTwice.wrap
    ),
    "secret-told": Plant(
        "A seat is told the secrets of the others.", seeds=40, patch=_told_secrets
    ),
}
