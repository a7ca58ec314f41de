"""Every value of every commit matters: another in its place is found in a mended chain."""

import gzip
import random
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from service.ledger import record
from service.ledger.commit import StoredCommit
from service.matches.context import Context
from tests.attacks import forging
from tests.records import make
from tests.service.toy_matches import Change, fault, forged, whole
from tests.service.verify.forgeries import mend_digests

NASTY_NUMBERS = [True, -1, 7, 2**60, 1.5]
NASTY_TEXTS = ["", "x", "house"]
NASTY: list[Any] = [None, *NASTY_NUMBERS, *NASTY_TEXTS, [], [0], {}, {"seat:0": {}}]
MENDED = {"prev", "hash"}  # by the forger
DIGESTS = ("commit", "secrets")
REVEALED = ("commit", "events", 0, "parts")
CHOSEN = 250

Place = tuple[str | int, ...]


class Mutation(NamedTuple):
    """A value that is put in a place of the commit of a number."""

    number: int
    place: Place
    value: Any


def places(value: Any, path: Place = ()) -> Iterator[tuple[Place, Any]]:
    """Yield every place of a JSON value with what is there."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for step, inner in items:
        yield (*path, step), inner
        if isinstance(inner, dict | list):
            yield from places(inner, (*path, step))


def mutations(lines: list[bytes]) -> list[Mutation]:
    """Return every value that can be put in a place of the commits or secret parts."""
    all_mutations = []
    for number, line in enumerate(lines, 1):
        stored, _content = record.read_line(line)
        for place, old in places(stored):
            if is_forged(place):
                all_mutations += [Mutation(number, place, new) for new in others(old)]
    return all_mutations


def is_forged(place: Place) -> bool:
    """Return whether a place is inside a commit or its parts, and no forger mends it."""
    return len(place) > 1 and place[1] not in MENDED


def others(old: Any) -> list[Any]:
    """Return what can be put in the place of a value."""
    return [value for value in NASTY if repr(value) != repr(old)]


def change_of(mutation: Mutation) -> Change:
    """Return what puts the value in its place."""
    *steps, last = mutation.place

    def change(stored: StoredCommit) -> None:
        container: Any = stored
        for step in steps:
            container = container[step]
        container[last] = mutation.value

    return change


def found(lines: list[bytes], mutation: Mutation) -> bool:
    """Return whether a change is found."""
    # A forged digest is left as it is: mended, it would be right again.
    mend_digests = mutation.place[:2] != DIGESTS
    change = change_of(mutation)
    forged_lines = forged(lines, mutation.number, change, digests=mend_digests)
    return fault(forged_lines) is not None


def revealed_mutations(lines: list[bytes]) -> list[Mutation]:
    """Return every value that can be put in a place of what the revelation lays open.

    But for another note: a player may have noted anything, and only a receipt tells what it was.
    """
    return [
        mutation
        for mutation in mutations(lines)
        if mutation.number == len(lines) and mutation.place[: len(REVEALED)] == REVEALED
        if mutation.place[-1] != "why" or not isinstance(mutation.value, str)
    ]


def found_revealed(lines: list[bytes], mutation: Mutation) -> bool:
    """Return whether a change of the revelation is found where it alone holds the secret parts.

    Command and event tell the same, and every digest is that of the part that is revealed.
    """
    entries = [record.redact(entry, []) for entry in forging.entries_of(lines)]
    in_command = mutation._replace(place=("commit", "command", *mutation.place[3:]))
    for one in (mutation, in_command):
        change_of(one)(entries[-1])

    mend_digests(entries)
    return fault(forging.chained(entries, leave=[forging.DIGESTS])) is not None


def test_every_value_put_in_every_place_of_a_small_record_is_found(ctx: Context) -> None:
    """Of thousands of forgeries of a match of the toy each is found.

    None makes the audit stumble.
    """
    lines = whole(ctx, 1)

    missed = [mutation for mutation in mutations(lines) if not found(lines, mutation)]

    assert missed == []


def test_every_value_put_in_a_revelation_is_found_where_all_else_is_redacted(ctx: Context) -> None:
    """A record that leaves its parts to its revelation hides no forgery, and ends no audit."""
    lines = whole(ctx, 1)

    missed = [one for one in revealed_mutations(lines) if not found_revealed(lines, one)]

    assert missed == []


@pytest.mark.parametrize("game", ["calimala", "firenze"])
def test_values_put_anywhere_in_a_real_record_are_found(game: str) -> None:
    """Of the forgeries of a real match some hundreds at random, always the same, are all found."""
    path = make.HOME / game / "1-3-09.ndjson.gz"
    lines = record.lines(gzip.decompress(path.read_bytes()))
    chosen = random.Random(game).sample(mutations(lines), CHOSEN)

    missed = [mutation for mutation in chosen if not found(lines, mutation)]

    assert missed == []
