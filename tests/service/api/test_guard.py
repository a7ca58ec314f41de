"""For which hosts, and for pages of which origins, requests are answered."""

import gzip
from dataclasses import replace
from json import dumps

import pytest
from werkzeug.test import TestResponse

from service.api.request_scope import Guard
from service.config import Config
from tests.service.api.conftest import THREE, Door, json, problem

LOOPBACK = [
    "localhost",
    "localhost:8000",
    "LOCALHOST",
    "localhost.",
    "127.0.0.1:9",
    "[::1]",
    "[::1]:8000",
]
FOREIGN = [
    "evil.example",
    "localhost.evil.example",
    "192.168.0.7:8000",
    "localhost, evil",
    "",
    "[::2]",
    "a@localhost",
]


@pytest.mark.parametrize(
    ("listens", "allowed", "answered", "refused"),
    [
        ("127.0.0.1", "", LOOPBACK, FOREIGN),
        ("::1", "", LOOPBACK, FOREIGN),
        ("127.0.0.2", "", [*LOOPBACK, "127.0.0.2:8000"], FOREIGN),
        ("0.0.0.0", "", [*LOOPBACK, *FOREIGN], []),  # noqa: S104
        ("play.example", "", [*LOOPBACK, *FOREIGN], []),
        ("127.0.0.1", "*", [*LOOPBACK, *FOREIGN], []),
        (
            "0.0.0.0",  # noqa: S104
            "Play.example [fd00::1]",
            ["play.example:80", "PLAY.example", "[fd00::1]:1"],
            FOREIGN,
        ),
    ],
    ids=["loopback", "loopback-6", "another-loopback", "everywhere", "by-name", "all", "some"],
)
def test_hosts_that_are_answered(
    listens: str, allowed: str, answered: list[str], refused: list[str]
) -> None:
    """On the loopback only its own names are; elsewhere all, unless the operator says which."""
    settings = {"GIORNALE_HOST": listens, "GIORNALE_ALLOWED_HOSTS": allowed}
    guard = Guard(Config.load(settings))

    for host in answered:
        assert guard.answers_host(host), host
    for host in refused:
        assert not guard.answers_host(host), host


def test_probes_are_answered_for_any_host(door: Door) -> None:
    """Who asks whether it is alive may know only an address."""
    foreign = {"Host": "evil.example"}

    alive = door.get("/livez", headers=foreign)
    ready = door.get("/readyz", headers=foreign)

    assert alive.status_code == 200
    assert ready.status_code == 503, "there are no workers"


@pytest.mark.parametrize("path", ["/metrics", "/v1/games", "/docs", "/nowhere"])
def test_all_but_probes_is_refused_for_a_foreign_host(door: Door, path: str) -> None:
    """A name that leads here by a trick (DNS rebinding) gets nothing."""
    answer = door.get(path, headers={"Host": "evil.example"})

    assert problem(answer) == (421, "misdirected")


def test_a_foreign_host_gets_no_preflight(door: Door) -> None:
    """A page of such a host is not told what it may send."""
    foreign = {"Host": "evil.example", "Origin": "http://evil.example"}

    preflight = door.ask("OPTIONS", "/v1/matches", headers=foreign)

    assert preflight.status_code == 421


@pytest.mark.parametrize(
    ("site", "origin", "allowed", "status"),
    [
        (None, None, "", 201),
        ("same-origin", "http://localhost", "", 201),
        ("none", None, "", 201),
        ("cross-site", "https://a.example", "", 403),
        ("same-site", "http://localhost:3000", "", 403),
        ("cross-site", "https://a.example", "https://a.example", 201),
        ("cross-site", "https://b.example", "https://a.example", 403),
        ("cross-site", None, "https://a.example", 403),
        ("cross-site", "null", "*", 201),
        ("to-come", "https://a.example", "", 403),
    ],
)
def test_who_may_change_something(
    door: Door, site: str | None, origin: str | None, allowed: str, status: int
) -> None:
    """A program, our own pages and those of allowed origins may; other pages may only look."""
    allow_origins(door, allowed)
    headers = browser_headers(site, origin)
    wish = {"game": "calimala", "seats": THREE}

    opened = door.post("/v1/matches", wish, headers=headers)
    looked = door.get("/v1/games", headers=headers)

    assert opened.status_code == status
    assert looked.status_code == 200
    if status == 403:
        assert problem(opened) == (403, "cross-site")
        assert json(door.get("/v1/matches"))["matches"] == []


