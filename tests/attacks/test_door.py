"""Floods and forgeries at the door: what strangers send costs little and gains nothing."""

import http.client
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import orjson
import pytest
from werkzeug.test import TestResponse

from service.errors import MOST_ECHOED, MOST_PLACES
from tests.running import RunningService, running_service
from tests.service.api.conftest import THREE, Door, Make, door_maker, json, opened

BODY = 48_000  # bytes
MOST_ANSWER = 16_384  # bytes
RATE = 20  # requests a minute of the running house
ATTACKER = {"REMOTE_ADDR": "203.0.113.9"}
SOMEBODY = {"REMOTE_ADDR": "198.51.100.7"}


@pytest.fixture
def made(redis_url: str, tmp_path: Path) -> Make:
    """Makes a door with settings of its own."""
    return door_maker(redis_url, tmp_path)


@pytest.fixture
def match(made: Make) -> Door:
    """A match of three humans that has started."""
    return opened(made(), seed=None)


@pytest.fixture(autouse=True)
def _one_window(monkeypatch: pytest.MonkeyPatch) -> None:
    """No window of the rate limit ends in the middle of a test."""
    monkeypatch.setattr("service.api.http.rate_limits.WINDOW", 1_000_000_000)


def open_as_attacker(door: Door) -> TestResponse:
    """Open a match from the attacker's address."""
    body = {"game": "calimala", "seats": THREE}
    return door.post("/v1/matches", body, environ_overrides=ATTACKER)


def test_many_tokens_get_what_one_address_may(made: Make) -> None:
    """Whoever opens matches for their tokens has four times the limit of one token, not more."""
    door = made(RATE_LIMIT="20")
    let_through = 0
    for _match in range(20):
        opening = open_as_attacker(door)
        if opening.status_code == 429:
            break
        let_through += 1
        door.match = json(opening)["id"]
        for token in json(opening)["tokens"].values():
            states = [door.get("state", token, environ_overrides=ATTACKER) for _ in range(3)]
            let_through += statuses(states).count(200)

    assert let_through <= 80
    assert door.get("/v1/games", environ_overrides=ATTACKER).status_code == 429
    assert door.get("/v1/games", environ_overrides=SOMEBODY).status_code == 200


def statuses(answers: Sequence[TestResponse]) -> list[int]:
    """Return the statuses of some answers."""
    return [answer.status_code for answer in answers]


def test_many_addresses_of_one_network_are_one(made: Make) -> None:
    """Whoever has one IPv6 address has 2^64 of them."""
    door = made(RATE_LIMIT="5", ADDRESS_LIMIT="5")
    senders = [{"REMOTE_ADDR": f"2001:db8::{number:x}"} for number in range(1, 9)]

    answers = [door.get("/v1/games", environ_overrides=sender) for sender in senders]

    assert statuses(answers) == [200] * 5 + [429] * 3


@pytest.mark.parametrize("trusted", ["", "10.0.0.0/8"], ids=["no-proxy", "another-proxy"])
def test_a_forged_address_is_nobody(made: Make, trusted: str) -> None:
    """X-Forwarded-For of a peer that is no trusted proxy gives nobody a limit of their own."""
    door = made(RATE_LIMIT="5", ADDRESS_LIMIT="5", TRUSTED_PROXIES=trusted)
    forged = [{"X-Forwarded-For": f"192.0.2.{number}"} for number in range(8)]

    answers = [
        door.get("/v1/games", headers=headers, environ_overrides=ATTACKER) for headers in forged
    ]

    assert statuses(answers) == [200] * 5 + [429] * 3


def test_many_tokens_do_not_take_all_streams(made: Make) -> None:
    """One address with ever more tokens leaves streams for others, though each could have all."""
    door = made(STREAMS="8", STREAMS_EACH="8")
    with ExitStack() as open_streams:

        def stream(token: str, sender: dict[str, str]) -> TestResponse:
            answer = door.get("stream", token, environ_overrides=sender)
            open_streams.callback(answer.close)
            return answer

        answers = []
        for _match in range(3):
            opened(door, seed=None)
            answers += [stream(token, ATTACKER) for token in door.tokens.values()]

        assert statuses(answers) == [200] * 6 + [429] * 6
        assert stream("seat:0", SOMEBODY).status_code == 200


