"""Permits to work: so many at once, a bounded line, in order; bodies: so many places, and the slow make room."""

import threading
import time

import pytest

from service.api.wsgi import readers as reading_threads
from service.api.wsgi.gate import Gate, Permit
from service.api.wsgi.readers import DIRECT, Readers
from service.errors import BodyTooSlow, Overloaded
from tests.running import until


def test_no_more_than_so_many_work_at_once() -> None:
    """With no room in the line the next is refused at once; room that was given back is had again."""
    gate = Gate(2, waiting=0, seconds=60)
    assert [gate.enter() for _ in range(3)] == [True, True, False]
    gate.leave()
    assert gate.enter()


def test_who_waits_gets_the_permit_that_is_given_back() -> None:
    """One in line gets it; the next in line, for whom there is none, is refused after its time."""
    gate = Gate(1, waiting=2, seconds=0.2)
    assert gate.enter()
    outcomes: list[bool] = []
    waiting = [threading.Thread(target=lambda: outcomes.append(gate.enter())) for _ in range(2)]
    for one in waiting:
        one.start()
    gate.leave()
    for one in waiting:
        one.join()
    assert sorted(outcomes) == [False, True]


def test_a_permit_is_given_back_once() -> None:
    """However often a request gives its permit back, one other gets in."""
    gate = Gate(1, waiting=0, seconds=0)
    permit = Permit(gate)
    assert permit.take()
    permit.give_back()
    permit.give_back()
    assert gate.enter()
    assert not permit.take_again(0.01)


class Slow:
    """A body of which nothing comes until somebody ends the connection."""

    def __init__(self) -> None:
        self.asked = threading.Event()
        self.ended = threading.Event()

    def read(self, size: int, /) -> bytes:
        """Block like the server's read."""
        self.asked.set()
        self.ended.wait(10)
        return b"x" * size


def test_a_body_that_is_too_slow_is_given_up() -> None:
    """After its deadline, while the permit to work was another's to have."""
    gate = Gate(1, waiting=0, seconds=0)
    permit, source = Permit(gate), Slow()
    assert permit.take()
    with pytest.raises(BodyTooSlow):
        Readers(1).read(source, 5, time.monotonic() + 0.1, permit)
    assert gate.enter()
    source.ended.set()


def test_the_slow_make_room_for_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    """When all places are taken, who has held one beyond the grace is cut off, long before its own deadline."""
    monkeypatch.setattr(reading_threads, "_GRACE", 0.05)
    readers, source, refused = Readers(1), Slow(), threading.Event()

    def slow() -> None:
        with pytest.raises(BodyTooSlow):
            readers.read(source, 5, time.monotonic() + 60, None)
        refused.set()
        source.ended.set()

    holder = threading.Thread(target=slow)
    holder.start()
    until(lambda: readers._reading, "the slow one to hold the place")
    quick = Slow()
    quick.ended.set()
    assert readers.read(quick, 3, time.monotonic() + 5, None) == b"xxx"
    assert refused.is_set()
    holder.join()


def test_no_more_than_so_many_bodies_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """One is read, one waits and is told so after its turn, a third is refused at once."""
    monkeypatch.setattr(reading_threads, "_TURN", 0.2)
    readers, source = Readers(1), Slow()
    began = threading.Thread(target=readers.read, args=(source, 1, time.monotonic() + 60, None))
    began.start()
    until(lambda: readers._reading, "the first to be read")
    with pytest.raises(Overloaded):
        readers.read(Slow(), 1, time.monotonic() + 60, None)
    source.ended.set()
    began.join()


def test_whoever_shows_a_good_token_is_read_directly() -> None:
    """As few as may be read so are read by the request's own thread; what comes beyond has a deadline as all have."""
    readers = Readers(1)
    stuck = [Slow() for _ in range(DIRECT)]
    threads = [
        threading.Thread(target=readers.read_directly, args=(source, 5, None)) for source in stuck
    ]
    for thread in threads:
        thread.start()
    until(lambda: all(source.asked.is_set() for source in stuck), "all to be read")
    assert readers.read_directly(Slow(), 5, None) is None

    for source in stuck:
        source.ended.set()
    for thread in threads:
        thread.join()
    assert readers.read_directly(stuck[0], 5, None) == b"xxxxx"


def test_a_request_that_reads_leaves_its_turn_to_others_and_comes_back_at_once() -> None:
    """While a body is read directly another request may work; afterwards the first goes on without waiting."""
    gate = Gate(1, waiting=1, seconds=0.01)
    reading, other = Permit(gate), Permit(gate)
    assert reading.take()
    reading.pause()
    assert other.take()
    reading.resume()
    reading.give_back()
    other.give_back()
    assert Permit(gate).take()