def allow_origins(door: Door, origins: str) -> None:
    """Let an application answer pages of some origins."""
    config = replace(door.services.config, cors_origins=tuple(origins.split()))
    door.change(config=config)


def browser_headers(site: str | None, origin: str | None) -> dict[str, str]:
    """Return what a browser says of the page that sends a request; None is not said."""
    headers = {}
    if site is not None:
        headers["Sec-Fetch-Site"] = site
    if origin is not None:
        headers["Origin"] = origin
    return headers


@pytest.mark.parametrize(
    "media",
    ["", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"],
)
@pytest.mark.parametrize("path", ["/v1/matches", "moves", "start"])
def test_a_body_must_say_that_it_is_json(match: Door, media: str, path: str) -> None:
    """What any page can post is refused, and told how a body is sent."""
    headers = {"Content-Type": media} if media else {}
    body = b'{"game": "calimala"}'

    answer = match.ask("POST", path, "owner", data=body, headers=headers)

    assert problem(answer) == (415, "unsupported-media-type")
    assert answer.headers["Accept-Post"] == "application/json"
    assert "application/" in json(answer)["detail"]


@pytest.mark.parametrize("path", ["/v1/matches", "moves", "start"])
def test_a_body_must_be_sent_as_it_is(match: Door, path: str) -> None:
    """A coding is refused by its name, and the answer says what is taken (RFC 9110, 15.5.16)."""
    compressed = gzip.compress(b'{"type": "pass"}')

    answers = [send_coded(match, path, compressed, coding) for coding in ("gzip", "GZIP, br")]

    for answer in answers:
        assert problem(answer) == (415, "unsupported-media-type")
        assert answer.headers["Accept-Encoding"] == "identity"
        assert "Content-Encoding" in json(answer)["detail"]
    assert json(match.get())["version"] == 1


def test_a_body_that_says_it_is_not_coded_is_taken(match: Door) -> None:
    """The word for no coding at all changes nothing."""
    move = dumps(match.moves("seat:0")[0]).encode()

    assert send_coded(match, "moves", move, "identity").status_code == 201


def send_coded(match: Door, path: str, body: bytes, coding: str) -> TestResponse:
    """Post a body with a Content-Encoding."""
    return match.ask(
        "POST",
        path,
        "owner" if path == "start" else "seat:0",
        data=body,
        content_type="application/json",
        headers={"Content-Encoding": coding},
    )


def test_a_post_without_a_body_needs_no_type(lobby: Door) -> None:
    """To start or to abort takes no body, and so no Content-Type."""
    started = lobby.ask("POST", "start", "owner")
    aborted = lobby.ask("POST", "abort", "owner")

    assert started.status_code == 409, "seats are open"
    assert aborted.status_code == 201


WORDS_OF_THE_FRAMEWORK = (
    "spelling",
    "URL",
    "manually",
    "werkzeug",
    "server",
    "method is not allowed for",
)


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/v1/matchs", 404),
        ("GET", "/v1/matches/nothing", 404),
        ("PUT", "/v1/matches", 405),
        ("TRACE", "/", 405),
    ],
)
def test_the_framework_is_not_heard(door: Door, method: str, path: str, status: int) -> None:
    """Its errors come in our own words: no advice about spelling, nothing of how it is made."""
    answer = door.ask(method, path)
    detail = json(answer)["detail"]

    assert answer.status_code == status
    assert ("Allow" in answer.headers) == (status == 405)
    for word in WORDS_OF_THE_FRAMEWORK:
        assert word not in detail
