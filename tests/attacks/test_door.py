"""Floods of requests, hostile bodies and forged headers at the door: they gain nothing."""

import http.client
import time
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from werkzeug.test import TestResponse

from service.base.errors import MOST_ECHOED, MOST_PLACES
from service.ops.process.valkey import Server
from tests.attacks.flooding import HOST, Target, target
from tests.running import PATIENCE
from tests.service.api.conftest import THREE, Door, Make, json

RATE = 20  # requests a minute of the running web process
PREFIX = "/giornale"
ATTACKER = {"REMOTE_ADDR": "203.0.113.9"}
SOMEBODY = {"REMOTE_ADDR": "198.51.100.7"}

Header = tuple[str, str]  # name and value


@pytest.fixture(autouse=True)
def _endless_window(monkeypatch: pytest.MonkeyPatch) -> None:
    """No window of the rate limit ends in a test."""
    monkeypatch.setattr("service.api.http.limits.WINDOW", 1_000_000_000)


def statuses(answers: Sequence[TestResponse]) -> list[int]:
    return [answer.status_code for answer in answers]


def test_many_tokens_get_the_rate_of_one_address(make_door: Make) -> None:
    """Opening matches for their tokens gives at most four times the limit of one token."""
    door = make_door(RATE_LIMIT="20")

    answers: list[TestResponse] = []
    for _match in range(20):
        body = {"game": "calimala", "seats": THREE}
        opening = door.post("/v1/matches", body, environ_overrides=ATTACKER)
        if opening.status_code == 429:
            break

        answers.append(opening)
        document = json(opening)
        door.match = document["match"]
        for token in document["tokens"].values():
            answers += [door.get("state", token, environ_overrides=ATTACKER) for _ in range(3)]

    assert sum(status < 300 for status in statuses(answers)) <= 4 * 20
    assert door.get("/v1/games", environ_overrides=ATTACKER).status_code == 429
    assert door.get("/v1/games", environ_overrides=SOMEBODY).status_code == 200


