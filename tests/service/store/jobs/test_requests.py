"""Jobs on request: each is queued once, their number is limited, and results are stored."""

from collections.abc import Callable

import pytest
from redis.exceptions import ConnectionError as Unreachable

from service.base.errors import Overloaded
from service.store.jobs import requests
from service.store.jobs.queues import Queues, ServerRests
from service.store.jobs.requests import Limit, ask_once, load_sealed, store_sealed
from service.store.jobs.seal import Seal
from service.store.jobs.table import ADVICE

NOTHING_LISTENS = "redis://127.0.0.1:1/0"
FIRST = (ADVICE, "first", "m", 7, 0)
SECOND = (ADVICE, "second", "m", 7, 1)
ONE = Limit(1, "players wait", 5)
KEY = "giornale:asked:m"
OTHER_KEY = "giornale:asked:n"


@pytest.fixture
def queues(redis_url: str) -> Queues:
    """Empty queues on a real server."""
    return Queues(redis_url, b"s" * 32)


def test_a_waiting_request_is_not_enqueued_again(queues: Queues) -> None:
    """A repeated request is accepted even if the queue is full. A new one is refused then."""
    ask_once(queues, ONE, *FIRST)
    ask_once(queues, ONE, *FIRST)

    with pytest.raises(Overloaded, match="1 players wait already") as refused:
        ask_once(queues, ONE, *SECOND)
    assert refused.value.after == ONE.retry_seconds
    assert queues.queues[ADVICE].job_ids == ["first"]


def test_a_stored_value_expires(queues: Queues) -> None:
    """A stored value replaces the earlier one, and expires."""
    assert load_sealed(queues, KEY) is None
    store_sealed(queues, KEY, {"done": 1})
    store_sealed(queues, KEY, {"done": 2})

    assert load_sealed(queues, KEY) == {"done": 2}
    assert 0 < int(queues.redis.ttl(KEY)) <= requests.KEEP_SECONDS


SPOILED: dict[str, Callable[[Queues], object]] = {
    "plain": lambda queues: queues.redis.set(KEY, b'{"done": 1}'),
    "no-json": lambda queues: queues.redis.set(KEY, b"\xff"),
    "moved": lambda queues: queues.redis.rename(OTHER_KEY, KEY),
    "another-type": lambda queues: queues.redis.rpush(KEY, b"x"),
}


@pytest.mark.parametrize("spoil", SPOILED.values(), ids=SPOILED)
def test_a_foreign_value_counts_as_none(queues: Queues, spoil: Callable[[Queues], object]) -> None:
    """A foreign value is not an error, and the next stored value replaces it."""
    store_sealed(queues, OTHER_KEY, {"done": 1})
    spoil(queues)
    assert load_sealed(queues, KEY) is None

    store_sealed(queues, KEY, {"done": 2})
    assert load_sealed(queues, KEY) == {"done": 2}


QUESTIONS: dict[str, Callable[[Queues], object]] = {
    "ask": lambda queues: ask_once(queues, ONE, *FIRST),
    "keep": lambda queues: store_sealed(queues, KEY, {}),
    "kept": lambda queues: load_sealed(queues, KEY),
}


@pytest.mark.parametrize("question", QUESTIONS.values(), ids=QUESTIONS)
def test_a_server_that_is_away_is_asked_once(question: Callable[[Queues], object]) -> None:
    """The next question is refused at once, so that no request waits for the server."""
    queues = Queues(NOTHING_LISTENS, b"s" * 32)
    with pytest.raises(Unreachable) as first:
        question(queues)
    assert not isinstance(first.value, ServerRests)

    with pytest.raises(ServerRests):
        question(queues)


# ---- the seal of what is kept, and of jobs -------------------------------------------------------

SEAL = Seal(b"s" * 32)
SEALED_KEY = "giornale:sealed:advice:m:0"
VALUE = {"hash": "ab", "advice": {"best": [{"move": "the hidden card"}]}}
JOB: tuple[str, str, list[str | int]] = ("advice", "advice-m-0-7", ["m", 7, 0])


def test_a_sealed_value_is_opened_under_its_key() -> None:
    """A sealed value cannot be read, and the same value is sealed differently each time."""
    closed = SEAL.close(SEALED_KEY, VALUE)

    assert SEAL.open(SEALED_KEY, closed) == VALUE
    assert b"card" not in closed
    assert SEAL.close(SEALED_KEY, VALUE) != closed


CHANGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "no-more-than-a-nonce": lambda closed: closed[:12],
    "cut": lambda closed: closed[:-1],
    "longer": lambda closed: closed + b"x",
    "one-bit-of-the-nonce": lambda closed: bytes([closed[0] ^ 1]) + closed[1:],
    "one-bit-of-the-end": lambda closed: closed[:-1] + bytes([closed[-1] ^ 1]),
    "plain": lambda _: b'{"hash": "ab", "advice": {}}',
    "of-another-key": lambda _: SEAL.close(f"{SEALED_KEY}1", VALUE),
    "of-another-service": lambda _: Seal(b"t" * 32).close(SEALED_KEY, VALUE),
}


def test_a_value_with_a_foreign_seal_counts_as_none() -> None:
    """A value that was changed, invented or moved from another key counts as none."""
    for name, change in CHANGES.items():
        assert SEAL.open(SEALED_KEY, change(SEAL.close(SEALED_KEY, VALUE))) is None, name


FORGED: dict[str, object] = {
    "none": None,
    "empty": "",
    "a-list": [SEAL.code(*JOB)],
    "not-ascii": "\udc80\u00e9",
    "of-another-seat": SEAL.code("advice", "advice-m-0-7", ["m", 7, 1]),
    "of-another-job": SEAL.code("advice", "advice-m-1-7", ["m", 7, 0]),
    "of-another-queue": SEAL.code("audits", "advice-m-0-7", ["m", 7, 0]),
    "of-another-service": Seal(b"t" * 32).code(*JOB),
}


def test_a_job_has_one_code() -> None:
    """The code of a job fits only its queue, its id and its arguments."""
    assert SEAL.is_code(SEAL.code(*JOB), *JOB)
    for name, forged in FORGED.items():
        assert not SEAL.is_code(forged, *JOB), name
