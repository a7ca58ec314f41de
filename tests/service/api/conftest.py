"""The application on a real server's Redis, and players who go through the door alone."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from service.api.app import create_app
from service.config import Config
from service.matches import house
from service.matches.desk import Desk

OPERATOR = "the operator's token, forty bytes of it."
THREE = [{"kind": "human"}] * 3
KEY = "8e03978e-40d5-43dd-bc93-6894a57f9324"


@dataclass
class Door:
    """One match through the door; `tokens` by whose they are."""

    client: FlaskClient
    desk: Desk
    tokens: dict[str, str] = field(default_factory=dict)
    match: str = ""

    def ask(self, method: str, path: str, who: str = "", **more: Any) -> TestResponse:
        """Send a request; a path without a leading slash is the match's."""
        where = (
            path if path.startswith("/") else f"/v1/matches/{self.match}{'/' * bool(path)}{path}"
        )
        headers = dict(more.pop("headers", {}))
        if who:
            headers["Authorization"] = f"Bearer {self.tokens.get(who, who)}"
        return self.client.open(where, method=method, headers=headers, **more)

    def get(self, path: str = "", who: str = "", **more: Any) -> TestResponse:
        """GET."""
        return self.ask("GET", path, who, **more)

    def post(self, path: str, body: Any, who: str = "", **more: Any) -> TestResponse:
        """POST a JSON body."""
        return self.ask("POST", path, who, json=body, **more)

    def moves(self, who: str) -> list[dict[str, Any]]:
        """Return a seat's legal moves."""
        listed: list[dict[str, Any]] = json(self.get("moves", who))["moves"]
        return listed

    def move(self, who: str, number: int = 0, **more: Any) -> TestResponse:
        """Make a seat's n-th legal move."""
        return self.post("moves", self.moves(who)[number], who, **more)

    def house(self) -> None:
        """Let the house do what it must."""
        house.act(self.desk, self.match)


Make = Callable[..., Door]


def door_maker(redis_url: str, directory: Path) -> Make:
    """Return what makes a door of an application with settings of its own, named as in GIORNALE_NAME."""

    def make(**settings: str) -> Door:
        told = {"JOURNAL_URL": redis_url, "DATA": str(directory), "PARTITIONS": "4", **settings}
        app = create_app(Config.load({f"GIORNALE_{name}": value for name, value in told.items()}))
        return Door(app.test_client(), app.extensions["desk"])

    return make


def json(answer: TestResponse) -> Any:
    """Return an answer's JSON."""
    return answer.get_json(force=True)


@pytest.fixture
def app(redis_url: str, tmp_path: Path) -> Flask:
    """The application on an empty journal, where seeds may be given."""
    environ = {
        "GIORNALE_JOURNAL_URL": redis_url, "GIORNALE_DATA": str(tmp_path), "GIORNALE_ALLOW_SEED": "true",
        "GIORNALE_PARTITIONS": "4", "GIORNALE_SECRET": "x" * 32, "GIORNALE_OPERATOR_TOKEN": OPERATOR,
    }  # fmt: skip
    return create_app(Config.load(environ))


@pytest.fixture
def desk(app: Flask) -> Desk:
    """The application's desk."""
    found: Desk = app.extensions["desk"]
    return found


@pytest.fixture
def door(app: Flask, desk: Desk) -> Door:
    """The door, with no match yet."""
    return Door(app.test_client(), desk)


def opened(
    door: Door,
    game: str = "calimala",
    seats: list[dict[str, str]] = THREE,
    key: str = "",
    **more: Any,
) -> Door:
    """Open a match and keep its tokens."""
    body = {
        name: value
        for name, value in {"game": game, "seats": seats, "seed": "seed", **more}.items()
        if value
    }
    answer = door.post("/v1/matches", body, headers={"Idempotency-Key": key} if key else {})
    assert answer.status_code == 201, answer.text
    door.match, door.tokens = json(answer)["id"], json(answer)["tokens"]
    return door


@pytest.fixture
def match(door: Door) -> Door:
    """A match of three humans that has started."""
    return opened(door)


@pytest.fixture
def lobby(door: Door) -> Door:
    """A match with an owner, one human and two open seats."""
    return opened(
        door, seats=[{"kind": "human", "name": "Cosimo"}, {"kind": "open"}, {"kind": "open"}]
    )
