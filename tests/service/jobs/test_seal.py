"""The seal: what the service keeps in the queues' Redis is its own to read and to make."""

from collections.abc import Callable

import pytest

from service.jobs.seal import Seal

SEAL = Seal(b"s" * 32)
KEY = "giornale:sealed:advice:m:0"
VALUE = {"hash": "ab", "advice": {"best": [{"move": "the hidden card"}]}}
JOB: tuple[str, str, list[str | int]] = ("advice", "advice-m-0-7", ["m", 7, 0])


def test_what_was_closed_is_opened_under_its_key() -> None:
    """Nothing of it can be read meanwhile, and the same value looks different each time."""
    closed = SEAL.close(KEY, VALUE)

    assert SEAL.open(KEY, closed) == VALUE
    assert b"card" not in closed
    assert SEAL.close(KEY, VALUE) != closed


CHANGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "no-more-than-a-nonce": lambda closed: closed[:12],
    "cut": lambda closed: closed[:-1],
    "longer": lambda closed: closed + b"x",
    "one-bit-of-the-nonce": lambda closed: bytes([closed[0] ^ 1]) + closed[1:],
    "one-bit-of-the-end": lambda closed: closed[:-1] + bytes([closed[-1] ^ 1]),
    "plain": lambda _: b'{"hash": "ab", "advice": {}}',
    "of-another-key": lambda _: SEAL.close(f"{KEY}1", VALUE),
    "of-another-service": lambda _: Seal(b"t" * 32).close(KEY, VALUE),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_somebody_else_has_put_there_is_nothing(change: Callable[[bytes], bytes]) -> None:
    """Changed, made, or moved from another place."""
    assert SEAL.open(KEY, change(SEAL.close(KEY, VALUE))) is None


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


@pytest.mark.parametrize("forged", FORGED.values(), ids=FORGED)
def test_a_job_has_one_code(forged: object) -> None:
    """It is for its queue, its id and its arguments alone."""
    assert SEAL.is_code(SEAL.code(*JOB), *JOB)
    assert not SEAL.is_code(forged, *JOB)
