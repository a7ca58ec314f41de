"""The schemas of what is shown: nothing without a sentence, no enum written out twice, and true of whole matches."""

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, is_typeddict

import jsonschema_rs
import pytest

from domain.described import parts, returned
from domain.game import Game
from domain.games import GAMES, RELEASED
from domain.match import messages
from domain.match.state import Match
from domain.options import Data
from service.api.contract.openapi.document import document
from service.api.contract.openapi.families import FAMILIES
from service.api.contract.schemas import described
from service.api.contract.schemas import messages as derived
from service.api.contract.schemas.base import camel
from service.keys.tokens import Caller
from service.ledger.replay import Loaded
from service.matches import playing, reading
from tests import toy
from tests.records import make, views
from tests.service.api.conftest import Door, json, opened
from tests.service.api.contract_file import quiet_app

Json = dict[str, Any]
# One match of each number of seats of each game.
RECORDS = [path for path in views.chosen() if path.name.endswith("-07.ndjson.gz")]


@pytest.fixture(scope="module")
def components() -> Json:
    found: Json = document(quiet_app())["components"]
    return found


def schemas_in(value: Any, path: str = "") -> Iterator[tuple[str, Json]]:
    """Yield every schema in some components, with the path to it."""
    if isinstance(value, dict):
        yield path, value
        for name, inner in value.items():
            if name not in ("example", "examples", "default"):
                yield from schemas_in(inner, f"{path}/{name}")
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from schemas_in(inner, f"{path}/{place}")


def of_messages() -> set[str]:
    """Return the components of commands and events, whose docstrings say for now what their fields mean."""
    known: list[tuple[str, Any]] = [
        ("Lobby", cls) for cls in (*messages.COMMANDS.values(), *messages.EVENTS.values())
    ]
    for game in RELEASED:
        classes = [*game.commands.values(), *game.events.values()]
        known += [(camel(name), cls) for cls in classes for name in (game.key, game.rules)]
    names = {f"{prefix}{camel(cls.tag)}" for prefix, cls in known}
    inner = {
        described.named(prefix, part)
        for prefix, cls in known
        for part in parts(cls)
        if is_dataclass(part)
    }
    return inner | {f"{name}{family}" for name in names for family in ("", *FAMILIES)}


def test_every_property_has_a_description(components: Json) -> None:
    """Whoever reads the contract is told what each member means."""
    passed_over = of_messages()
    told = {
        name: schema for name, schema in components["schemas"].items() if name not in passed_over
    }
    missing = [
        f"{path}/{name}"
        for path, schema in schemas_in(told)
        for name, inner in schema.get("properties", {}).items()
        if path.count("/") == 1 and not inner.get("description")
    ]
    assert missing == []
    assert len(told) > 90


def test_every_component_has_a_description(components: Json) -> None:
    """Each schema says what it is of."""
    assert [
        name for name, schema in components["schemas"].items() if not schema.get("description")
    ] == []


@pytest.mark.parametrize("game", RELEASED, ids=lambda game: game.rules)
def test_an_enum_is_written_once(components: Json, game: Game[Any]) -> None:
    """The names of an enum stand in its component, and everything else refers to that."""
    made = described.components(
        camel(game.key), *game.commands.values(), *game.events.values(), returned(game.view)
    )
    enums = {tuple(schema["enum"]): name for name, schema in made.items() if "enum" in schema}
    assert enums
    places: dict[str, list[str]] = {name: [] for name in enums.values()}
    for path, schema in schemas_in(components["schemas"]):
        found = (
            enums.get(tuple(schema.get("enum") or ()))
            if isinstance(schema.get("enum"), list)
            else None
        )
        if found:
            places[found].append(path)
    assert places == {name: [f"/{name}"] for name in enums.values()}


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_what_is_sent_has_no_members_that_are_unknown(components: Json, game: Game[Any]) -> None:
    """Moves, options and boards are closed in the contract, as they are at the door."""
    prefix = camel(game.key)
    moves = [f"{prefix}{camel(tag)}Move" for tag in playing.player_commands(game)]
    shapes = [option.form for option in game.options if isinstance(option, Data)]
    boards = [described.named(prefix, part) for part in parts(*shapes) if is_typeddict(part)]
    names = [*moves, *boards, f"{prefix}Options", f"Open{prefix}Match"]
    assert [
        name
        for name in names
        if components["schemas"][name].get("additionalProperties") is not False
    ] == []


def strict(components: Json, game: Game[Any]) -> Json:
    """Return the components with what a game describes closed: a member that is not described is wrong."""
    closed = deepcopy(components)
    for cls in parts(returned(game.view), returned(game.unlisted)):
        schema = closed["schemas"][described.named(camel(game.key), cls)]
        if schema["type"] == "object":
            schema["additionalProperties"] = False
    return closed


def validator(components: Json, name: str) -> Any:
    """Return what tells how a value differs from a component."""
    schema = {"$ref": f"#/components/schemas/{name}", "components": components}
    return jsonschema_rs.Draft202012Validator(schema)


