"""Room for requests: permits to work, and a limited number of places for reading bodies."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from service.api.http.limits import Sender
from service.api.wsgi import Environ, admission as limits
from service.api.wsgi.admission import DIRECT, Admission, Body, ReaderThreads
from service.api.wsgi.gate import Gate, Permit, Usage
from service.base.config import Config
from service.base.errors import BodyTooSlow, Overloaded
from service.store.keys import tokens
from tests.running import PATIENCE, no_threads, until

ADA = Sender("ada", "10.0.0.1")
BERT = Sender("bert", "10.0.0.2")
CARL = Sender("carl", "10.0.0.3")


def test_no_more_than_so_many_work_at_once() -> None:
    """Without a line, a request beyond the permits is refused at once.

    A returned permit is given again.
    """
    gate = Gate(2, waiting=0, seconds=60)
    assert gate.enter(ADA)
    assert gate.enter(BERT)
    assert not gate.enter(CARL)

    gate.leave(ADA)

    assert gate.enter(CARL)


def test_a_returned_permit_goes_to_the_next_in_line() -> None:
    """A waiting request gets the returned permit. A later one gets none in time and is refused."""
    in_line = Counter()
    gate = Gate(1, waiting=1, seconds=PATIENCE, in_line=in_line)
    assert gate.enter(ADA)

    with ThreadPoolExecutor(1) as another:
        waiting = another.submit(gate.enter, BERT)
        until(lambda: in_line.value, "the second to wait")
        gate.leave(ADA)
        assert waiting.result(PATIENCE)

    gate.seconds = 0.01
    assert not gate.enter(ADA)


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
    """A paused request counts as at work, a request without a permit does not.

    A permit that is returned twice lets only one other request in.
    """
    at_work = Counter()
    gate = Gate(1, waiting=0, seconds=0, at_work=at_work)
    permit = Permit(gate, ADA)

    assert permit.take()
    assert not Permit(gate, ADA).take()
    assert at_work.value == 1

    permit.pause()
    assert at_work.value == 1

    permit.resume()
    permit.give_back()
    permit.give_back()

    assert at_work.value == 0
    assert gate.enter(ADA)
    assert not permit.take_again(0.01)


def test_a_paused_request_yields_its_turn_and_resumes_at_once() -> None:
    """While a body is read directly another may work. Then the first goes on without waiting."""
    gate = Gate(1, waiting=1, seconds=0.01)
    reading = Permit(gate, ADA)
    other = Permit(gate, ADA)

    assert reading.take()

    reading.pause()
    assert other.take()

    reading.resume()

    reading.give_back()
    other.give_back()

    assert Permit(gate, ADA).take()


# ---- fair to callers and addresses ---------------------------------------------------------------


def test_one_caller_has_a_quarter_of_the_permits() -> None:
    """The third request of a caller gets no permit although six are free.

    Another caller gets one.
    """
    gate = Gate(8, waiting=1, seconds=0)

    assert [gate.enter(ADA), gate.enter(ADA), gate.enter(ADA)] == [True, True, False]
    assert gate.enter(BERT)

    gate.leave(ADA)

    assert gate.enter(ADA)


@pytest.mark.parametrize(
    "third",
    [Sender("other token", ADA.address), Sender(ADA.caller, "10.0.0.9")],
    ids=["other tokens of one address", "one token from other addresses"],
)
def test_a_caller_and_an_address_are_bounded_alike(third: Sender) -> None:
    """Neither more tokens nor more addresses bring more permits."""
    gate = Gate(8, waiting=1, seconds=0)
    assert gate.enter(ADA)
    assert gate.enter(ADA)

    assert not gate.enter(third)


def test_every_request_of_a_bounded_caller_has_its_turn() -> None:
    """Five requests of one caller share two of eight permits: each waits for an earlier one."""
    in_line = Counter()
    gate = Gate(8, waiting=8, seconds=PATIENCE, in_line=in_line)
    assert gate.enter(ADA)
    assert gate.enter(ADA)

    with ThreadPoolExecutor(3) as others:
        waiting = [others.submit(gate.enter, ADA) for _ in range(3)]
        until(lambda: in_line.value == 3, "three to wait")
        for _ in range(3):
            gate.leave(ADA)
        assert all(entered.result(PATIENCE) for entered in waiting)


def first_in_turn(gate: Gate, in_line: "Counter", senders: list[Sender]) -> Sender:
    """Return the sender of the next permit if all of these wait, in this order."""
    with ThreadPoolExecutor(len(senders)) as others:
        entered = {}
        for sender in senders:
            entered[sender] = others.submit(gate.enter, sender)
            until(lambda: in_line.value == len(entered), "the next one to wait")

        gate.leave(CARL)
        until(lambda: any(future.done() for future in entered.values()), "the first turn")
        [first] = [sender for sender, future in entered.items() if future.done()]
        for sender in senders[1:]:
            gate.leave(sender)
    return first


@pytest.mark.parametrize(
    ("used", "first"),
    [({}, ADA), ({ADA: 0.077}, BERT), ({ADA: 0.077, BERT: 0.5}, ADA)],
    ids=["equal", "ADA has used some", "BERT has used more"],
)
def test_the_next_is_the_one_with_least_processor_time(
    used: dict[Sender, float], first: Sender
) -> None:
    """Senders with equal processor time go in the order of their arrival."""
    in_line = Counter()
    gate = Gate(1, waiting=8, seconds=PATIENCE, in_line=in_line)
    for sender, seconds in used.items():
        assert gate.enter(sender)
        gate.leave(sender, seconds)
    assert gate.enter(CARL)

    assert first_in_turn(gate, in_line, [ADA, BERT]) == first


def test_tokens_of_one_address_take_turns() -> None:
    """Of two tokens at one address, the less used one goes first, although it came last."""
    in_line = Counter()
    gate = Gate(1, waiting=8, seconds=PATIENCE, in_line=in_line)
    busy, quiet = Sender("busy", "school"), Sender("quiet", "school")
    assert gate.enter(busy)
    gate.leave(busy, 0.5)
    assert gate.enter(CARL)

    assert first_in_turn(gate, in_line, [busy, quiet]) == quiet


def test_a_full_line_drops_the_last_of_its_longest_address() -> None:
    """In a full line the longest address loses its last request to another address."""
    in_line = Counter()
    gate = Gate(1, waiting=2, seconds=PATIENCE, in_line=in_line)
    assert gate.enter(CARL)

    with ThreadPoolExecutor(3) as others:
        first = others.submit(gate.enter, ADA)
        until(lambda: in_line.value == 1, "one to wait")
        second = others.submit(gate.enter, ADA)
        until(lambda: in_line.value == 2, "two to wait")
        assert not gate.enter(ADA)

        another = others.submit(gate.enter, BERT)
        assert not second.result(PATIENCE)
        gate.leave(CARL)
        gate.leave(ADA)
        assert first.result(PATIENCE)
        assert another.result(PATIENCE)


def test_a_request_that_goes_on_is_not_dropped_from_the_line() -> None:
    """A full line refuses a newcomer and keeps long polls, which have waited already."""
    in_line = Counter()
    gate = Gate(1, waiting=1, seconds=PATIENCE, in_line=in_line)
    assert gate.enter(CARL)

    with ThreadPoolExecutor(2) as others:
        polls = [others.submit(gate.enter_again, ADA, PATIENCE) for _ in range(2)]
        until(lambda: in_line.value == 2, "both to wait")
        assert not gate.enter(BERT)
        gate.leave(CARL)
        gate.leave(ADA)
        assert all(poll.result(PATIENCE) for poll in polls)


def test_processor_time_is_forgotten_after_20_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only recent use counts against a caller."""
    now = 1000.0
    monkeypatch.setattr("service.api.wsgi.gate.time.monotonic", lambda: now)
    usage = Usage()
    usage.add(ADA, 0.5)
    usage.add(Sender(BERT.address, BERT.address), 0.25)

    times = []
    for now in (1009.0, 1010.0, 1019.0, 1020.0, 1050.0):  # noqa: B007 - the clock reads it
        usage.add(CARL, 0.125)
        times.append((usage.of(ADA.caller), usage.of(BERT.address), usage.of(CARL.address)))

    assert times == [
        (0.5, 0.25, 0.125),
        (0.5, 0.25, 0.25),
        (0.5, 0.25, 0.375),
        (0, 0, 0.375),
        (0, 0, 0.125),
    ]


