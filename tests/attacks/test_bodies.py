"""Hostile bodies and queries: what strangers send costs little and is not answered at length."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from service.errors import MOST_ECHOED, MOST_PLACES
from tests.service.api.conftest import Door, door_maker, json, opened

BODY = 48_000  # bytes
MOST_ANSWER = 16_384  # bytes


@pytest.fixture
def match(redis_url: str, tmp_path: Path) -> Door:
    """A match of three humans that has started."""
    make = door_maker(redis_url, tmp_path)
    return opened(make(), seed=None)


def test_doubled_names_are_found_in_no_time(match: Door) -> None:
    """A name that stands twice behind 6,000 others is refused, soon however many there are."""
    members = [f'"{number:04x}":0' for number in range(6_000)]
    with_double = ",".join([*members, members[-1]])
    body = ("{" + with_double + "}").encode()
    assert len(body) < 65_536

    took = [seconds_of(lambda: refused(match, body, 400)) for _ in range(3)]

    assert min(took) < 0.1


def refused(match: Door, body: bytes, status: int, path: str = "moves") -> Any:
    """Post a body that must be refused; return the problem."""
    answer = match.ask("POST", path, "seat:0", data=body, content_type="application/json")
    assert answer.status_code == status
    assert len(answer.data) < MOST_ANSWER
    return json(answer)


def seconds_of(work: Callable[[], object]) -> float:
    """Return how long some work takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def filled(before: str, one: str, after: str) -> bytes:
    """Return a body of about 48 kB in which `one` stands again and again, # being a number."""
    count = BODY // (len(one) + 4)
    repeated = [one.replace("#", f"{number:x}") for number in range(count)]
    return (before + ",".join(repeated) + after).encode()


def opening(game: str) -> str:
    """Return how the body of an opening begins."""
    seats = ",".join(['{"kind":"human"}'] * 3)
    return f'{{"game":"{game}","seats":[{seats}]'


WRONG: dict[str, tuple[str, bytes]] = {
    "fields-of-a-move": (
        "moves",
        filled('{"type":"place_disc",', '"#":0', "}"),
    ),
    "fields-of-a-match": (
        "/v1/matches",
        filled('{"game":"calimala",', '"#":0', "}"),
    ),
    "options": (
        "/v1/matches",
        filled(opening("calimala") + ',"options":{', '"#":0', "}}"),
    ),
    "entries-of-a-board": (
        "/v1/matches",
        filled(opening("firenze") + ',"options":{"board":{', '"#":0', "}}}"),
    ),
    "seats": (
        "/v1/matches",
        filled('{"game":"calimala","seats":[', "{}", "]}"),
    ),
    "fields-of-a-seat": (
        "/v1/matches",
        filled('{"game":"calimala","seats":[{"kind":"human",', '"#":0', "}]}"),
    ),
    "a-long-name": (
        "moves",
        b'{"type":"place_disc","' + b"x" * BODY + b'":0}',
    ),
    "long-names": (
        "moves",
        filled('{"type":"place_disc",', f'"{"~" * 1000}#":0', "}"),
    ),
    "a-long-value": (
        "moves",
        b'{"type":"' + b"x" * BODY + b'"}',
    ),
    "a-long-game": (
        "/v1/matches",
        opening("x" * BODY).encode() + b"}",
    ),
}


@pytest.mark.parametrize(("path", "body"), WRONG.values(), ids=WRONG)
def test_wrong_places_are_counted_and_not_listed(match: Door, path: str, body: bytes) -> None:
    """Thousands of wrong places: 20 are named, with no name at length, the rest is counted."""
    problem = refused(match, body, 422, path)

    assert 1 <= len(problem["errors"]) <= MOST_PLACES
    for place in problem["errors"]:
        assert max(len(name) for name in names_in(place["pointer"])) <= MOST_ECHOED
        assert "x" * (MOST_ECHOED + 1) not in place["detail"]


def names_in(pointer: str) -> list[str]:
    """Return the names on the way of a JSON pointer (RFC 6901)."""
    steps = pointer.split("/")
    return [step.replace("~0", "~").replace("~1", "/") for step in steps]


def test_the_rest_is_counted(match: Door) -> None:
    """Nothing is lost by naming only some: the numbers add up to all that is wrong."""
    unknown = {f"name-{number}": 0 for number in range(1000)}
    missing = ["street", "disc"]
    body = orjson.dumps({"type": "place_disc", **unknown})

    problem = refused(match, body, 422)

    told_wrong = len(problem["errors"]) + problem["more"]
    assert told_wrong == len(unknown) + len(missing)
    assert f"and {problem['more']} more" in problem["detail"]


def test_wrong_parameters_are_counted(match: Door) -> None:
    """A query of thousands of unknown names is not answered at length either."""
    query = "&".join(f"{'n' * 60}{number}=0" for number in range(1000))

    answer = match.get(f"state?{query}")

    assert answer.status_code == 422
    assert len(answer.data) < MOST_ANSWER
    assert json(answer)["more"] == 1000 - MOST_PLACES
