"""Requests are answered for allowed hosts, and for pages of allowed origins."""

from dataclasses import replace

import pytest

from service.api.request_scope import Guard
from service.base.config import Config
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
    """A server on the loopback answers only requests to the loopback's names.

    Another server answers all hosts, unless the operator lists the allowed ones.
    """
    settings = {"GIORNALE_HOST": listens, "GIORNALE_ALLOWED_HOSTS": allowed}
    guard = Guard(Config.load(settings))

    for host in answered:
        assert guard.answers_host(host), host
    for host in refused:
        assert not guard.answers_host(host), host


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
def test_changes_are_taken_from_programs_and_allowed_origins(
    door: Door, site: str | None, origin: str | None, allowed: str, status: int
) -> None:
    """Programs, our own pages and pages of allowed origins may open matches.

    Other pages may only read.
    """
    config = replace(door.services.config, cors_origins=tuple(allowed.split()))
    door.change(config=config)
    values = {"Sec-Fetch-Site": site, "Origin": origin}
    headers = {name: value for name, value in values.items() if value is not None}
    wish = {"game": "calimala", "seats": THREE}

    opened = door.post("/v1/matches", wish, headers=headers)
    looked = door.get("/v1/games", headers=headers)

    assert opened.status_code == status
    assert looked.status_code == 200
    if status == 403:
        assert problem(opened) == (403, "cross-site")
        assert json(door.get("/v1/matches"))["matches"] == []


def test_a_body_that_says_it_is_not_coded_is_taken(match: Door) -> None:
    """A body with the content coding `identity` is accepted, because it means no coding."""
    move = match.moves("seat:0")[0]

    answer = match.post("moves", move, "seat:0", headers={"Content-Encoding": "identity"})

    assert answer.status_code == 201