def test_doubled_names_are_found_in_no_time(match: Door) -> None:
    """A name that stands twice behind 6,000 others is refused, soon however many there are."""
    names = [f'"{number:04x}":0' for number in range(6_000)]
    body = f"{{{','.join([*names, names[-1]])}}}".encode()
    assert len(body) < 65_536

    fastest = min(seconds_of(lambda: refused(match, body, 400)) for _ in range(3))

    assert fastest < 0.1


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
    return f'{{"game":"{game}","seats":[{{"kind":"human"}},{{"kind":"human"}},{{"kind":"human"}}]'


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
        for step in place["pointer"].split("/"):
            name = step.replace("~0", "~").replace("~1", "/")
            assert len(name) <= MOST_ECHOED
        assert "x" * (MOST_ECHOED + 1) not in place["detail"]


def test_the_rest_is_counted(match: Door) -> None:
    """Nothing is lost by naming only some: the numbers add up to all that is wrong."""
    unknown = {f"name-{number}": 0 for number in range(1000)}
    body = orjson.dumps({"type": "place_disc", **unknown})

    problem = refused(match, body, 422)

    missing = 2  # street and disc
    assert len(problem["errors"]) + problem["more"] == len(unknown) + missing
    assert f"and {problem['more']} more" in problem["detail"]


def test_wrong_parameters_are_counted(match: Door) -> None:
    """A query of thousands of unknown names is not answered at length either."""
    query = "&".join(f"{'n' * 60}{number}=0" for number in range(1000))

    answer = match.get(f"state?{query}")

    assert answer.status_code == 422
    assert len(answer.data) < MOST_ANSWER
    assert json(answer)["more"] == 1000 - MOST_PLACES


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A whole service on the loopback, behind a proxy on the same machine, under a path."""
    settings = {
        "GIORNALE_RATE_LIMIT": str(RATE),
        "GIORNALE_ADDRESS_LIMIT": str(RATE),
        "GIORNALE_TRUSTED_PROXIES": "127.0.0.1",
        "GIORNALE_PATH_PREFIX": "/giornale",
    }
    with running_service(tmp_path_factory.mktemp("house"), **settings) as started:
        yield started


def sent(
    running: RunningService,
    method: str,
    path: str,
    headers: list[tuple[str, str]],
    body: bytes = b"",
) -> tuple[int, dict[str, str]]:
    """Send exactly these headers; return the status and the headers of the answer."""
    parts = urlsplit(running.url)
    connection = http.client.HTTPConnection(parts.netloc, timeout=10)
    connection.putrequest(method, parts.path + path, skip_host=True, skip_accept_encoding=True)
    for name, value in headers:
        connection.putheader(name, value)
    connection.putheader("Content-Length", str(len(body)))
    connection.endheaders(body)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status, dict(answer.getheaders())


LOCALHOST = ("Host", "localhost")
FORM = ("Content-Type", "text/plain")
FORGED: dict[str, tuple[str, list[tuple[str, str]], bytes, int]] = {
    "name-that-leads-to-the-loopback": ("GET", [("Host", "evil.example")], b"", 421),
    "no-host": ("GET", [], b"", 421),
    "two-hosts": ("GET", [LOCALHOST, ("Host", "evil.example")], b"", 421),
    "form-of-another-site": (
        "POST",
        [LOCALHOST, FORM, ("Sec-Fetch-Site", "cross-site")],
        b"{}",
        403,
    ),
    "form-of-an-old-browser": ("POST", [LOCALHOST, FORM], b"{}", 415),
    "blob-of-an-old-browser": ("POST", [LOCALHOST], b"{}", 415),
}


@pytest.mark.parametrize(("method", "headers", "body", "status"), FORGED.values(), ids=FORGED)
def test_a_page_of_another_site_reaches_nothing(
    running: RunningService, method: str, headers: list[tuple[str, str]], body: bytes, status: int
) -> None:
    """What a browser can be made to send to the loopback is refused by the running service."""
    answered, _ = sent(running, method, "/v1/matches", headers, body)

    assert answered == status


def test_a_client_does_not_hide_behind_the_proxy(running: RunningService) -> None:
    """What clients write into X-Forwarded-For is worth nothing, on whatever line it stands."""
    let_through = 0
    for number in range(2 * RATE):
        forged = f"192.0.2.{number}"
        on_two_lines = [("X-Forwarded-For", forged), ("X-Forwarded-For", "203.0.113.9")]
        on_one_line = [("X-Forwarded-For", f"{forged}, 203.0.113.9")]
        for lines in (on_two_lines, on_one_line):
            status, _ = sent(running, "GET", "/v1/games", [LOCALHOST, *lines])
            let_through += status == 200
    assert RATE <= let_through <= 2 * RATE  # of 4 * RATE; a minute may end in the middle

    another = ("X-Forwarded-For", "198.51.100.7")
    status, headers = sent(running, "GET", "/v1/games", [LOCALHOST, another])
    assert status == 200
    assert headers["ratelimit"].startswith(f'"caller";r={RATE - 1};')
