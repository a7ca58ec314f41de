"""The application on a real Redis server, and players who use its API alone."""

import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from pathlib import Path
from typing import Any, Self

import pytest
from flask import Flask
from flask.testing import FlaskClient
from redis import Redis
from werkzeug.http import parse_options_header
from werkzeug.test import TestResponse

from domain.games import GAMES
from domain.match.messages import RunOut
from domain.seats import HOUSE_ACTOR
from service.api.http.context import AppServices, services_of
from service.app import create_app
from service.base.answers import Problem
from service.base.config import Config
from service.matches import automation
from service.matches.command_handler import Act, commit
from service.matches.context import Context
from service.matches.repository import load
from service.ops.process.valkey import Server
from tests.service.store.journal.copies import copy_of_server, put_back_on_server
from tests.signing import Player, proven
from tests.terms import clock_of
from workers import process
from workers.app import open_lane
from workers.bots import choose
from workers.worker import make_worker

NDJSON = "application/x-ndjson"
OPERATOR = "the operator's token, forty bytes of it."
THREE = [{"kind": "human"}] * 3
IN_THE_LOBBY = [{"kind": "human"}, {"kind": "open"}, {"kind": "open"}]
NOON = 1_772_366_400  # seconds since the epoch; a window begins then
KEY = "8e03978e-40d5-43dd-bc93-6894a57f9324"

# There is an operator, and requests may give seeds.
SETTINGS = {
    "ALLOW_SEED": "true",
    "SECRET": "x" * 32,
    "OPERATOR_TOKEN": OPERATOR,
    "REPLACE_AFTER_HOURS": "0",
}


@dataclass
class Door:
    """One match through the API. `tokens` maps holders to tokens."""

    client: FlaskClient
    ctx: Context
    tokens: dict[str, str] = field(default_factory=dict)
    match: str = ""

    def ask(self, method: str, path: str, who: str = "", **more: Any) -> TestResponse:
        """Send a request. A path without a leading slash is the match's."""
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
        """Return the seats the match waits for."""
        seats: list[int] = json(self.get())["waiting_for"]["seats"]
        return seats

    def house(self) -> None:
        """Let the house act."""
        automation.act(self.ctx, self.match)

    @classmethod
    def of(cls, app: Flask, **more: Any) -> Self:
        """Return a door of an application."""
        return cls(app.test_client(), services_of(app).ctx, **more)

    def another_process(self) -> Self:
        """Return the same match at the door of a process that has just started."""
        app = create_app(self.services.config)
        return self.of(app, tokens=self.tokens, match=self.match)

    def change(self, **changed: Any) -> None:
        """Replace some services of the application from now on."""
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


@dataclass
class KeyedDoor(Door):
    """A match whose seats sign with keys (M18). `players` maps seats to players."""

    players: dict[str, Player] = field(default_factory=dict)

    def ask(self, method: str, path: str, who: str = "", **more: Any) -> TestResponse:
        """Send a request. Add the version and the signature if the answer demands them."""
        answer = super().ask(method, path, who, **more)
        headers = dict(more.pop("headers", {}))
        if answer.status_code == HTTPStatus.PRECONDITION_REQUIRED:
            headers["If-Match"] = tag(super().ask("GET", "", who))
            answer = super().ask(method, path, who, headers=headers, **more)
        to_sign = answer.get_json(force=True).get("to_sign") if answer.status_code == 422 else None
        if to_sign is None:
            return answer
        headers["Giornale-Signature"] = self.players[who].private.sign(to_sign.encode()).hex()
        return super().ask(method, path, who, headers=headers, **more)


Make = Callable[..., Door]


@contextmanager
def door_maker(redis_url: str, directory: Path) -> Iterator[Make]:
    """Yield a factory of doors. Settings are named without the prefix GIORNALE_.

    The connections of all its doors are closed in the end.
    """
    opened_services = []

    def make(**settings: str) -> Door:
        all_settings = {
            "JOURNAL_URL": redis_url,
            "DATA": str(directory),
            "PARTITIONS": "4",
            **settings,
        }
        environ = {f"GIORNALE_{name}": value for name, value in all_settings.items()}
        door = Door.of(create_app(Config.load(environ)))
        opened_services.append(door.services)
        return door

    yield make

    for services in opened_services:
        services.ctx.journal.close()
        services.queues.redis.close()


def json(answer: TestResponse) -> Any:
    """Return an answer's JSON."""
    return answer.get_json(force=True)


def problem(answer: TestResponse) -> tuple[int, str]:
    """Return the status and the kind of a problem, such as (404, "not-found").

    The contract names all its members.
    """
    members = json(answer)
    assert members.keys() <= Problem.__required_keys__ | Problem.__optional_keys__
    return answer.status_code, members["type"].removeprefix("/problems/")


def tag(answer: TestResponse) -> str:
    """Return the ETag of an answer."""
    etag: str = answer.headers["ETag"]
    return etag


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
    """Make some moves, fewer if the match ends before. The house acts on its turns."""
    for _ in range(number):
        seats = match.waiting_seats()
        if not seats:
            match.house()
            seats = match.waiting_seats()
        if seats:
            match.move(f"seat:{seats[0]}")


COPIED_AT = 2  # the last version in the older copy of a journal
LAST = 4  # the last version of each history


