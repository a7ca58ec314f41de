"""A server that does not answer is asked once, and then by a thread alone until it answers."""

import threading

import pytest
from redis.exceptions import ConnectionError as Unreachable
from redis.exceptions import RedisError, ResponseError
from redis.exceptions import TimeoutError as Unanswered

from service.jobs.queues import Breaker, ServerRests
from tests.running import until

PAUSE_SECONDS = 0.01


class Server:
    """A server that a test switches on and off, and that counts how often it is pinged."""

    def __init__(self) -> None:
        self.answers = threading.Event()
        self.pings = 0

    def ping(self) -> None:
        """Answer, or not."""
        self.pings += 1
        if not self.answers.is_set():
            raise Unanswered("no answer")


@pytest.fixture
def server() -> Server:
    """A server that does not answer."""
    return Server()


def ask(breaker: Breaker, error: type[RedisError]) -> None:
    """Ask a question that ends with an error."""
    with breaker.guard():
        raise error("asked")


@pytest.mark.parametrize("error", [Unreachable, Unanswered])
def test_after_a_failure_nobody_asks_until_the_server_answers(
    server: Server, error: type[RedisError]
) -> None:
    """The first caller meets the failure; the next are refused at once; a thread tries."""
    breaker = Breaker(server.ping, PAUSE_SECONDS)
    with pytest.raises(error, match="asked"):
        ask(breaker, error)

    with pytest.raises(ServerRests):
        ask(breaker, error)
    until(lambda: server.pings > 2, "more tries of the thread")
    with pytest.raises(ServerRests):
        ask(breaker, error)

    server.answers.set()
    until(lambda: not breaker.is_open, "the breaker to close")
    with pytest.raises(error, match="asked"):
        ask(breaker, error)


def test_an_answer_that_is_an_error_is_an_answer(server: Server) -> None:
    """A server that refuses is there, so the next question is asked."""
    breaker = Breaker(server.ping, PAUSE_SECONDS)

    for _time in range(2):
        with pytest.raises(ResponseError):
            ask(breaker, ResponseError)

    assert server.pings == 0


def ask_while_another_fails(breaker: Breaker) -> None:
    """Ask a question during which another one fails, and that then fails itself."""
    with breaker.guard():
        with pytest.raises(Unanswered):
            ask(breaker, Unanswered)
        raise Unanswered("asked before the other failed")


def test_one_thread_tries_however_many_have_failed(server: Server) -> None:
    """Questions that were under way when the first failed start no threads of their own."""
    before = set(threading.enumerate())
    breaker = Breaker(server.ping, pause_seconds=1)
    with pytest.raises(Unanswered, match="before the other"):
        ask_while_another_fails(breaker)

    assert len(set(threading.enumerate()) - before) == 1
    server.answers.set()
