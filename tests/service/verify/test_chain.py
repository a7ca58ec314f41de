"""The form of a record: whatever is changed, moved, left out or put in is found."""

from collections.abc import Callable, Sequence

import pytest

from service.ledger import record
from service.matches.context import Context
from tests import toy
from tests.service.toy_matches import fault, new_context, opened, play_on, record_of, whole

Lines = list[bytes]


@pytest.fixture(scope="module")
def records() -> dict[str, Lines]:
    """A whole record and an unended one as the public has it, both short and right."""
    with pytest.MonkeyPatch.context() as patch:
        toy.install(patch)
        ctx = new_context()
        begun = opened(ctx, 1)
        play_on(ctx, begun, until=3)

        return {"whole": whole(new_context(), 1), "public": record_of(ctx, begun)}


def every_bit(_place: int) -> Sequence[int]:
    return range(8)


def two_bits(place: int) -> Sequence[int]:
    """Return the bit that tells small letters from capitals, and another one."""
    return (5, place % 8)


@pytest.mark.parametrize(
    ("kind", "bits_at"), [("public", every_bit), ("whole", two_bits)], ids=["public", "whole"]
)
def test_every_flipped_bit_is_found(
    records: dict[str, Lines], kind: str, bits_at: Callable[[int], Sequence[int]]
) -> None:
    """The right commit is named, also for bits of the envelope and of line feeds."""
    lines = records[kind]
    assert fault(lines) is None

    content = b"".join(lines)
    commit_of_each_byte = [number for number, line in enumerate(lines, 1) for _byte in line]
    missed = []
    for place, number in enumerate(commit_of_each_byte):
        for bit in bits_at(place):
            found = fault(record.lines(flipped(content, place, bit)))
            if found is None or found[0] != number:
                missed.append((place, bit, found))

    assert missed == []


def flipped(content: bytes, place: int, bit: int) -> bytes:
    """Return bytes with one bit of the byte at a place turned over."""
    changed = bytearray(content)
    changed[place] ^= 1 << bit
    return bytes(changed)


def test_a_whole_record_cut_short_is_found(ctx: Context) -> None:
    """M9: a record that holds the house's secrets ends with the revelation, or was cut off."""
    lines = whole(ctx)

    assert fault([]) == (0, "empty")
    for kept in range(1, len(lines)):
        assert fault(lines[:kept]) == (kept, "not_ended")
