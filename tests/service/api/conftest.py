"""The application on a real server's Redis, and players who go through the door alone."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.http import parse_options_header
from werkzeug.test import TestResponse

from service.api.app import create_app
from service.api.http.context import AppServices, services_of
from service.config import Config
from service.matches import automation
from service.matches.context import Context
from workers.bots import choose

NDJSON = "application/x-ndjson"
OPERATOR = "the operator's token, forty bytes of it."
THREE = [{"kind": "human"}] * 3
IN_THE_LOBBY = [{"kind": "human"}, {"kind": "open"}, {"kind": "open"}]
NOON = 1_772_366_400  # seconds since the epoch; a window begins then
KEY = "8e03978e-40d5-43dd-bc93-6894a57f9324"


@dataclass
class Door:
    """One match through the door; `tokens` by whose they are."""

    client: FlaskClient
    ctx: Context
    tokens: dict[str, str] = field(default_factory=dict)
    match: str = ""

    def ask(self, method: str, path: str, who: str = "", **more: Any) -> TestResponse:
        """Send a request; a path without a leading slash is the match's."""
        headers = dict(more.pop("headers", {}))
        if who:
            token = self.tokens.get(who, who)
            headers["Authorization"] = f"Bearer {token}"
        return self.client.open(self._whole(path), method=method, headers=headers, **more)

    def get(self, path: str = "", who: str = "", **more: Any) -> TestResponse:
        """GET."""
        return self.ask("GET", path, who, **more)

    def post(self, path: str, body: Any, who: str = "", **more: Any) -> TestResponse:
        """POST a JSON body."""
        return self.ask("POST", path, who, json=body, **more)

    def delete(self, path: str, who: str = "", **more: Any) -> TestResponse:
        """DELETE."""
        return self.ask("DELETE", path, who, **more)

    def moves(self, who: str) -> list[dict[str, Any]]:
        """Return a seat's legal moves."""
        listed: list[dict[str, Any]] = json(self.get("moves", who))["moves"]
        return listed

    def move(self, who: str, number: int = 0, **more: Any) -> TestResponse:
        """Make a seat's n-th legal move."""
        return self.post("moves", self.moves(who)[number], who, **more)

    def waiting_seats(self) -> list[int]:
        """Return the seats that the match waits for."""
        seats: list[int] = json(self.get())["waiting_for"]["seats"]
        return seats

    def house(self) -> None:
        """Let the house do what it must."""
        automation.act(self.ctx, self.match)

    @classmethod
    def of(cls, app: Flask, **more: Any) -> Self:
        """Return a door of an application."""
        return cls(app.test_client(), services_of(app).ctx, **more)

    def change(self, **changed: Any) -> None:
        """Answer from now on as an application does some of whose services are others."""
        services = replace(self.services, **changed)
        self.client = create_app(services.config, services).test_client()
        self.ctx = services.ctx

    @property
    def services(self) -> AppServices:
        """The services of the application."""
        return services_of(self.client.application)

    def _whole(self, path: str) -> str:
        """Return the path of a request: as it is, or below the match."""
        if path.startswith("/"):
            return path
        match_path = f"/v1/matches/{self.match}"
        return f"{match_path}/{path}" if path else match_path


Make = Callable[..., Door]


def door_maker(redis_url: str, directory: Path) -> Make:
    """Return what makes a door with settings of its own, named as in GIORNALE_NAME."""

    def make(**settings: str) -> Door:
        all_settings = {
            "JOURNAL_URL": redis_url,
            "DATA": str(directory),
            "PARTITIONS": "4",
            **settings,
        }
        environ = {f"GIORNALE_{name}": value for name, value in all_settings.items()}
        return Door.of(create_app(Config.load(environ)))

    return make


def json(answer: TestResponse) -> Any:
    """Return an answer's JSON."""
    return answer.get_json(force=True)


def problem(answer: TestResponse) -> tuple[int, str]:
    """Return the status and the kind of a problem, such as (404, "not-found")."""
    kind = json(answer)["type"].removeprefix("/problems/")
    return answer.status_code, kind


def tag(answer: TestResponse) -> str:
    """Return the ETag of an answer."""
    found: str = answer.headers["ETag"]
    return found


def links(answer: Any) -> dict[str, str]:
    """Return the targets of the header Link by relation."""
    header = answer.headers.get("Link", "")
    if not header:
        return {}

    targets = {}
    for part in header.split(", "):
        target, parameters = parse_options_header(part)
        targets[parameters["rel"]] = target.strip("<>")
    return targets


def moved(match: Door, number: int) -> None:
    """Make some moves, fewer where the match is over before; the house does what it must."""
    for _ in range(number):
        seats = match.waiting_seats()
        if not seats:
            match.house()
            seats = match.waiting_seats()
        if seats:
            match.move(f"seat:{seats[0]}")


def versions_on(page: TestResponse) -> list[int]:
    """Return the versions of the commits on a page."""
    return [commit["version"] for commit in json(page)["commits"]]


def match_ids_on(page: TestResponse) -> list[str]:
    """Return the ids of the matches on a page of the list."""
    return [match["id"] for match in json(page)["matches"]]


@pytest.fixture
def app(redis_url: str, tmp_path: Path) -> Flask:
    """The application on an empty journal, where seeds may be given."""
    environ = {
        "GIORNALE_JOURNAL_URL": redis_url,
        "GIORNALE_DATA": str(tmp_path),
        "GIORNALE_ALLOW_SEED": "true",
        "GIORNALE_PARTITIONS": "4",
        "GIORNALE_SECRET": "x" * 32,
        "GIORNALE_OPERATOR_TOKEN": OPERATOR,
    }
    return create_app(Config.load(environ))


@pytest.fixture
def one_window(monkeypatch: pytest.MonkeyPatch) -> None:
    """No window of a rate limit ends in the middle of a test, however slow the machine is."""
    monkeypatch.setattr("time.time", lambda: NOON)


@pytest.fixture
def ctx(app: Flask) -> Context:
    """What the use cases of the application work with."""
    return services_of(app).ctx


@pytest.fixture
def door(app: Flask, ctx: Context) -> Door:
    """The door, with no match yet."""
    return Door(app.test_client(), ctx)


def opened(
    door: Door,
    game: str = "calimala",
    seats: list[dict[str, str]] = THREE,
    key: str = "",
    **more: Any,
) -> Door:
    """Open a match and keep its tokens; a wish of None is left out."""
    wishes = {"game": game, "seats": seats, "seed": "seed", **more}
    body = {name: wish for name, wish in wishes.items() if wish}
    headers = {"Idempotency-Key": key} if key else {}

    answer = door.post("/v1/matches", body, headers=headers)
    assert answer.status_code == 201, answer.text

    document = json(answer)
    door.match = document["id"]
    door.tokens = document["tokens"]
    return door


@pytest.fixture
def match(door: Door) -> Door:
    """A match of three humans that has started."""
    return opened(door)


@pytest.fixture
def lobby(door: Door) -> Door:
    """A match with an owner, one human and two open seats."""
    seats = [
        {"kind": "human", "name": "Cosimo"},
        {"kind": "open"},
        {"kind": "open"},
    ]
    return opened(door, seats=seats)


@pytest.fixture
def ended(door: Door) -> Door:
    """A short match of bots that was aborted, and whose house has revealed its secrets."""
    a_bot = {"kind": "bot", "level": "random"}
    opened(door, seats=[a_bot] * 3)

    for _ in range(4):
        automation.play_bots(door.ctx, door.match, choose)
    assert door.post("abort", None, "owner").status_code == 201
    door.house()
    return door
