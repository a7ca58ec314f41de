"""The components of the contract: schemas, parameters, headers, ways to show who one is."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from apispec import APISpec
from marshmallow import Schema, fields, validate

from domain.game import Game
from domain.games import GAMES, RULES
from domain.match import messages as match_messages
from service.api import links
from service.api.contract import parameters
from service.api.contract.openapi.texts import ABOUT_THE_OPERATOR, ABOUT_TOKENS, HEADERS, LINES_TEXT
from service.api.contract.parameters import (
    AFTER,
    FROM,
    IDEMPOTENCY_KEY,
    IF_MATCH,
    IF_NONE_MATCH,
    LIMIT,
    SECRET_KEY,
    TO,
    WAIT,
    Parameter,
    whole,
)
from service.api.contract.schemas import answers, by_game, messages, requests
from service.api.contract.schemas.by_game import of_game, one_of
from service.api.contract.schemas.fields import camel
from service.api.contract.schemas.messages import Names
from service.api.contract.schemas.requests import HOLDER, OpenMatchSchema, SeatPlan
from service.ledger.commit import MATCH_ID
from service.matches.moves import player_commands

# §§§ service.api.contract.openapi.components
# The components that are one of many: moves, commands, events, options; told apart by a field.


Json = dict[str, Any]
Register = Callable[[str, type[Schema]], None]

_MATCH_ID = {"type": "string", "pattern": whole(MATCH_ID), "description": "The id of a match."}
_OPTION_KINDS = ("choice", "flag", "number", "data")


def components(register: Register) -> dict[str, Json]:
    """Register the schema of every message of every game; return the unions of them by name."""
    writer = _UnionWriter(register)
    writer.write_moves()
    writer.write_openings()
    writer.write_commands_and_events()

    unions = writer.unions
    unions["PreviewedEvent"] = _previewed_event()
    unions["Moment"] = parameters.SCHEMA
    unions["MatchId"] = _MATCH_ID
    unions["Lines"] = {"type": "string", "description": LINES_TEXT}
    unions["Option"] = one_of(
        "kind",
        {kind: _place(f"{camel(kind)}Option") for kind in _OPTION_KINDS},
        "An option of a game, told apart by `kind`.",
    )
    return unions | by_game.components(register)


class _UnionWriter:
    """Registers schemas and collects the unions of them."""

    def __init__(self, register: Register) -> None:
        self._register = register
        self.unions: dict[str, Json] = {}

    def write_moves(self) -> None:
        """Write the moves of each game, and the union of them all."""
        names = []
        for game in GAMES.values():
            name = f"{camel(game.key)}Move"
            schemas = messages.moves(game, player_commands(game))
            self.unions[name] = self._by_type(schemas, f"A move of {game.title}.")
            names.append(name)
        self.unions["Move"] = _any_of(names, "A move of a game, told apart by `type`.")

    def write_openings(self) -> None:
        """Write how seats begin, and what opens a match of each game."""
        seat_plans = {kind: _place(f"{camel(kind)}Seat") for kind in SeatPlan.KINDS}
        self.unions["SeatPlan"] = one_of(
            "kind", seat_plans, "How a seat begins, told apart by `kind`."
        )

        openings = {}
        for game in GAMES.values():
            schema = self._opening(game)
            self._register(schema.__name__, schema)
            openings[game.key] = _place(schema.__name__)
        self.unions["OpenMatch"] = one_of(
            "game", openings, "A match to be opened, told apart by `game`."
        )

    def write_commands_and_events(self) -> None:
        """Write what is read in commits: the match's own messages, then those of each game.

        Every released version of rules keeps its messages: its matches are read for ever.
        """
        names = Names("Lobby", "Lobby")
        lobby_commands = messages.events(names, match_messages.COMMANDS)
        self.unions["LobbyCommand"] = self._by_type(
            lobby_commands,
            "What a match was asked to do.",
        )
        lobby_events = messages.events(names, match_messages.EVENTS)
        self.unions["LobbyEvent"] = self._by_type(
            lobby_events,
            "What happened to a match.",
        )

        commands = ["LobbyCommand"]
        for rules, game in RULES.items():
            name = self._of_rules(rules, "Command", game.commands)
            commands.append(name)
        self.unions["Command"] = _any_of(commands, "What was asked.")

        events = ["LobbyEvent"]
        for rules, game in RULES.items():
            name = self._of_rules(rules, "Event", game.events)
            events.append(name)
        self.unions["Event"] = _any_of(events, "What happened.")

    def _of_rules(self, rules: str, what: str, known: Mapping[str, type]) -> str:
        """Write the commands or events of one version of rules; return the union's name."""
        name = f"{camel(rules)}{what}"
        names = Names(camel(rules), camel(RULES[rules].key))
        schemas = messages.events(names, known)
        self.unions[name] = self._by_type(schemas, f"A {what.lower()} of {rules}.")
        return name

    def _by_type(self, schemas: Mapping[str, type[Schema]], text: str) -> Json:
        """Register the schemas by type, and those inside them; return their union."""
        for schema in schemas.values():
            for inner_schema in messages.nested(schema):
                self._register(inner_schema.__name__, inner_schema)
            self._register(schema.__name__, schema)
        places = {tag: _place(schema.__name__) for tag, schema in schemas.items()}
        return one_of("type", places, text)

    def _opening(self, game: Game[Any]) -> type[Schema]:
        """Return the schema of what opens a match of a game."""
        options_schema = requests.open_options(game)
        self._register(options_schema.__name__, options_schema)

        seat_counts = validate.Length(game.seats[0], game.seats[-1])
        own_fields: dict[str, fields.Field[Any]] = {
            "game": fields.String(validate=validate.OneOf([game.key])),
            "seats": fields.List(SeatPlan(), validate=seat_counts),
            "options": fields.Nested(options_schema),
        }

        members: Json = {
            name: of_game(OpenMatchSchema, name, own_field)
            for name, own_field in own_fields.items()
        }
        members["__doc__"] = f"A match of {game.title} to be opened."
        return type(f"Open{camel(game.key)}Match", (OpenMatchSchema,), members)