# ---- bodies --------------------------------------------------------------------------------------


class Slow:
    """A body that yields nothing until somebody ends the connection."""

    def __init__(self) -> None:
        self.asked = threading.Event()
        self.ended = threading.Event()

    def read(self, size: int, /) -> bytes:
        """Block like the server's read."""
        self.asked.set()
        self.ended.wait(PATIENCE)
        return b"x" * size


def there() -> Slow:
    """Return a body that can be read at once."""
    source = Slow()
    source.ended.set()
    return source


def soon(seconds: float = 60) -> float:
    """Return a deadline in so many seconds."""
    return time.monotonic() + seconds


def test_the_slow_make_room_for_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    """When all reading threads are busy, a body beyond the grace is cut off."""
    monkeypatch.setattr(limits, "_GRACE", 0.05)
    readers = ReaderThreads(1)
    source = Slow()

    with ThreadPoolExecutor(1) as another:
        reading = another.submit(readers.read, source, 5, soon(), None, ADA.address)
        reading.add_done_callback(lambda _: source.ended.set())  # the refused one is let go
        until(source.asked.is_set, "the slow one to hold the place")
        assert readers.read(there(), 3, soon(), None, BERT.address) == b"xxx"

    assert isinstance(reading.exception(), BodyTooSlow)


