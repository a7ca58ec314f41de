"""Records in files, packed by gzip or not. Many are checked by several processes."""

import gzip
import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from weakref import WeakSet

import pytest

from service.record.verify import files
from service.record.verify.files import ProcessDied, Unreadable, in_order, lines_of, unpacked

CONTENT = b'{"a":1}\n' * 1000
PACKED = gzip.compress(CONTENT)


def test_a_gzipped_file_is_unpacked() -> None:
    """A gzipped file is unpacked. Other content is returned unchanged."""
    assert unpacked(PACKED, "x") == CONTENT
    assert unpacked(CONTENT, "x") == CONTENT


@pytest.mark.parametrize(
    ("packed", "why"),
    [
        pytest.param(PACKED[:-9], "x cannot be unpacked: it was cut short", id="cut"),
        pytest.param(PACKED + b"more", "x has data after its end", id="more"),
        pytest.param(PACKED[:10] + b"\xff" * 20, "x cannot be unpacked: Error", id="damaged"),
    ],
)
def test_a_damaged_gzip_file_is_named(packed: bytes, why: str) -> None:
    """The error begins with the name of the file."""
    with pytest.raises(Unreadable, match=why):
        unpacked(packed, "x")


def test_a_small_file_does_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that unpacks to more than any record is refused before all of it is unpacked."""
    monkeypatch.setattr(files, "MOST_BYTES", 4000)
    with pytest.raises(Unreadable, match="x is larger than any record"):
        unpacked(PACKED, "x")


def test_a_file_that_is_no_record_has_no_lines() -> None:
    """A file that is no record is unreadable, neither right nor wrong."""
    with pytest.raises(Unreadable, match="x is not a record"):
        lines_of(CONTENT, "x")


# ---- several processes do what one does, in its order, and none of them is left ------------------

NUMBERS = range(20)


@dataclass(eq=False)
class Weighty:
    """An item with countable copies in memory."""

    number: int


def weighed(item: Weighty) -> int:
    """Return the number of an item. The first item takes longer than all others together."""
    return item.number or sum(range(3_000_000)) * 0


def die(number: int) -> int:
    """Kill this process at 3, as the system does when memory runs out."""
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def fail(number: int) -> int:
    """Fail as a program with a fault does."""
    return number // 0


def fail_at_a_file(number: int) -> int:
    """Fail as the connection to the parent might."""
    raise OSError(number)


def same(number: int) -> int:
    """Return the number."""
    return number


@pytest.mark.parametrize("processes", [1, 2])
def test_results_come_in_order_and_few_items_are_in_memory(processes: int) -> None:
    """Results come in order. At most two items for each process are in memory."""
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
    assert multiprocessing.active_children() == []


@pytest.mark.whole
def test_no_more_processes_are_started_than_there_are_items() -> None:
    """For two items and eight processes at most two are started."""
    results = in_order(same, [1, 2], 8)
    next(results)
    assert len(multiprocessing.active_children()) <= 2
    assert list(results) == [2]
    assert list(in_order(same, [], 2)) == []


@pytest.mark.whole
def test_a_caller_that_stops_leaves_no_process() -> None:
    """A caller that stops ends all processes.

    Ctrl-C, which a terminal sends to all processes, does not end them.
    """
    results = in_order(same, NUMBERS, 2)
    next(results)
    for process in multiprocessing.active_children():
        assert process.pid is not None
        os.kill(process.pid, signal.SIGINT)
    assert [next(results) for _ in range(9)] == list(NUMBERS[1:10])

    results.close()  # type: ignore[attr-defined]
    assert multiprocessing.active_children() == []


@pytest.mark.whole
@pytest.mark.parametrize(
    ("work", "how", "error"),
    [
        (die, r"was killed \(Killed\)", ""),
        (fail, "exit code 1", "ZeroDivisionError"),
        (fail_at_a_file, "exit code 1", "OSError"),
    ],
    ids=["killed", "fault", "fault-at-a-file"],
)
def test_a_process_that_ends_is_told(
    capfd: pytest.CaptureFixture[str], work: Callable[[int], int], how: str, error: str
) -> None:
    """The end of a process is raised as an error. Its own error is on standard error."""
    with pytest.raises(ProcessDied, match=how):
        list(in_order(work, NUMBERS, 2))
    assert error in capfd.readouterr().err
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize("first", [b"", b'{"type":"giornale.commit","specversion":"1.0"}'])
def test_a_flood_of_line_feeds_is_no_record(first: bytes) -> None:
    """Millions of line feeds are refused, with or without a commit before them."""
    with pytest.raises(Unreadable, match="is not a record"):
        lines_of(first + b"\n" * 10_000_000, "flood")
