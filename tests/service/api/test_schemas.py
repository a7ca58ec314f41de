"""The schemas of answers: every part has a description, and whole matches are valid."""

from copy import deepcopy
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from domain.game import Game
from domain.games import RELEASED
from domain.json_types import parts, returned
from domain.match import messages
from domain.match.state import Match
from service.api.contract import json_types
from service.api.contract.document import document
from service.api.contract.json_types import camel
from service.matches import moves as match_moves, views as match_views
from service.record.replay import Loaded
from service.store.keys.tokens import Caller
from tests import toy
from tests.records import views
from tests.service.api.conftest import Door, json, opened, problem
from tests.service.api.contract_file import quiet_app

Json = dict[str, Any]

# One match of each number of seats of each game.
RECORDS = [path for path in views.chosen() if path.name.endswith("-07.ndjson.gz")]

# Members of a preview beside the fields of an event.
FORETOLD = {"drawn", "changes"}

QUICK = {"kind": "bot", "level": "quick"}
NO_QUICK = "Toy has no bots of the level quick. Its levels: random, greedy"


@pytest.fixture(scope="module")
def components() -> Json:
    """The components of the contract."""
    result: Json = document(quiet_app())["components"]
    return result


# ---- sentences -----------------------------------------------------------------------------------


def of_messages() -> set[str]:
    """Return the components of commands and events.

    For now their docstrings describe their fields.
    """
    lobby_messages = [*messages.COMMANDS.values(), *messages.EVENTS.values()]
    pairs: list[tuple[str, Any]] = [("Lobby", message) for message in lobby_messages]
    for game in RELEASED:
        for prefix in (camel(game.key), camel(game.rules)):
            pairs += [(prefix, message) for message in game.commands.values()]
            pairs += [(prefix, message) for message in game.events.values()]

    names: set[str] = set()
    for prefix, message in pairs:
        name = f"{prefix}{camel(message.tag)}"
        names |= {f"{name}{family}" for family in ("", "Move", "Command")}
        inner: list[Any] = [part for part in parts(message) if is_dataclass(part)]
        names |= {f"{prefix}{part.__name__}" for part in inner}
    return names


def test_every_component_and_property_has_a_description(components: Json) -> None:
    """The contract describes each schema, and each member but those of commands and events."""
    passed_over = of_messages()
    all_schemas = components["schemas"]
    described = {name: schema for name, schema in all_schemas.items() if name not in passed_over}
    assert len(described) > 90

    missing = []
    for name, schema in described.items():
        for member, described_member in schema.get("properties", {}).items():
            if not described_member.get("description"):
                missing.append(f"{name}/{member}")
    assert missing == []

    schemas = components["schemas"]
    assert [name for name, schema in schemas.items() if not schema.get("description")] == []


def test_members_of_a_preview_hide_no_field_of_an_event() -> None:
    """No event has a field with the name of a preview's own member."""
    hidden = []
    for game in RELEASED:
        for tag, event in game.events.items():
            names = {field.name for field in fields(event)}
            if names & FORETOLD:
                hidden.append((game.rules, tag))
    assert hidden == []


# ---- whole matches -------------------------------------------------------------------------------


def strict(components: Json, game: Game[Any]) -> Json:
    """Return the components, with schemas of a game's views that allow no other members."""
    closed = deepcopy(components)
    for part in parts(returned(game.view), returned(game.known), returned(game.unlisted)):
        schema = closed["schemas"][json_types.component_name(camel(game.key), part)]
        if schema["type"] == "object":
            schema["additionalProperties"] = False
    return closed


def validator(components: Json, name: str) -> Any:
    """Return a validator of a component."""
    schema = {"$ref": f"#/components/schemas/{name}", "components": components}
    return jsonschema_rs.Draft202012Validator(schema)


def faults(checker: Any, value: Any) -> list[str]:
    """Return the errors of a value."""
    return [f"{error.instance_path}: {error.message[:200]}" for error in checker.iter_errors(value)]


def loaded_at(match: Match, version: int) -> Loaded:
    """Return a match as the service holds it."""
    moment = "2026-03-01T18:00:00.000Z"
    return Loaded(
        id="a" * 26,
        version=version,
        created=moment,
        time=moment,
        hash="0" * 64,
        match=match,
    )


def no_listed_moves(loaded: Loaded, seat: int) -> Json:
    """Return the answer about a seat's moves, with an empty list."""
    return {
        "game": loaded.match.game.key,
        "version": loaded.version,
        "waiting_for": match_views.waiting_for(loaded),
        "moves": [],
        "beyond": match_moves.unlisted(loaded, seat),
        "seat": seat,
    }


@pytest.mark.whole
@pytest.mark.parametrize("path", RECORDS, ids=views.name_of)
def test_whole_matches_are_as_the_contract_says(components: Json, path: Path) -> None:
    """At every version each seat's answers fit their schemas, with no member undescribed."""
    match, *_ = views.matches(path)
    closed = strict(components, match.game)
    of_states = validator(closed, "State")
    of_matches = validator(closed, "Match")
    of_moves = validator(closed, "LegalMoves")

    for version, match in enumerate(views.matches(path), 1):
        loaded = loaded_at(match, version)
        where = f"version {version}"
        assert faults(of_matches, match_views.document(loaded, {})) == [], where
        assert faults(of_states, match_views.view(loaded, Caller())) == [], where

        for seat in range(len(match.seats)):
            where = f"version {version}, seat {seat}"
            view = match_views.view(loaded, Caller("seat", seat))
            assert faults(of_states, view) == [], where
            assert faults(of_moves, no_listed_moves(loaded, seat)) == [], where


# ---- a game of somebody else's -------------------------------------------------------------------


@pytest.fixture
def toy_door(monkeypatch: pytest.MonkeyPatch) -> Door:
    """A match of the toy game at a door with that game."""
    toy.install(monkeypatch)
    app = quiet_app()
    door = Door.of(app)
    opened(door, "toy", seats=[{"kind": "human"}] * 2)
    door.house()
    return door


def test_a_game_without_foresight_tells_the_bots_that_it_has(toy_door: Door) -> None:
    """Bots that search need foresight, so this game does not offer them."""
    game = json(toy_door.get("/v1/games/toy"))

    assert game["levels"] == ["random", "greedy"]
    assert [bot["level"] for bot in game["bots"]] == game["levels"]


@pytest.mark.parametrize(
    ("path", "body", "places"),
    [
        pytest.param(
            "/v1/matches",
            {"game": "toy", "seats": [{"kind": "human"}, QUICK, QUICK]},
            {"/seats/1/level": NO_QUICK, "/seats/2/level": NO_QUICK},
            id="opening",
        ),
        pytest.param(
            "/v1/matches",
            {"game": "toy", "seats": [{"kind": "human"}] * 2, "advice": True},
            {"/advice": "Toy has no strong bots, so there is no advice. Leave it out"},
            id="advice",
        ),
        pytest.param("seats/0/bot", {"level": "quick"}, {"/level": NO_QUICK}, id="replacing"),
    ],
)
def test_bots_that_a_game_does_not_have_are_refused(
    toy_door: Door, path: str, body: Json, places: dict[str, str]
) -> None:
    """The refusal names the wrong member and the legal levels. No match is opened."""
    answer = toy_door.post(path, body, "owner")

    assert problem(answer) == (422, "invalid-request")
    errors = {error["pointer"]: error["detail"] for error in json(answer)["errors"]}
    assert errors == places
    assert len(json(toy_door.get("/v1/matches"))["matches"]) == 1
    assert toy_door.post("seats/0/bot", {"level": "greedy"}, "owner").status_code == 201