def test_no_more_than_so_many_bodies_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """While the only thread reads a body, another body gets no thread in time and is refused."""
    monkeypatch.setattr(limits, "_PLACE_SECONDS", 0.2)
    readers = ReaderThreads(1)
    source = Slow()

    with ThreadPoolExecutor(1) as another:
        another.submit(readers.read, source, 1, soon(), None)
        until(source.asked.is_set, "the first to be read")
        with pytest.raises(Overloaded):
            readers.read(Slow(), 1, soon(), None, BERT.address)
        source.ended.set()


def test_the_body_of_a_valid_token_is_read_directly() -> None:
    """The thread of the request reads it.

    A body without a valid token is read by another thread.
    """
    valid, invented = (tokens.make(b"secret", "a" * 26, "seat:0", nonce) for nonce in "12")
    threads: list[threading.Thread] = []

    class Noting:
        """A body that notes its reading threads."""

        def read(self, size: int, /) -> bytes:
            threads.append(threading.current_thread())
            return b"x" * size

    def application(environ: Environ, _start: object) -> list[bytes]:
        return [environ["wsgi.input"].read(5)]

    admission = Admission(application, Config.load({}), {tokens.field(valid)})
    for header in ("", f"Bearer {invented}", f"Bearer {valid}"):
        request = {"PATH_INFO": "/v1/matches", "CONTENT_LENGTH": "5", "wsgi.input": Noting()}
        answer = admission({**request, "HTTP_AUTHORIZATION": header}, lambda *_: None)
        assert list(answer) == [b"xxxxx"]

    own = threading.current_thread()
    assert [thread is own for thread in threads] == [False, False, True]


def test_four_bodies_at_once_are_read_directly() -> None:
    """A fifth body is not read directly until one of the four has come."""
    readers = ReaderThreads(1)
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
    """A slow body sets `too_slow`, so its answer can end the connection.

    Another request gets the permit.
    """
    monkeypatch.setattr("service.api.wsgi.admission._BODY_SECONDS", 0.1)
    gate = Gate(1, waiting=0, seconds=0)
    permit = Permit(gate, ADA)
    source = Slow()
    body = Body({"wsgi.input": source, "CONTENT_LENGTH": "5"}, ReaderThreads(1), permit)
    assert permit.take()

    with pytest.raises(BodyTooSlow):
        body.read(5)

    assert body.too_slow
    assert gate.enter(ADA)

    source.ended.set()


def test_one_address_has_half_of_the_room_for_bodies() -> None:
    """Two of its bodies take both places, its third is refused. A body of another address waits."""
    readers = ReaderThreads(2)
    stuck = [Slow(), Slow()]
    with ThreadPoolExecutor(3) as others:
        for source in stuck:
            others.submit(readers.read, source, 1, soon(), None, ADA.address)
        until(lambda: all(source.asked.is_set() for source in stuck), "both places to be taken")

        with pytest.raises(Overloaded):
            readers.read(Slow(), 1, soon(), None, ADA.address)
        waiting = others.submit(readers.read, there(), 1, soon(), None, BERT.address)
        for source in stuck:
            source.ended.set()
        assert waiting.result(PATIENCE) == b"x"

    assert readers.read(there(), 1, soon(), None, ADA.address) == b"x"


def test_a_thread_that_cannot_be_started_refuses_one_body() -> None:
    """Five failures use up neither of the two places: a later body is read."""
    readers = ReaderThreads(2)
    with no_threads():
        for _ in range(5):
            with pytest.raises(Overloaded):
                readers.read(there(), 3, soon(), None, ADA.address)

    assert readers.read(there(), 3, soon(), None, ADA.address) == b"xxx"
