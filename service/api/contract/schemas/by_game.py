"""The answers that show a game: one schema a game, told apart by `game`.

With them come the views, options and enums that they are made of.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from marshmallow import Schema, fields, validate

from domain.game import Game
from domain.games import GAMES, RULES
from domain.json_types import returned
from domain.options import Data
from service.api.contract.schemas import messages as schema_messages
from service.api.contract.schemas import requests
from service.api.contract.schemas.answers import (
    LegalMovesSchema,
    MatchSchema,
    OpenedMatchSchema,
    StateSchema,
)
from service.api.contract.schemas.fields import Component, camel

Json = dict[str, Any]
Register = Callable[[str, type[Schema]], None]

# The unions: their names and what is said of them.
_UNIONS = {
    "State": "The match at a version, as the caller may see it; told apart by `game`.",
    "LegalMoves": "What the caller's seat may do now; told apart by `game`.",
    "Match": "What a match is and where it stands; told apart by `game`.",
    "OpenedMatch": "A new match with its tokens, which are told this once; told apart by `game`.",
}


def components(register: Register) -> dict[str, Json]:
    """Register the schemas of what shows a game.

    Returns their unions and all that games describe, by name.
    """
    collected = _Components()
    for game in RULES.values():
        _collect_descriptions(collected, game)
    collected.by_name["OptionData"] = _option_data()

    # Where each game's own schema is, by union and by the key of the game.
    places: dict[str, dict[str, str]] = {union: {} for union in _UNIONS}
    for game in GAMES.values():
        schemas = _answers(collected, game, register)
        for union, schema in schemas.items():
            name = schema.__name__
            register(name, schema)
            places[union][game.key] = f"#/components/schemas/{name}"

    for union, text in _UNIONS.items():
        collected.by_name[union] = one_of("game", places[union], text)
    return collected.by_name


@dataclass(slots=True)
class _Components:
    """JSON Schemas by name. One name stands for one thing, whatever rules it is of."""

    by_name: dict[str, Json] = field(default_factory=dict)

    def add(self, more: Mapping[str, Json]) -> None:
        """Add components; what other rules change must be a class of another name."""
        for name, schema in more.items():
            kept = self.by_name.setdefault(name, schema)
            assert kept == schema, f"two components are called {name}"

    def either(self, name: str, references: Mapping[str, Json]) -> str:
        """Return the name of the component that is one of some others.

        There is one of them until rules of another version show another.
        """
        if len(references) == 1:
            return next(iter(references))
        self.by_name[name] = {
            "description": "By the version of the rules.",
            "anyOf": list(references.values()),
        }
        return name


def one_of(told_by: str, places: Mapping[str, str], text: str) -> Json:
    """Return the union of the components at some places.

    told_by: the member that tells them apart. places: where each is, by the value of that member.
    """
    return {
        "description": text,
        "oneOf": [{"$ref": place} for place in places.values()],
        "discriminator": {"propertyName": told_by, "mapping": dict(places)},
    }


def of_game(
    general_schema: type[Schema], name: str, own_field: fields.Field[Any]
) -> fields.Field[Any]:
    """Return one game's own field, required and described as the general one is."""
    general = general_schema._declared_fields[name]
    own_field.required = general.required
    own_field.metadata = {**own_field.metadata, **general.metadata}
    return own_field


# ---- what games describe -------------------------------------------------------------------


def _collect_descriptions(collected: _Components, game: Game[Any]) -> None:
    """Add the enums, views and options of one version of a game's rules."""
    prefix = camel(game.key)

    messages = [*game.commands.values(), *game.events.values()]
    collected.add(schema_messages.components_of(prefix, *messages))

    views = [returned(game.view), returned(game.known), returned(game.unlisted)]
    collected.add(schema_messages.components_of(prefix, *views))

    forms = _option_forms(game)
    collected.add(schema_messages.components_of(prefix, *forms, closed=True))


def _option_forms(game: Game[Any]) -> list[Any]:
    """Return the TypedDicts that options of the kind "data" are described by."""
    return [option.form for option in game.options if isinstance(option, Data)]


def _option_data() -> Json:
    """Return the schema of what an option of the kind "data" holds."""
    references: list[Json] = []
    for game in GAMES.values():
        prefix = camel(game.key)
        forms = _option_forms(game)
        references += [schema_messages.reference(prefix, form) for form in forms]

    text = "What an option holds that is data: one of what the games know."
    if len(references) == 1:
        return {"description": text, **references[0]}
    return {"description": text, "anyOf": references or [{}]}


# ---- the answers of one game ---------------------------------------------------------------


def _answers(
    collected: _Components, game: Game[Any], register: Register
) -> dict[str, type[Schema]]:
    """Return the schema of each answer that shows the game, by the union that it belongs to."""
    prefix = camel(game.key)
    versions = [rules for rules in RULES.values() if rules.key == game.key]

    settled = requests.settled_options(game, _options_of_all_versions(versions))
    register(settled.__name__, settled)

    views = _references(prefix, [returned(rules.view) for rules in versions])
    view = Component(
        collected.either(f"{prefix}Views", views),
        allow_none=True,
    )
    known = _references(prefix, [returned(rules.known) for rules in versions])
    known_facts = Component(
        collected.either(f"{prefix}AnyKnown", known),
        allow_none=True,
    )
    unlisted = _references(prefix, [returned(rules.unlisted) for rules in versions])
    beyond = Component(
        collected.either(f"{prefix}AnyBeyond", unlisted),
    )
    moves = fields.List(Component(f"{prefix}Move"))

    own = _OwnAnswers(game)
    return {
        "State": own.schema(
            StateSchema,
            f"{prefix}State",
            {"state": view, "known": known_facts},
        ),
        "LegalMoves": own.schema(
            LegalMovesSchema,
            f"{prefix}LegalMoves",
            {"moves": moves, "beyond": beyond},
        ),
        "Match": own.schema(
            MatchSchema,
            f"{prefix}Match",
            {"options": fields.Nested(settled)},
        ),
        "OpenedMatch": own.schema(
            OpenedMatchSchema,
            f"Opened{prefix}Match",
            {"options": fields.Nested(settled)},
        ),
    }


@dataclass(frozen=True, slots=True)
class _OwnAnswers:
    """Makes answers as one game gives them."""

    game: Game[Any]

    def schema(
        self,
        general: type[Schema],
        name: str,
        own_fields: Mapping[str, fields.Field[Any]],
    ) -> type[Schema]:
        """Return a general schema with the game's key and some fields of the game's own."""
        key = fields.String(validate=validate.OneOf([self.game.key]))
        replaced = {"game": key, **own_fields}

        members: dict[str, Any] = {
            field_name: of_game(general, field_name, own_field)
            for field_name, own_field in replaced.items()
        }
        members["__doc__"] = f"{general.__doc__} The game is {self.game.title}."
        return type(name, (general,), members)


def _references(prefix: str, classes: Iterable[Any]) -> dict[str, Json]:
    """Return a reference to the component of each class, by its name."""
    return {
        schema_messages.component_name(prefix, one): schema_messages.reference(prefix, one)
        for one in classes
    }


def _options_of_all_versions(versions: Iterable[Game[Any]]) -> set[str]:
    """Return the names of the options that every version of a game's rules has."""
    names = [{option.name for option in rules.options} for rules in versions]
    return set.intersection(*names)