def faults(checker: Any, value: Any) -> list[str]:
    """Return what is wrong with a value."""
    return [f"{error.instance_path}: {error.message[:200]}" for error in checker.iter_errors(value)]


def loaded_at(match: Match, version: int) -> Loaded:
    """Return a match as the service holds it."""
    moment = "2026-03-01T18:00:00.000Z"
    return Loaded("a" * 26, version, moment, moment, "0" * 64, match)


@pytest.mark.parametrize("path", RECORDS, ids=views.name_of)
def test_whole_matches_are_as_the_contract_says(components: Json, path: Path) -> None:
    """At every version what the public and each seat is answered fits its schema, with no member undescribed."""
    checkers: dict[str, Any] = {}
    for version, match in enumerate(views.matches(path), 1):
        game = match.game
        if not checkers:
            closed = strict(components, game)
            checkers = {name: validator(closed, name) for name in ("State", "LegalMoves", "Match")}
        loaded = loaded_at(match, version)
        for seat in (None, *range(len(match.seats))):
            caller = Caller() if seat is None else Caller("seat", seat)
            assert faults(checkers["State"], reading.view(loaded, caller)) == [], (
                f"version {version}, seat {seat}"
            )
        assert faults(checkers["Match"], reading.document(loaded, {})) == [], f"version {version}"
        for seat in range(len(match.seats)):
            told = {
                "game": game.key,
                "version": version,
                "waiting_for": reading.waiting_for(loaded),
                "moves": [],
                "beyond": playing.unlisted(loaded, seat),
                "seat": seat,
            }
            assert faults(checkers["LegalMoves"], told) == [], f"version {version}, seat {seat}"


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_a_state_that_is_not_as_the_contract_says_is_found(
    components: Json, game: Game[Any]
) -> None:
    """The check above can fail: a member too many or too few, a name that is none, the other game's state."""
    path = make.HOME / game.key / f"1-{game.seats[0]}-07.ndjson.gz"
    match = list(views.matches(path))[20]
    right = reading.view(loaded_at(match, 21), Caller())
    checker = validator(strict(components, game), "State")
    assert faults(checker, right) == []
    shown = right["state"]
    wrong = [
        {**right, "state": {**shown, "secret": 1}},
        {**right, "state": {name: value for name, value in shown.items() if name != "players"}},
        {**right, "state": {**shown, "players": [{**shown["players"][0], "points": "many"}]}},
        {**right, "state": {**shown, "discards": {"nothing": 1}}},
        {**right, "game": next(key for key in GAMES if key != game.key)},
    ]
    assert [number for number, state in enumerate(wrong) if not faults(checker, state)] == []


@pytest.mark.parametrize("game", GAMES)
def test_a_match_that_has_not_started_has_no_state(components: Json, game: str) -> None:
    """Before the start `state` is null, and the schema allows it."""
    app = quiet_app()
    door = Door(app.test_client(), app.extensions["desk"])
    opened(door, game, seats=[{"kind": "human"}, *[{"kind": "open"}] * (GAMES[game].seats[0] - 1)])
    state = json(door.get("state"))
    assert state["state"] is None
    assert faults(validator(components, "State"), state) == []


def test_a_third_game_is_described_without_a_line_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """A game that is registered has its state, moves and options in the contract, and its answers fit them."""
    toy.install(monkeypatch)
    app = quiet_app()
    found = document(app)["components"]
    door = opened(
        Door(app.test_client(), app.extensions["desk"]), "toy", seats=[{"kind": "human"}] * 2
    )
    door.house()
    state = json(door.get("state", "seat:0"))
    assert "card" in state["state"]
    assert faults(validator(found, "ToyState"), state) == []
    told = json(door.get("moves", "seat:0"))
    told["moves"] = [
        move for move in told["moves"] if move["type"] == "keep"
    ]  # a swap lacks what its seat notes
    assert faults(validator(found, "ToyLegalMoves"), told) == []
    assert faults(validator(found, "ToyMatch"), json(door.get())) == []
    assert (
        found["schemas"]["ToyView"]["properties"]["rounds"]["description"]
        == "How many rounds are left."
    )
    assert "card" not in found["schemas"]["ToyView"]["required"]


@dataclass(frozen=True, slots=True)
class Laid:
    """A message whose field has a sentence."""

    tag: ClassVar[str] = "laid"
    seat: Annotated[int | None, "Whose it is."] = None


def test_a_sentence_beside_a_field_of_a_message_is_shown() -> None:
    """Messages are described in the same way as views."""
    made = derived.events(derived.Names("Yard1", "Yard"), {Laid.tag: Laid})[Laid.tag]
    assert made._declared_fields["seat"].metadata["description"] == "Whose it is."


def test_what_a_preview_adds_hides_no_field_of_an_event() -> None:
    """No event has a field that is called as what a preview tells beside it."""
    found = [
        (game.rules, tag)
        for game in RELEASED
        for tag, cls in game.events.items()
        if _names(cls) & FORETOLD
    ]
    assert found == []


FORETOLD = {"drawn", "changes"}


def _names(cls: Any) -> set[str]:
    return {field.name for field in fields(cls)}
