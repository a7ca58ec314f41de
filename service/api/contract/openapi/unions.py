"""The components that are one of many: moves, commands, events and options, told apart by a field."""

from collections.abc import Callable, Mapping
from typing import Any

from marshmallow import Schema, fields, validate

from domain.games import GAMES, RULES
from domain.match import messages
from service.api.contract.schemas import messages as derived
from service.api.contract.schemas import shown
from service.api.contract.schemas.matches import OpenMatchSchema, SeatPlan
from service.api.contract.schemas.messages import Names, camel
from service.api.contract.schemas.shown import of_game, one_of
from service.matches.playing import player_commands

Register = Callable[[str, type[Schema]], None]


def components(register: Register) -> dict[str, dict[str, Any]]:
    """Register the schema of every message of every game and return the unions of them by name."""
    made: dict[str, dict[str, Any]] = {}
    made["Move"] = _any(
        _each_game(made, register, "Move"), "A move of a game, told apart by `type`."
    )
    where = {kind: f"#/components/schemas/{camel(kind)}Seat" for kind in SeatPlan.KINDS}
    made["SeatPlan"] = one_of("kind", where, "How a seat begins, told apart by `kind`.")
    made["OpenMatch"] = _opening(register)
    names = Names("Lobby", "Lobby")
    lobby = _union(
        register, derived.events(names, messages.COMMANDS), "What a match was asked to do."
    )
    made["LobbyCommand"] = lobby
    made["LobbyEvent"] = _union(
        register, derived.events(names, messages.EVENTS), "What happened to a match."
    )
    made["Command"] = _any(
        ["LobbyCommand", *_messages(made, register, "Command")], "What was asked."
    )
    made["Event"] = _any(["LobbyEvent", *_messages(made, register, "Event")], "What happened.")
    made["PreviewedEvent"] = _previewed()
    options = {
        kind: f"#/components/schemas/{camel(kind)}Option"
        for kind in ("choice", "flag", "number", "data")
    }
    made["Option"] = one_of("kind", options, "An option of a game, told apart by `kind`.")
    return made | shown.components(register)


def _each_game(made: dict[str, dict[str, Any]], register: Register, what: str) -> list[str]:
    names = []
    for game in GAMES.values():
        name = f"{camel(game.key)}{what}"
        made[name] = _union(
            register, derived.moves(game, player_commands(game)), f"A move of {game.title}."
        )
        names.append(name)
    return names


def _messages(made: dict[str, dict[str, Any]], register: Register, what: str) -> list[str]:
    """Every released rules version keeps its messages: its matches are read for ever."""
    names = []
    for rules, game in RULES.items():
        known = game.commands if what == "Command" else game.events
        name = f"{camel(rules)}{what}"
        made[name] = _union(
            register,
            derived.events(Names(camel(rules), camel(game.key)), known),
            f"A {what.lower()} of {rules}.",
        )
        names.append(name)
    return names


def _union(register: Register, schemas: Mapping[str, type[Schema]], text: str) -> dict[str, Any]:
    for schema in schemas.values():
        for one in (*derived.nested(schema), schema):
            register(one.__name__, one)
    where = {tag: f"#/components/schemas/{schema.__name__}" for tag, schema in schemas.items()}
    return one_of("type", where, text)


def _any(names: list[str], text: str) -> dict[str, Any]:
    return {
        "description": text,
        "anyOf": [{"$ref": f"#/components/schemas/{name}"} for name in names],
    }


def _opening(register: Register) -> dict[str, Any]:
    """Return the union of what opens a match of each game, told apart by `game`."""
    where = {}
    for game in GAMES.values():
        name = f"Open{camel(game.key)}Match"
        key = fields.String(validate=validate.OneOf([game.key]))
        seats = fields.List(SeatPlan(), validate=validate.Length(game.seats[0], game.seats[-1]))
        options = derived.options(game)
        register(options.__name__, options)
        members: dict[str, Any] = {
            "game": of_game(OpenMatchSchema, "game", key),
            "seats": of_game(OpenMatchSchema, "seats", seats),
            "options": of_game(OpenMatchSchema, "options", fields.Nested(options)),
        }
        register(
            name,
            type(
                name,
                (OpenMatchSchema,),
                {**members, "__doc__": f"A match of {game.title} to be opened."},
            ),
        )
        where[game.key] = f"#/components/schemas/{name}"
    return one_of("game", where, "A match to be opened, told apart by `game`.")


def _previewed() -> dict[str, Any]:
    """Return the schema of an event in a preview: an event, with more beside its own fields."""
    foretold = "#/components/schemas/Foretold/properties"
    return {
        "description": "What would happen, and what that would change.",
        "anyOf": [{"$ref": "#/components/schemas/Event"}],
        "properties": {
            "drawn": {"$ref": f"{foretold}/drawn", "description": "What chance would decide."},
            "changes": {
                "$ref": f"{foretold}/changes",
                "description": "What it changes, if that is known.",
            },
        },
    }
