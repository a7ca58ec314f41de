"""Hostile bodies and queries: what strangers send costs little and is not answered at length."""

import time
from typing import Any

import orjson
import pytest

from service.errors import MOST_ECHOED, MOST_PLACES
from tests.service.api.conftest import Door, json

BODY = 48_000  # bytes
MOST_ANSWER = 16_384  # bytes


def refused(match: Door, body: bytes, status: int, path: str = "moves") -> Any:
    """Post a body that must be refused; return the problem."""
    answer = match.ask("POST", path, "seat:0", data=body, content_type="application/json")
    assert answer.status_code == status
    assert len(answer.data) < MOST_ANSWER
    return json(answer)


def test_doubled_names_are_found_in_no_time(match: Door) -> None:
    """A name that stands twice behind 6,000 others is refused, soon however many there are."""
    members = [f'"{number:04x}":0' for number in range(6_000)]
    body = ("{" + ",".join([*members, members[-1]]) + "}").encode()
    assert len(body) < 65_536

    took = []
    for _ in range(3):
        began = time.process_time()
        refused(match, body, 400)
        took.append(time.process_time() - began)

    assert min(took) < 0.1


def filled(before: str, one: str, after: str) -> bytes:
    """Return a body of about 48 kB in which `one` stands again and again, # being a number."""
    count = BODY // (len(one) + 4)
    repeated = [one.replace("#", f"{number:x}") for number in range(count)]
    return (before + ",".join(repeated) + after).encode()


def opening(game: str) -> str:
    """Return how the body of an opening begins."""
    seats = ",".join(['{"kind":"human"}'] * 3)
    return f'{{"game":"{game}","seats":[{seats}]'


MOVES = "moves"
MATCHES = "/v1/matches"
FIELD = '"#":0'
LONG = "x" * BODY

WRONG: dict[str, tuple[str, bytes]] = {
    "fields-of-a-move": (MOVES, filled('{"type":"place_disc",', FIELD, "}")),
    "fields-of-a-match": (MATCHES, filled('{"game":"calimala",', FIELD, "}")),
    "options": (MATCHES, filled(opening("calimala") + ',"options":{', FIELD, "}}")),
    "entries-of-a-board": (
        MATCHES,
        filled(opening("firenze") + ',"options":{"board":{', FIELD, "}}}"),
    ),
    "seats": (MATCHES, filled('{"game":"calimala","seats":[', "{}", "]}")),
    "fields-of-a-seat": (
        MATCHES,
        filled('{"game":"calimala","seats":[{"kind":"human",', FIELD, "}]}"),
    ),
    "a-long-name": (MOVES, f'{{"type":"place_disc","{LONG}":0}}'.encode()),
    "long-names": (MOVES, filled('{"type":"place_disc",', f'"{"~" * 1000}#":0', "}")),
    "a-long-value": (MOVES, f'{{"type":"{LONG}"}}'.encode()),
    "a-long-game": (MATCHES, opening(LONG).encode() + b"}"),
}


@pytest.mark.parametrize(("path", "body"), WRONG.values(), ids=WRONG)
def test_wrong_places_are_counted_and_not_listed(match: Door, path: str, body: bytes) -> None:
    """Thousands of wrong places: 20 are named, with no name at length, the rest is counted."""
    problem = refused(match, body, 422, path)

    assert 1 <= len(problem["errors"]) <= MOST_PLACES
    for place in problem["errors"]:
        # The steps of a JSON pointer (RFC 6901).
        names = [step.replace("~0", "~").replace("~1", "/") for step in place["pointer"].split("/")]
        assert max(map(len, names)) <= MOST_ECHOED
        assert "x" * (MOST_ECHOED + 1) not in place["detail"]


def test_the_rest_is_counted(match: Door) -> None:
    """Nothing is lost by naming only some: the numbers add up to all that is wrong."""
    unknown = {f"name-{number}": 0 for number in range(1000)}
    missing = ["street", "disc"]

    problem = refused(match, orjson.dumps({"type": "place_disc", **unknown}), 422)

    assert len(problem["errors"]) + problem["more"] == len(unknown) + len(missing)
    assert f"and {problem['more']} more" in problem["detail"]


def test_wrong_parameters_are_counted(match: Door) -> None:
    """A query of thousands of unknown names is not answered at length either."""
    query = "&".join(f"{'n' * 60}{number}=0" for number in range(1000))

    answer = match.get(f"state?{query}")

    assert answer.status_code == 422
    assert len(answer.data) < MOST_ANSWER
    assert json(answer)["more"] == 1000 - MOST_PLACES