def _place(name: str) -> str:
    return f"#/components/schemas/{name}"


def _any_of(names: list[str], text: str) -> Json:
    return {"description": text, "anyOf": [{"$ref": _place(name)} for name in names]}


def _previewed_event() -> Json:
    """Return the schema of an event in a preview: an event, with more beside its own fields."""
    members = _place("Foretold/properties")
    return {
        "description": "What would happen, and what that would change.",
        "anyOf": [{"$ref": _place("Event")}],
        "properties": {
            "drawn": {
                "$ref": f"{members}/drawn",
                "description": "What chance would decide.",
            },
            "sentence": {"$ref": f"{members}/sentence", "description": "It, told."},
            "changes": {
                "$ref": f"{members}/changes",
                "description": "What it changes, if that is known.",
            },
        },
    }


# §§§ service.api.contract.openapi.components
# Parameters as the contract describes them; shared ones stand under components/parameters.


_SHARED: dict[str, Parameter] = {
    "IfMatch": IF_MATCH,
    "IfNoneMatch": IF_NONE_MATCH,
    "IdempotencyKey": IDEMPOTENCY_KEY,
    "SecretIdempotencyKey": SECRET_KEY,
    "Wait": WAIT,
    "After": AFTER,
    "Limit": LIMIT,
    "From": FROM,
    "To": TO,
}


def _in_path(name: str, description: str, schema: Json) -> Json:
    return {
        "name": name,
        "in": "path",
        "required": True,
        "description": description,
        "schema": schema,
    }


