"""For which hosts, and for pages of which origins, requests are answered."""

import pytest
from flask import Flask

from service.api.guard import Guard
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
    app: Flask, listens: str, allowed: str, answered: list[str], refused: list[str]
) -> None:
    """On the loopback only its own names are; elsewhere all, unless the operator says which."""
    guard = Guard(Config.load({"GIORNALE_HOST": listens, "GIORNALE_ALLOWED_HOSTS": allowed}))
    for host in [*answered, *refused]:
        with app.test_request_context():
            refusal = guard.misdirected({"HTTP_HOST": host})
        assert (refusal is None) == (host in answered), host


def test_probes_are_answered_for_any_host(door: Door) -> None:
    """Who asks whether it is alive may know only an address; everything else is refused."""
    headers = {"Host": "evil.example"}

    assert door.get("/livez", headers=headers).status_code == 200
    assert door.get("/readyz", headers=headers).status_code == 503
    for path in ("/metrics", "/v1/games", "/docs", "/nowhere"):
        assert problem(door.get(path, headers=headers)) == (421, "misdirected")

    headers["Origin"] = "http://evil.example"
    assert door.ask("OPTIONS", "/v1/matches", headers=headers).status_code == 421


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
    application = door.client.application
    application.extensions["guard"] = Guard(Config.load({"GIORNALE_CORS_ORIGINS": allowed}))
    told = {"Sec-Fetch-Site": site, "Origin": origin}
    headers = {name: value for name, value in told.items() if value is not None}

    answer = door.post("/v1/matches", {"game": "calimala", "seats": THREE}, headers=headers)

    assert answer.status_code == status
    if status == 403:
        assert problem(answer) == (403, "cross-site")
        assert json(door.get("/v1/matches"))["matches"] == []
    assert door.get("/v1/games", headers=headers).status_code == 200


@pytest.mark.parametrize(
    "media",
    ["", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"],
)
@pytest.mark.parametrize("path", ["/v1/matches", "moves", "start"])
def test_a_body_must_say_that_it_is_json(match: Door, media: str, path: str) -> None:
    """What any page can post is refused, and told how a body is sent."""
    headers = {"Content-Type": media} if media else {}

    answer = match.ask("POST", path, "owner", data=b'{"game": "calimala"}', headers=headers)

    assert problem(answer) == (415, "unsupported-media-type")
    assert "application/" in json(answer)["detail"]


def test_a_post_without_a_body_needs_no_type(lobby: Door) -> None:
    """To start or to abort takes no body, and so no Content-Type."""
    assert lobby.ask("POST", "start", "owner").status_code == 409  # seats are open
    assert lobby.ask("POST", "abort", "owner").status_code == 201


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

    assert answer.status_code == status
    for word in ("spelling", "URL", "manually", "werkzeug", "server", "method is not allowed for"):
        assert word not in json(answer)["detail"]
    assert ("Allow" in answer.headers) == (status == 405)
