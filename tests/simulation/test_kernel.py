"""Strands go on one at a time, in virtual time, in an order that the seed decides."""

from collections.abc import Iterator
from functools import partial
from random import Random

import pytest

from tests.simulation.kernel import SECOND, Died, Kernel

HOUR = 3600 * SECOND


@pytest.fixture
def kernel() -> Iterator[Kernel]:
    """A kernel with a seed."""
    kernel = Kernel(Random(1))
    yield kernel
    kernel.close()


def order_of_turns(seed: int) -> list[int]:
    """Return in which order eight strands go on that are due at the same time."""
    kernel = Kernel(Random(seed))
    turns: list[int] = []
    for number in range(8):
        take_turn = partial(turns.append, number)
        kernel.spawn(f"strand {number}", take_turn)
    kernel.run(SECOND)
    return turns


def test_the_seed_decides_among_strands_that_are_due_at_once() -> None:
    """One seed gives one order, another seed another one."""
    assert order_of_turns(1) == order_of_turns(1)
    assert order_of_turns(1) != order_of_turns(2)
    assert sorted(order_of_turns(2)) == list(range(8))


def test_hours_pass_at_once(kernel: Kernel) -> None:
    """Nobody waits in real time."""
    times: list[int] = []

    def work() -> None:
        for _ in range(3):
            kernel.pause(HOUR)
            times.append(kernel.now)

    kernel.spawn("patient", work)
    kernel.run(5 * HOUR)
    assert times == [HOUR, 2 * HOUR, 3 * HOUR]
    assert kernel.now == 5 * HOUR


def test_a_killed_strand_stops_where_it_stands(kernel: Kernel) -> None:
    """No `except Exception` holds it up, and its appointment is void."""
    steps: list[str] = []

    def work() -> None:
        try:
            steps.append("before")
            kernel.pause(2 * SECOND)
            steps.append("after")
        except Exception:  # noqa: BLE001 - what careless code would do
            steps.append("survived")
        except Died:
            steps.append("died")

    strand = kernel.spawn("victim", work)
    kernel.at(SECOND, lambda: kernel.kill(strand))
    kernel.run(3 * SECOND)
    assert steps == ["before", "died"]


def test_a_parked_strand_waits_for_somebody(kernel: Kernel) -> None:
    """It goes on when it is called, and not before."""
    woken_at: list[int] = []

    def work() -> None:
        kernel.park()
        woken_at.append(kernel.now)

    strand = kernel.spawn("sleeper", work)
    kernel.at(2 * SECOND, lambda: kernel.unpark(strand, SECOND))
    kernel.run(9 * SECOND)
    assert woken_at == [3 * SECOND]
