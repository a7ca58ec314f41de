"""The form of a record: whatever is changed, moved, left out or put in is found."""

from collections.abc import Callable

import pytest

from service.ledger import record
from service.matches.context import Context
from service.verify.audit import verify_record
from tests import toy
from tests.service.toy_matches import fault, new_context, opened, play_on, record_of, whole

Lines = list[bytes]
BITS = range(8)


@pytest.fixture(scope="module")
def records() -> dict[str, Lines]:
    """A whole record and an unended one as the public has it, both short."""
    with pytest.MonkeyPatch.context() as patch:
        toy.install(patch)

        ctx = new_context()
        begun = opened(ctx, 1)
        play_on(ctx, begun, until=3)

        return {
            "whole": whole(new_context(), 1),
            "public": record_of(ctx, begun),
        }


@pytest.mark.parametrize("kind", ["whole", "public"])
def test_both_records_are_right_as_they_stand(records: dict[str, Lines], kind: str) -> None:
    """A whole record verifies, and so does a redacted one.

    What is found below is found because it is wrong.
    """
    assert fault(records[kind]) is None


@pytest.mark.parametrize("kind", ["whole", "public"])
def test_every_flipped_bit_is_found(records: dict[str, Lines], kind: str) -> None:
    """Each bit of a record changes the verdict, and the right commit is named.

    Bits of the envelope and of line feeds do so, too.
    """
    content = b"".join(records[kind])
    commit_of_each_byte = [number for number, line in enumerate(records[kind], 1) for _byte in line]

    missed = []
    for place, number in enumerate(commit_of_each_byte):
        for bit in BITS:
            lines = record.lines(flipped(content, place, bit))
            wrong = verify_record(lines).report.wrong
            if wrong is None or wrong.commit != number:
                missed.append((place, bit, wrong))

    assert missed == []


def flipped(content: bytes, place: int, bit: int) -> bytes:
    """Return bytes with one bit of the byte at a place turned over."""
    changed = bytearray(content)
    changed[place] ^= 1 << bit
    return bytes(changed)


# Spoils the line at an index; returns all lines and the number of the first bad commit.
Spoil = Callable[[Lines, int], tuple[Lines, int]]


def drop(lines: Lines, at: int) -> tuple[Lines, int]:
    """Leave out a line: the one after it is the first bad one."""
    spoilt = lines.copy()
    del spoilt[at]
    return spoilt, at + 1


def repeat(lines: Lines, at: int) -> tuple[Lines, int]:
    """Write a line twice: its repeat is the first bad one."""
    spoilt = lines.copy()
    spoilt.insert(at, lines[at])
    return spoilt, at + 2


def swap(lines: Lines, at: int) -> tuple[Lines, int]:
    """Exchange a line with the next one, the last with the first."""
    other = (at + 1) % len(lines)
    spoilt = lines.copy()
    spoilt[at], spoilt[other] = lines[other], lines[at]
    return spoilt, min(at, other) + 1


def insert(lines: Lines, at: int) -> tuple[Lines, int]:
    """Put a line of elsewhere before another."""
    is_last = at == len(lines) - 1
    stranger = lines[0] if is_last else lines[-1]
    spoilt = lines.copy()
    spoilt.insert(at, stranger)
    return spoilt, at + 1


def cut_line_feed(lines: Lines, at: int) -> tuple[Lines, int]:
    """Leave out the line feed at a line's end."""
    spoilt = lines.copy()
    spoilt[at] = lines[at].removesuffix(b"\n")
    return spoilt, at + 1


@pytest.mark.parametrize("spoil", [drop, repeat, swap, insert, cut_line_feed])
def test_every_commit_moved_is_found_and_named(ctx: Context, spoil: Spoil) -> None:
    """A commit or a line feed that is dropped, repeated, moved or put in is found anywhere."""
    lines = whole(ctx)
    for at in range(len(lines)):
        spoilt, first_bad = spoil(lines, at)

        wrong = verify_record(spoilt).report.wrong

        assert wrong is not None, (spoil, at)
        assert wrong.commit == min(first_bad, len(spoilt)), (spoil, at)


def test_a_whole_record_cut_short_is_found(ctx: Context) -> None:
    """A record that holds the house's secrets ends with the revelation, or was cut off (M9)."""
    lines = whole(ctx)

    for kept in range(1, len(lines)):
        assert fault(lines[:kept]) == (kept, "not_ended")


def test_a_record_without_a_line_is_found() -> None:
    """Of nothing nothing can be said."""
    assert fault([]) == (0, "empty")


def test_an_unended_record_says_what_it_cannot_tell(ctx: Context) -> None:
    """Of a redacted, unended record nobody can tell whether its tail is missing.

    The report says so.
    """
    match = opened(ctx)
    play_on(ctx, match, until=4)
    first_lines = record_of(ctx, match)[:3]

    report = verify_record(first_lines).report

    assert report.wrong is None
    assert "only a receipt or the server can tell" in report.unchecked[0]
