"""Every value of every commit matters: whatever is put in its place, in a chain mended after it, is found."""

import gzip
import random
from collections.abc import Iterator
from typing import Any

import pytest

from service.ledger import record
from service.ledger.commit import StoredCommit
from service.matches.desk import Desk
from service.verify.audit import verify_record
from tests.records import make
from tests.service.toy_matches import forged, whole

NASTY: list[Any] = [None, True, -1, 7, 2**60, 1.5, "", "x", "house", [], [0], {}, {"seat:0": {}}]
OWN = {"prev", "hash"}  # mended by the forger
DIGESTS = ("commit", "secrets")
Place = tuple[str | int, ...]


def places(value: Any, path: Place = ()) -> Iterator[tuple[Place, Any]]:
    """Yield every place of a JSON value with what is there."""
    for step, inner in value.items() if isinstance(value, dict) else enumerate(value):
        yield (*path, step), inner
        if isinstance(inner, dict | list):
            yield from places(inner, (*path, step))


def mutations(lines: list[bytes]) -> list[tuple[int, Place, Any]]:
    """Return (commit, place, value) for every value that can be put in a place of the commits or secret parts."""
    return [
        (number, path, value)
        for number, data in enumerate(lines, 1)
        for path, old in places(record.read_line(data)[0])
        if len(path) > 1 and path[1] not in OWN
        for value in NASTY
        if repr(value) != repr(old)
    ]


def found(lines: list[bytes], number: int, path: Place, value: Any) -> bool:
    """Tell whether a change is found."""

    def change(entry: StoredCommit) -> None:
        place: Any = entry
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = value

    digests = path[:2] != DIGESTS  # or else the forgery would be mended, too
    return verify_record(forged(lines, number, change, digests=digests)).report.wrong is not None


def test_every_value_put_in_every_place_of_a_small_record_is_found(desk: Desk) -> None:
    """Thousands of forgeries of a match of the toy: each is found, and none makes the audit stumble."""
    lines = whole(desk, 1)
    assert [one for one in mutations(lines) if not found(lines, *one)] == []


@pytest.mark.parametrize("game", ["calimala", "firenze"])
def test_values_put_anywhere_in_a_real_record_are_found(game: str) -> None:
    """Of the forgeries of a real match some hundreds at random, always the same, are all found."""
    path = make.HOME / game / "1-3-09.ndjson.gz"
    lines = record.lines(gzip.decompress(path.read_bytes()))
    chosen = random.Random(game).sample(mutations(lines), 250)
    assert [one for one in chosen if not found(lines, *one)] == []
