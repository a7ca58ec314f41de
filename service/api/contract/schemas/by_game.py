"""The answers that show a game: one schema a game, told apart by `game`.

With them come the views, options and enums that they are made of.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from marshmallow import Schema, fields, validate

from domain.described import returned
from domain.game import Game
from domain.games import GAMES, RULES
from domain.options import Data
from service.api.contract.schemas import described, options
from service.api.contract.schemas.base import Component, camel
from service.api.contract.schemas.shown_matches import MatchSchema, OpenedMatchSchema
from service.api.contract.schemas.shown_play import LegalMovesSchema, StateSchema

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

    places: dict[str, dict[str, str]] = {union: {} for union in _UNIONS}
    for game in GAMES.values():
        for union, schema in _answers(collected, game, register).items():
            register(schema.__name__, schema)
            places[union][game.key] = f"#/components/schemas/{schema.__name__}"
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
    """Return one game's own field in place of the general one, required and described as that is."""
    general = general_schema._declared_fields[name]
    own_field.required = general.required
    own_field.metadata = {**own_field.metadata, **general.metadata}
    return own_field


# ---- what games describe -------------------------------------------------------------------


def _collect_descriptions(collected: _Components, game: Game[Any]) -> None:
    """Add the enums, views and options of one version of a game's rules."""
    prefix = camel(game.key)
    of_messages = described.components(prefix, *game.commands.values(), *game.events.values())
    of_views = described.components(prefix, returned(game.view), returned(game.unlisted))
    of_options = described.components(prefix, *_option_forms(game), closed=True)

    collected.add(of_messages)
    collected.add(of_views)
    collected.add(of_options)


def _option_forms(game: Game[Any]) -> list[Any]:
    """Return the TypedDicts that options of the kind "data" are described by."""
    return [option.form for option in game.options if isinstance(option, Data)]


def _option_data() -> Json:
    """Return the schema of what an option of the kind "data" holds."""
    references: list[Json] = []
    for game in GAMES.values():
        prefix = camel(game.key)
        references += [described.reference(prefix, one) for one in _option_forms(game)]

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
    view = collected.either(
        f"{prefix}Views", _references(prefix, [returned(rules.view) for rules in versions])
    )
    beyond = collected.either(
        f"{prefix}AnyBeyond", _references(prefix, [returned(rules.unlisted) for rules in versions])
    )
    settled = options.settled_options(game, _options_of_all_versions(versions))
    register(settled.__name__, settled)

    moves = fields.List(Component(f"{prefix}Move"))
    state_members = {
        "state": of_game(StateSchema, "state", Component(view, allow_none=True)),
    }
    move_members = {
        "moves": of_game(LegalMovesSchema, "moves", moves),
        "beyond": of_game(LegalMovesSchema, "beyond", Component(beyond)),
    }
    match_members = {"options": of_game(MatchSchema, "options", fields.Nested(settled))}
    opened_members = {"options": of_game(MatchSchema, "options", fields.Nested(settled))}
    return {
        "State": _OfGame(StateSchema, f"{prefix}State", game).schema(state_members),
        "LegalMoves": _OfGame(LegalMovesSchema, f"{prefix}LegalMoves", game).schema(move_members),
        "Match": _OfGame(MatchSchema, f"{prefix}Match", game).schema(match_members),
        "OpenedMatch": _OfGame(OpenedMatchSchema, f"Opened{prefix}Match", game).schema(
            opened_members
        ),
    }


@dataclass(frozen=True, slots=True)
class _OfGame:
    """An answer as one game gives it."""

    general: type[Schema]
    name: str
    game: Game[Any]

    def schema(self, members: Mapping[str, Any]) -> type[Schema]:
        """Return its schema, with some members of the game's own."""
        key = fields.String(validate=validate.OneOf([self.game.key]))
        own = {
            "game": of_game(self.general, "game", key),
            **members,
            "__doc__": f"{self.general.__doc__} The game is {self.game.title}.",
        }
        return type(self.name, (self.general,), own)


def _references(prefix: str, classes: Iterable[Any]) -> dict[str, Json]:
    """Return a reference to the component of each class, by its name."""
    return {described.named(prefix, one): described.reference(prefix, one) for one in classes}


def _options_of_all_versions(versions: Iterable[Game[Any]]) -> set[str]:
    """Return the names of the options that every version of a game's rules has."""
    names = [{option.name for option in rules.options} for rules in versions]
    return set.intersection(*names)
