"""Floods of requests and forged headers at the door: they gain nothing."""

import http.client
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest
from werkzeug.test import TestResponse

from service.process.valkey import Server
from tests.attacks.flooding import HOST, Target, target
from tests.service.api.conftest import THREE, Door, Make, door_maker, json, opened

RATE = 20  # requests a minute of the running web process
PREFIX = "/giornale"
ATTACKER = {"REMOTE_ADDR": "203.0.113.9"}
SOMEBODY = {"REMOTE_ADDR": "198.51.100.7"}

Header = tuple[str, str]  # name and value


@pytest.fixture
def made(redis_url: str, tmp_path: Path) -> Make:
    """Makes a door with settings of its own."""
    return door_maker(redis_url, tmp_path)


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
        let_through += looks_let_through(door, opening)

    assert let_through <= 4 * 20
    assert door.get("/v1/games", environ_overrides=ATTACKER).status_code == 429
    assert door.get("/v1/games", environ_overrides=SOMEBODY).status_code == 200


def looks_let_through(door: Door, opening: TestResponse) -> int:
    """Look at a match three times with each of its tokens; return how many looks are answered."""
    document = json(opening)
    door.match = document["id"]

    answers = []
    for token in document["tokens"].values():
        answers += [door.get("state", token, environ_overrides=ATTACKER) for _ in range(3)]
    return statuses(answers).count(200)


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

    answers = []
    for number in range(8):
        forged = {"X-Forwarded-For": f"192.0.2.{number}"}
        answers.append(door.get("/v1/games", headers=forged, environ_overrides=ATTACKER))

    assert statuses(answers) == [200] * 5 + [429] * 3


def test_many_tokens_do_not_take_all_streams(made: Make) -> None:
    """One address with ever more tokens leaves streams for others, though each could have all."""
    door = made(STREAMS="8")
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
    running: Target,
    method: str,
    path: str,
    headers: list[Header],
    body: bytes = b"",
) -> tuple[int, dict[str, str]]:
    """Send exactly these headers; return the status and the headers of the answer."""
    whole_path = PREFIX + path
    connection = http.client.HTTPConnection(HOST, running.port, timeout=10)

    connection.putrequest(method, whole_path, skip_host=True, skip_accept_encoding=True)
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


@pytest.mark.parametrize(
    "headers",
    [
        pytest.param([EVIL], id="name-that-leads-to-the-loopback"),
        pytest.param([], id="no-host"),
        pytest.param([LOCALHOST, EVIL], id="two-hosts"),
    ],
)
def test_a_foreign_name_reads_nothing(running: Target, headers: list[Header]) -> None:
    """Whoever asks the running service under another name than its own is refused."""
    status, _ = sent(running, "GET", "/v1/matches", headers)

    assert status == 421


@pytest.mark.parametrize(
    ("headers", "refused"),
    [
        pytest.param([LOCALHOST, FORM, CROSS_SITE], 403, id="form-of-another-site"),
        pytest.param([LOCALHOST, FORM], 415, id="form-of-an-old-browser"),
        pytest.param([LOCALHOST], 415, id="blob-of-an-old-browser"),
    ],
)
def test_a_page_of_another_site_reaches_nothing(
    running: Target, headers: list[Header], refused: int
) -> None:
    """What a browser can be made to send to the loopback is refused by the running service."""
    status, _ = sent(running, "POST", "/v1/matches", headers, b"{}")

    assert status == refused


def forwarded_for(addresses: str) -> Header:
    """Return a line of the header in which proxies tell whose request they forward."""
    return ("X-Forwarded-For", addresses)


def hide(running: Target) -> int:
    """Ask 4 * RATE times with forged addresses; return how many requests are let through."""
    let_through = 0
    for number in range(2 * RATE):
        forged = f"192.0.2.{number}"
        on_two_lines = [forwarded_for(forged), forwarded_for("203.0.113.9")]
        on_one_line = [forwarded_for(f"{forged}, 203.0.113.9")]
        for lines in (on_two_lines, on_one_line):
            status, _ = sent(running, "GET", "/v1/games", [LOCALHOST, *lines])
            let_through += status == 200
    return let_through


def test_a_client_does_not_hide_behind_the_proxy(running: Target) -> None:
    """What clients write into X-Forwarded-For is worth nothing, on whatever line it stands."""
    let_through = hide(running)

    # A minute may end in the middle.
    assert RATE <= let_through <= 2 * RATE


def test_another_client_behind_the_proxy_has_its_own_limit(running: Target) -> None:
    """Whoever has not asked yet may ask as often as anybody, whatever others have used up."""
    hide(running)
    lines = [LOCALHOST, forwarded_for("198.51.100.7")]

    status, headers = sent(running, "GET", "/v1/games", lines)

    assert status == 200
    assert headers["ratelimit"].startswith(f'"caller";r={RATE - 1};')