_PATH: dict[str, Json] = {
    "Match": _in_path(
        "match",
        "The id of the match.",
        {"$ref": "#/components/schemas/MatchId"},
    ),
    "Seat": _in_path(
        "seat",
        "The number of the seat.",
        {"type": "integer", "minimum": 0, "maximum": 15},
    ),
    "Number": _in_path(
        "number",
        "The version that the commit made.",
        {"type": "integer", "minimum": 1},
    ),
    "Game": _in_path(
        "game",
        "The key of the game.",
        {"type": "string", "pattern": whole("[a-z0-9_]{1,40}")},
    ),
    "Holder": _in_path(
        "holder",
        "Whose token it is.",
        {"type": "string", "pattern": whole(HOLDER)},
    ),
}


def shared_parameters() -> dict[str, Json]:
    """Return the parameters that are components, by name."""
    of_requests = {name: _described(parameter) for name, parameter in _SHARED.items()}
    return {**_PATH, **of_requests}


def parameters_of(path: str, parameters: Sequence[Parameter]) -> list[Json | str]:
    """Return the parameters of an operation: those in its path, then its own.

    A shared one is told by its name, of which apispec makes a reference.
    """
    names_in_path = re.findall(r"{(\w+)}", path)
    in_path = [name.title() for name in names_in_path]
    return [*in_path, *map(_name_or_description, parameters)]


def _name_or_description(parameter: Parameter) -> Json | str:
    for name, shared in _SHARED.items():
        if parameter is shared:
            return name
    return _described(parameter)


def _described(parameter: Parameter) -> Json:
    described: Json = {
        "name": parameter.name,
        "in": parameter.place,
        "description": parameter.text,
        "schema": parameter.schema,
    }
    if parameter.required:
        described["required"] = True
    if parameter.example is not None:
        described["example"] = parameter.example
    return described


# §§§ service.api.contract.openapi.components


_WRITTEN_BY_HAND = (
    requests,
    answers,
    answers,
    answers,
    answers,
    answers,
)


def add_components(spec: APISpec) -> None:
    """Add every component but the shared answers, which follow from the operations."""
    _add_security_scheme(spec, "token", ABOUT_TOKENS)
    _add_security_scheme(spec, "operator", ABOUT_THE_OPERATOR)

    for name, header in HEADERS.items():
        described = links.mounted(header)
        spec.components.header(name, {"schema": {"type": "string"}, **described})

    for name, parameter in shared_parameters().items():
        spec.components.parameters[name] = parameter

    def register(name: str, schema: type[Schema]) -> None:
        _add_schema(spec, name, schema)

    for name, schema in _written_schemas():
        register(name, schema)
    spec.components.schemas.update(components(register))


def component_name(schema: Any) -> str:
    """Return the name of the component of a Schema class or instance."""
    schema_class = schema if isinstance(schema, type) else type(schema)
    return str(schema_class.__name__).removesuffix("Schema")


def schema_reference(schema: str | type[Schema]) -> dict[str, str]:
    """Return a reference to the component of a schema, or to the one of that name."""
    name = schema if isinstance(schema, str) else component_name(schema)
    return {"$ref": f"#/components/schemas/{name}"}


def _add_security_scheme(spec: APISpec, name: str, description: str) -> None:
    scheme = {"type": "http", "scheme": "bearer", "description": description}
    spec.components.security_scheme(name, scheme)


def _written_schemas() -> Iterator[tuple[str, type[Schema]]]:
    """Yield the schemas that are written by hand, each with the name of its component."""
    for module in _WRITTEN_BY_HAND:
        for name, schema in vars(module).items():
            is_schema = isinstance(schema, type) and name.endswith("Schema")
            if is_schema and schema is not Schema:
                yield component_name(schema), schema


def _add_schema(spec: APISpec, name: str, schema: type[Schema]) -> None:
    if name in spec.components.schemas:
        return
    spec.components.schema(name, schema=schema)
    description = " ".join((schema.__doc__ or "").split())
    spec.components.schemas[name].setdefault("description", description)
