"""Several processes do what one does, in its order, and none of them is left."""

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from weakref import WeakSet

import pytest

from service.verify.files import ProcessDied, in_order

NUMBERS = range(50)


@dataclass(eq=False)
class Weighty:
    """An item whose copies in memory can be counted."""

    number: int


def weighed(item: Weighty) -> int:
    """Return the number of an item."""
    return item.number


def squared(number: int) -> int:
    """Return the square of a number."""
    return number * number


def last_one_first(number: int) -> int:
    """Return the number; the first one takes longer than all others together."""
    return number or sum(range(3_000_000)) * 0


def die(number: int) -> int:
    """End this process at 3, as the system does when there is no memory left."""
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def fail(number: int) -> int:
    """Fail as a program with a fault does."""
    return number // 0


def fail_at_a_file(number: int) -> int:
    """Fail as the connection to the parent might."""
    raise OSError(number)


@pytest.mark.parametrize("processes", [1, 3])
def test_results_come_in_the_order_of_the_items(processes: int) -> None:
    """However many processes there are; afterwards they have ended."""
    assert list(in_order(squared, NUMBERS, processes)) == list(map(squared, NUMBERS))
    assert multiprocessing.active_children() == []


def test_a_slow_item_does_not_lose_its_place() -> None:
    """What is done before its turn waits for it."""
    assert list(in_order(last_one_first, NUMBERS, 2)) == list(NUMBERS)


@pytest.mark.parametrize("processes", [1, 2])
def test_few_items_are_in_memory(processes: int) -> None:
    """At most one more for each process, beside the one that it works on and has itself."""
    alive: WeakSet[Weighty] = WeakSet()
    most = 0

    def items() -> Iterator[Weighty]:
        nonlocal most
        for number in NUMBERS:
            item = Weighty(number)
            alive.add(item)
            most = max(most, len(alive))
            yield item

    assert list(in_order(weighed, items(), processes)) == list(NUMBERS)
    assert most <= 2 * processes


def test_no_more_processes_are_started_than_there_are_items() -> None:
    """Two records need no eight processes."""
    results = in_order(squared, [1, 2], 8)
    next(results)
    assert len(multiprocessing.active_children()) <= 2
    assert list(results) == [4]


def test_nothing_to_do_starts_no_process() -> None:
    """There are no results then."""
    assert list(in_order(squared, [], 2)) == []


def test_whoever_stops_leaves_no_process() -> None:
    """They are ended at once, whatever they do."""
    results = in_order(squared, NUMBERS, 2)
    next(results)
    results.close()  # type: ignore[attr-defined]
    assert multiprocessing.active_children() == []


def test_a_process_that_is_killed_is_told() -> None:
    """Nobody waits for it for ever, and the others end, too."""
    with pytest.raises(ProcessDied, match=r"ended from outside \(Killed\)"):
        list(in_order(die, NUMBERS, 2))
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize(
    ("work", "error"), [(fail, "ZeroDivisionError"), (fail_at_a_file, "OSError")]
)
def test_a_process_with_a_fault_is_told(
    capfd: pytest.CaptureFixture[str], work: Callable[[int], int], error: str
) -> None:
    """What happened in it stands on standard error."""
    with pytest.raises(ProcessDied, match="exit code 1"):
        list(in_order(work, NUMBERS, 2))
    assert error in capfd.readouterr().err


def test_ctrl_c_is_the_parents_business() -> None:
    """A terminal sends it to all processes; those that work go on until their parent ends them."""
    results = in_order(squared, NUMBERS, 2)
    next(results)
    for process in multiprocessing.active_children():
        assert process.pid is not None
        os.kill(process.pid, signal.SIGINT)
    assert list(results) == list(map(squared, NUMBERS))[1:]