class Histories:
    """A match at version LAST, and an older copy of its journal to restore and continue from."""

    def __init__(self, match: Door) -> None:
        self.match = match

        play_on(match, COPIED_AT, move=0)
        with self.client() as client:
            self._older = copy_of_server(client)
        play_on(match, LAST, move=0)

    def client(self) -> Any:
        """Return a plain client of the journal's server."""
        return Redis.from_url(self.match.services.config.journal_url)

    def go_back(self) -> None:
        """Put the older copy back."""
        with self.client() as client:
            put_back_on_server(client, self._older)

    def rewrite(self) -> None:
        """Put the older copy back, and let another process make other moves up to LAST."""
        self.go_back()
        play_on(self.match.another_process(), LAST, move=1)

    def empty(self) -> None:
        """Empty the journal."""
        with self.client() as client:
            client.flushall()


def play_on(match: Door, version: int, move: int) -> None:
    """Let the seats move in turn up to a version. `move`: index in the seat's legal moves."""
    for number in range(json(match.get())["version"], version):
        assert match.move(f"seat:{number - 1}", move).status_code == 201


def run_out(match: Door, seat: int) -> None:
    """Let the house say that the time of a seat has run out, once the context's clock says so."""
    loaded = load(match.ctx, match.match)
    assert clock_of(loaded.match) is not None
    due = clock_of(loaded.match).due(seat)
    while match.ctx.clock() < due:
        pass
    commit(match.ctx, loaded, Act(HOUSE_ACTOR, RunOut(seat, due)))


def versions_on(page: TestResponse) -> list[int]:
    """Return the versions of the commits on a page."""
    return [commit["version"] for commit in json(page)["commits"]]


def match_ids_on(page: TestResponse) -> list[str]:
    """Return the ids of the matches on a page of the list."""
    return [match["match"] for match in json(page)["matches"]]


@pytest.fixture
def make_door(redis_url: str, tmp_path: Path) -> Iterator[Make]:
    """Makes a door of an application of its own, with some settings, on an empty journal."""
    with door_maker(redis_url, tmp_path) as make:
        yield make


@pytest.fixture
def own_app(make_door: Make) -> Flask:
    """The application of a process that has just started, with all its limits."""
    return make_door(**SETTINGS).client.application


@pytest.fixture(scope="session")
def shared_app(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Flask]:
    """The application shared by most tests, without rate limits."""
    with door_maker(server.url, tmp_path_factory.mktemp("shared")) as make:
        yield make(**SETTINGS, RATE_LIMIT="0", OPENINGS="0").client.application


@pytest.fixture
def app(shared_app: Flask, redis_url: str) -> Flask:
    """The shared application on an empty journal, with an empty cache."""
    assert redis_url
    services_of(shared_app).ctx.cache.forget()
    return shared_app


@pytest.fixture
def one_window(monkeypatch: pytest.MonkeyPatch) -> None:
    """No window of a rate limit ends in the middle of a test, however slow the machine is."""
    monkeypatch.setattr("time.time", lambda: NOON)


@pytest.fixture
def door(app: Flask) -> Door:
    """The door, with no match yet."""
    return Door.of(app)


def fitting(game: str, seats: list[dict[str, str]]) -> list[dict[str, str]]:
    """Return seats such as these, in the nearest number that the game allows."""
    number = min(GAMES[game].seats, key=lambda allowed: abs(allowed - len(seats)))
    return (seats * number)[:number]


def opened(
    door: Door,
    game: str = "calimala",
    seats: list[dict[str, str]] = THREE,
    key: str = "",
    **more: Any,
) -> Door:
    """Open a match with seats adapted by `fitting`. Falsy members of the request are left out."""
    wishes = {"game": game, "seats": fitting(game, seats), "seed": "seed", **more}
    body = {name: wish for name, wish in wishes.items() if wish}
    if not key and any("key" in plan for plan in seats):
        key = secrets.token_hex(16)
    headers = {"Idempotency-Key": key} if key else {}

    answer = door.post("/v1/matches", proven(body, key), headers=headers)
    assert answer.status_code == 201, answer.text

    document = json(answer)
    door.match = document["match"]
    door.tokens = document["tokens"]
    return door


@pytest.fixture
def match(door: Door) -> Door:
    """A match of three humans that has started."""
    return opened(door)


@pytest.fixture
def histories(match: Door) -> Histories:
    """A match of three humans at version 4, and a copy of its journal at version 2."""
    return Histories(match)


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
    """A short match of bots, aborted by its owner and revealed by the house."""
    a_bot = {"kind": "bot", "level": "random"}
    opened(door, seats=[a_bot] * 3)

    for _ in range(4):
        automation.play_bots(door.ctx, door.match, choose)
    assert door.post("abort", None, "owner").status_code == 201
    door.house()
    return door


@pytest.fixture
def as_worker(door: Door, handlers_put_back: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this process do the jobs of the door's queues as a worker would."""
    parts = (door.ctx, door.services.queues)
    monkeypatch.setattr(process, "_context_and_queues", lambda: parts)


def work(door: Door, queue: str) -> None:
    """Let a worker do all that stands in a queue."""
    make_worker(open_lane(queue, door.services.queues)).work(burst=True, logging_level=None)


def waiting(door: Door, queue: str) -> int:
    """Return the number of jobs in a queue waiting for a worker."""
    return door.services.queues.depths()[queue]
