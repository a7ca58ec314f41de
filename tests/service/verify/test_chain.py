"""The form of a record: whatever is changed, moved, left out or put in without mending the chain is found."""

from collections.abc import Callable

import pytest

from service.ledger import record
from service.matches.desk import Desk
from service.matches.records import export
from service.verify.audit import verify_record
from tests import toy
from tests.service.toy_matches import new_desk, opened, play_on, whole

Lines = list[bytes]


@pytest.fixture(scope="module")
def spoilt() -> dict[str, Lines]:
    """A whole record and an unended one as the public has it, both short."""
    with pytest.MonkeyPatch.context() as patch:
        toy.install(patch)
        desk = new_desk()
        half = opened(desk, 1)
        play_on(desk, half, until=3)
        public = list(export(desk, half.loaded.id, None))
        return {"whole": whole(new_desk(), 1), "public": public}


@pytest.mark.parametrize("kind", ["whole", "public"])
def test_both_records_are_right_as_they_stand(spoilt: dict[str, Lines], kind: str) -> None:
    """A whole record verifies, and so does a redacted one: what follows is found because it is wrong."""
    assert verify_record(spoilt[kind]).report.wrong is None


@pytest.mark.parametrize("kind", ["whole", "public"])
def test_every_flipped_bit_is_found(spoilt: dict[str, Lines], kind: str) -> None:
    """Each bit of a record, envelope and line feeds included, changes the verdict, and the right commit is named."""
    content = b"".join(spoilt[kind])
    ends = [sum(map(len, spoilt[kind][: number + 1])) for number in range(len(spoilt[kind]))]
    missed = []
    for place in range(len(content)):
        commit = 1 + sum(end <= place for end in ends)
        for bit in range(8):
            flipped = content[:place] + bytes([content[place] ^ 1 << bit]) + content[place + 1 :]
            wrong = verify_record(record.lines(flipped)).report.wrong
            if wrong is None or wrong.commit != commit:
                missed.append((place, bit, wrong))
    assert missed == []


Spoil = Callable[[Lines, int], tuple[Lines, int]]


def drop(lines: Lines, at: int) -> tuple[Lines, int]:
    return lines[:at] + lines[at + 1 :], at + 1


def repeat(lines: Lines, at: int) -> tuple[Lines, int]:
    return lines[: at + 1] + lines[at:], at + 2


def swap(lines: Lines, at: int) -> tuple[Lines, int]:
    other = (at + 1) % len(lines)
    moved = lines.copy()
    moved[at], moved[other] = moved[other], moved[at]
    return moved, min(at, other) + 1


def insert(lines: Lines, at: int) -> tuple[Lines, int]:
    return [*lines[:at], lines[-1 if at != len(lines) - 1 else 0], *lines[at:]], at + 1


def cut(lines: Lines, at: int) -> tuple[Lines, int]:
    return [*lines[:at], lines[at][:-1], *lines[at + 1 :]], at + 1


@pytest.mark.parametrize("spoil", [drop, repeat, swap, insert, cut])
def test_every_commit_moved_is_found_and_named(desk: Desk, spoil: Spoil) -> None:
    """Dropping, repeating, swapping, inserting a commit or a line feed is found at every place of a whole record."""
    lines = whole(desk)
    for at in range(len(lines)):
        changed, commit = spoil(lines, at)
        wrong = verify_record(changed).report.wrong
        assert wrong is not None, (spoil, at)
        assert wrong.commit == min(commit, len(changed)), (spoil, at)


def test_a_whole_record_cut_short_is_found(desk: Desk) -> None:
    """A record that holds the house's secrets ends with the revelation, or something was cut off (M9)."""
    lines = whole(desk)
    wrongs = [verify_record(lines[:kept]).report.wrong for kept in range(len(lines))]
    assert [wrong and wrong.code for wrong in wrongs] == ["empty"] + ["not_ended"] * (
        len(lines) - 1
    )


def test_an_unended_record_says_what_it_cannot_tell(desk: Desk) -> None:
    """Of a redacted, unended record nobody can tell whether its tail is missing: the report says so."""
    match = opened(desk)
    play_on(desk, match, until=4)
    report = verify_record(list(export(desk, match.loaded.id, None))[:3]).report
    assert report.wrong is None
    assert "only a receipt or the server can tell" in report.unchecked[0]