@pytest.fixture(scope="module")
def running(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    """A web process on the loopback, behind a proxy on the same machine, under a path."""
    settings = {
        "RATE_LIMIT": str(RATE),
        "ADDRESS_LIMIT": str(RATE),
        "TRUSTED_PROXIES": "127.0.0.1",
        "PATH_PREFIX": PREFIX,
    }
    with target(server.url, tmp_path_factory.mktemp("house"), **settings) as started:
        yield started


def sent(
    running: Target, method: str, path: str, headers: list[Header], body: bytes = b""
) -> tuple[int, dict[str, str]]:
    """Send exactly these headers. Return the status and the headers of the answer."""
    connection = http.client.HTTPConnection(HOST, running.port, timeout=PATIENCE)
    connection.putrequest(method, PREFIX + path, skip_host=True, skip_accept_encoding=True)
    for name, value in headers:
        connection.putheader(name, value)
    connection.putheader("Content-Length", str(len(body)))
    connection.endheaders(body)

    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status, dict(answer.getheaders())


LOCALHOST = ("Host", "localhost")
EVIL = ("Host", "evil.example")
FORM = ("Content-Type", "text/plain")
CROSS_SITE = ("Sec-Fetch-Site", "cross-site")

OF_OTHER_SITES: dict[str, tuple[str, list[Header], int]] = {
    "name-that-leads-to-the-loopback": ("GET", [EVIL], 421),
    "no-host": ("GET", [], 421),
    "two-hosts": ("GET", [LOCALHOST, EVIL], 421),
    "form-of-another-site": ("POST", [LOCALHOST, FORM, CROSS_SITE], 403),
    "form-of-an-old-browser": ("POST", [LOCALHOST, FORM], 415),
    "blob-of-an-old-browser": ("POST", [LOCALHOST], 415),
}


@pytest.mark.parametrize(
    ("method", "headers", "refused"), OF_OTHER_SITES.values(), ids=list(OF_OTHER_SITES)
)
def test_a_page_of_another_site_reaches_nothing(
    running: Target, method: str, headers: list[Header], refused: int
) -> None:
    """Requests a browser can be made to send to the loopback are refused by the service."""
    body = b"{}" if method == "POST" else b""

    status, _ = sent(running, method, "/v1/matches", headers, body)

    assert status == refused


def forwarded_for(addresses: str) -> Header:
    """Return a line of the header in which proxies name their client."""
    return ("X-Forwarded-For", addresses)


def test_a_client_does_not_hide_behind_the_proxy(running: Target) -> None:
    """Clients' own values of X-Forwarded-For are worth nothing, on any line.

    Another client may ask as often as anybody meanwhile.
    """
    let_through = 0
    for number in range(2 * RATE):
        forged = f"192.0.2.{number}"
        on_two_lines = [forwarded_for(forged), forwarded_for("203.0.113.9")]
        on_one_line = [forwarded_for(f"{forged}, 203.0.113.9")]
        for lines in (on_two_lines, on_one_line):
            status, _ = sent(running, "GET", "/v1/games", [LOCALHOST, *lines])
            let_through += status == 200

    other = [LOCALHOST, forwarded_for("198.51.100.7")]
    status, headers = sent(running, "GET", "/v1/games", other)

    # A minute may end in the middle.
    assert RATE <= let_through <= 2 * RATE
    assert status == 200
    assert headers["ratelimit"].startswith(f'"caller";r={RATE - 1};')


BODY = 48_000  # bytes
MOST_ANSWER = 16_384  # bytes


def refused(match: Door, body: bytes, status: int, path: str = "moves") -> Any:
    """Post a body, to be refused. Return the problem."""
    answer = match.ask("POST", path, "seat:0", data=body, content_type="application/json")
    assert answer.status_code == status
    assert len(answer.data) < MOST_ANSWER
    return json(answer)


def test_doubled_names_are_found_in_no_time(match: Door) -> None:
    """A repetition of the last of 6,000 names is refused in less than 0.1 s of processor time."""
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
    """Return a body of up to about 48 kB: copies of `one`, with a number in place of #."""
    repeated = [one.replace("#", f"{number:x}") for number in range(copies(one))]
    return (before + ",".join(repeated) + after).encode()


def copies(one: str) -> int:
    """Return the number of copies of `one` in a body of `filled`."""
    return BODY // (len(one) + 4)


def opening(game: str) -> str:
    """Return the beginning of the body of an opening."""
    seats = ",".join(['{"kind":"human"}'] * 3)
    return f'{{"game":"{game}","seats":[{seats}]'


MOVES = "moves"
MATCHES = "/v1/matches"
FIELD = '"#":0'
FIELDS = copies(FIELD)
LONG = "x" * BODY
LONG_FIELD = f'"{"~" * 1000}#":0'

# Path and body of a request, and the number of its mistakes: its unknown fields and missing ones.
WRONG: dict[str, tuple[str, bytes, int]] = {
    "fields-of-a-move": (MOVES, filled('{"type":"place_disc",', FIELD, "}"), FIELDS + 2),
    "fields-of-a-match": (MATCHES, filled('{"game":"calimala",', FIELD, "}"), FIELDS + 1),
    "options": (MATCHES, filled(opening("calimala") + ',"options":{', FIELD, "}}"), FIELDS),
    "entries-of-a-board": (
        MATCHES,
        filled(opening("firenze") + ',"options":{"board":{', FIELD, "}}}"),
        FIELDS + 6,
    ),
    "seats": (MATCHES, filled('{"game":"calimala","seats":[', "{}", "]}"), 1),
    "fields-of-a-seat": (
        MATCHES,
        filled('{"game":"calimala","seats":[{"kind":"human",', FIELD, "}]}"),
        FIELDS,
    ),
    "a-long-name": (MOVES, f'{{"type":"place_disc","{LONG}":0}}'.encode(), 1 + 2),
    "long-names": (MOVES, filled('{"type":"place_disc",', LONG_FIELD, "}"), copies(LONG_FIELD) + 2),
    "a-long-value": (MOVES, f'{{"type":"{LONG}"}}'.encode(), 1),
    "a-long-game": (MATCHES, opening(LONG).encode() + b"}", 1),
}


@pytest.mark.parametrize(("path", "body", "mistakes"), WRONG.values(), ids=WRONG)
def test_20_mistakes_are_listed_and_the_rest_is_counted(
    match: Door, path: str, body: bytes, mistakes: int
) -> None:
    """A refusal lists 20 mistakes, counts the rest, and cuts long names and values."""
    problem = refused(match, body, 422, path)

    assert len(problem["errors"]) == min(mistakes, MOST_PLACES)
    rest = problem.get("more", 0)
    assert len(problem["errors"]) + rest == mistakes
    assert (f"and {rest} more" in problem["detail"]) == (rest > 0)
    for place in problem["errors"]:
        # The steps of a JSON pointer (RFC 6901).
        names = [step.replace("~0", "~").replace("~1", "/") for step in place["pointer"].split("/")]
        assert max(map(len, names)) <= MOST_ECHOED
        assert "x" * (MOST_ECHOED + 1) not in place["detail"]


def test_wrong_parameters_are_counted(match: Door) -> None:
    """Of a query with 1,000 unknown names 20 are listed, and the rest is counted."""
    query = "&".join(f"{'n' * 60}{number}=0" for number in range(1000))

    answer = match.get(f"state?{query}")

    assert answer.status_code == 422
    assert len(answer.data) < MOST_ANSWER
    assert json(answer)["more"] == 1000 - MOST_PLACES
