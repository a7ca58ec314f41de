"""Permits to work: so many at once, a bounded line, in order."""

import threading

from service.api.wsgi.gate import Gate, Permit


def test_no_more_than_so_many_work_at_once() -> None:
    """With no room in the line the next is refused at once; room given back is had again."""
    gate = Gate(2, waiting=0, seconds=60)
    assert gate.enter()
    assert gate.enter()
    assert not gate.enter()

    gate.leave()

    assert gate.enter()


def test_who_waits_gets_the_permit_that_is_given_back() -> None:
    """One in line gets it; the next in line, for whom there is none, is refused after its time."""
    gate = Gate(1, waiting=2, seconds=0.2)
    assert gate.enter()

    outcomes: list[bool] = []
    waiting = [threading.Thread(target=lambda: outcomes.append(gate.enter())) for _ in range(2)]
    for thread in waiting:
        thread.start()

    gate.leave()

    for thread in waiting:
        thread.join()

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
    """Who pauses is at work; who has given the permit back, or never had one, is not."""
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
