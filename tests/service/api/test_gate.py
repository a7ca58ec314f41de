"""Room for requests: permits to work, and so many places for bodies that are read."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from service.api.wsgi import admission as limits
from service.api.wsgi.admission import DIRECT, Body, Readers
from service.api.wsgi.gate import Gate, Permit
from service.errors import BodyTooSlow, Overloaded
from tests.running import PATIENCE, until


def test_no_more_than_so_many_work_at_once() -> None:
    """With no room in the line the next is refused at once; room given back is had again."""
    gate = Gate(2, waiting=0, seconds=60)
    assert gate.enter()
    assert gate.enter()
    assert not gate.enter()

    gate.leave()

    assert gate.enter()


def test_who_waits_gets_the_permit_that_is_given_back() -> None:
    """One in line gets it; the next, for whom there is none, is refused after its time."""
    in_line = Counter()
    gate = Gate(1, waiting=1, seconds=PATIENCE, in_line=in_line)
    assert gate.enter()

    with ThreadPoolExecutor(1) as another:
        waiting = another.submit(gate.enter)
        until(lambda: in_line.value, "the second to wait")
        gate.leave()
        assert waiting.result(PATIENCE)

    gate.seconds = 0.01
    assert not gate.enter()


class Counter:
    """A measure that a test reads."""

    def __init__(self) -> None:
        self.value = 0

    def inc(self) -> None:
        """Count one more."""
        self.value += 1

    def dec(self) -> None:
        """Count one less."""
        self.value -= 1


def test_those_at_work_are_counted() -> None:
    """Who pauses is at work; who has given the permit back, or never had one, is not.

    However often a request gives its permit back, one other gets in.
    """
    at_work = Counter()
    gate = Gate(1, waiting=0, seconds=0, at_work=at_work)
    permit = Permit(gate)

    assert permit.take()
    assert not Permit(gate).take()
    assert at_work.value == 1

    permit.pause()
    assert at_work.value == 1

    permit.resume()
    permit.give_back()
    permit.give_back()

    assert at_work.value == 0
    assert gate.enter()
    assert not permit.take_again(0.01)


def test_a_request_that_pauses_leaves_its_turn_to_others_and_comes_back_at_once() -> None:
    """While a body is read directly another may work; then the first goes on without waiting."""
    gate = Gate(1, waiting=1, seconds=0.01)
    reading = Permit(gate)
    other = Permit(gate)

    assert reading.take()

    reading.pause()
    assert other.take()

    reading.resume()

    reading.give_back()
    other.give_back()

    assert Permit(gate).take()


# ---- bodies --------------------------------------------------------------------------------------


class Slow:
    """A body of which nothing comes until somebody ends the connection."""

    def __init__(self) -> None:
        self.asked = threading.Event()
        self.ended = threading.Event()

    def read(self, size: int, /) -> bytes:
        """Block like the server's read."""
        self.asked.set()
        self.ended.wait(PATIENCE)
        return b"x" * size


def there() -> Slow:
    """Return a body that has come already."""
    source = Slow()
    source.ended.set()
    return source


def soon(seconds: float = 60) -> float:
    """Return a deadline."""
    return time.monotonic() + seconds


def test_the_slow_make_room_for_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    """When all places are taken, who has held one beyond the grace is cut off."""
    monkeypatch.setattr(limits, "_GRACE", 0.05)
    readers = Readers(1)
    source = Slow()

    with ThreadPoolExecutor(1) as another:
        reading = another.submit(readers.read, source, 5, soon(), None)
        reading.add_done_callback(lambda _: source.ended.set())  # who is refused is let go
        until(source.asked.is_set, "the slow one to hold the place")
        assert readers.read(there(), 3, soon(), None) == b"xxx"

    assert isinstance(reading.exception(), BodyTooSlow)


def test_no_more_than_so_many_bodies_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """One is read, one waits and is told so after its turn."""
    monkeypatch.setattr(limits, "_PLACE_SECONDS", 0.2)
    readers = Readers(1)
    source = Slow()

    with ThreadPoolExecutor(1) as another:
        another.submit(readers.read, source, 1, soon(), None)
        until(source.asked.is_set, "the first to be read")
        with pytest.raises(Overloaded):
            readers.read(Slow(), 1, soon(), None)
        source.ended.set()


def test_whoever_shows_a_good_token_is_read_directly() -> None:
    """As few as may be read so are; what comes beyond is not read so."""
    readers = Readers(1)
    stuck = [Slow() for _ in range(DIRECT)]
    with ThreadPoolExecutor(DIRECT) as others:
        for source in stuck:
            others.submit(readers.read_directly, source, 5, None)
        until(lambda: all(source.asked.is_set() for source in stuck), "all to be read")
        assert readers.read_directly(there(), 5, None) is None
        for source in stuck:
            source.ended.set()

    assert readers.read_directly(there(), 5, None) == b"xxxxx"


def test_a_body_that_was_too_slow_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """So its answer can end the connection; the permit to work was another's to have meanwhile."""
    monkeypatch.setattr("service.api.wsgi.admission._BODY_SECONDS", 0.1)
    gate = Gate(1, waiting=0, seconds=0)
    permit = Permit(gate)
    source = Slow()
    body = Body({"wsgi.input": source, "CONTENT_LENGTH": "5"}, Readers(1), permit)
    assert permit.take()

    with pytest.raises(BodyTooSlow):
        body.read(5)

    assert body.too_slow
    assert gate.enter()

    source.ended.set()
