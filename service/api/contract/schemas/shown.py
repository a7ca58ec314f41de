"""The answers that show a game: one schema a game, told apart by `game`; and the views, options and enums in them."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from marshmallow import Schema, fields, validate

from domain.described import returned
from domain.game import Game
from domain.games import GAMES, RULES
from domain.options import Data
from service.api.contract.schemas import answers, described
from service.api.contract.schemas import messages as derived
from service.api.contract.schemas.base import Component
from service.api.contract.schemas.messages import camel

Json = dict[str, Any]
Register = Callable[[str, type[Schema]], None]

_UNIONS = {
    "State": "The match at a version, as the caller may see it; told apart by `game`.",
    "LegalMoves": "What the caller's seat may do now; told apart by `game`.",
    "Match": "What a match is and where it stands; told apart by `game`.",
    "OpenedMatch": "A new match with its tokens, which are told this once; told apart by `game`.",
}


def components(register: Register) -> dict[str, Json]:
    """Register the schemas of what shows a game; return their unions and all that games describe, by name."""
    made: dict[str, Json] = {}
    for game in RULES.values():
        _add(made, _described(game))
    made["OptionData"] = _option_data()

    places: dict[str, dict[str, str]] = {union: {} for union in _UNIONS}
    for game in GAMES.values():
        options = derived.settled_options(game, _options_of_all(game))
        register(options.__name__, options)
        for union, schema in _answers(made, game, options).items():
            register(schema.__name__, schema)
            places[union][game.key] = f"#/components/schemas/{schema.__name__}"
    for union, text in _UNIONS.items():
        made[union] = one_of("game", places[union], text)
    return made


def one_of(told_by: str, places: Mapping[str, str], text: str) -> Json:
    """Return the union of the components at some places, each by the value of the member that tells them apart."""
    return {
        "description": text,
        "oneOf": [{"$ref": place} for place in places.values()],
        "discriminator": {"propertyName": told_by, "mapping": dict(places)},
    }


def _described(game: Game[Any]) -> dict[str, Json]:
    """Return the components of the enums, views and options of one version of a game's rules."""
    prefix = camel(game.key)
    made: dict[str, Json] = {}
    _add(made, described.components(prefix, *game.commands.values(), *game.events.values()))
    _add(made, described.components(prefix, returned(game.view), returned(game.unlisted)))
    _add(made, described.components(prefix, *_shapes(game), closed=True))
    return made


def _add(made: dict[str, Json], more: Mapping[str, Json]) -> None:
    """Add components. One name stands for one thing: what other rules change must be a class of another name."""
    for name, schema in more.items():
        assert made.setdefault(name, schema) == schema, f"two components are called {name}"


def _shapes(game: Game[Any]) -> list[Any]:
    return [option.form for option in game.options if isinstance(option, Data)]


def _option_data() -> Json:
    """Return the schema of what an option of the kind "data" holds."""
    known = [
        described.reference(camel(game.key), shape)
        for game in GAMES.values()
        for shape in _shapes(game)
    ]
    text = "What an option holds that is data: one of what the games know."
    return (
        {"description": text, **known[0]}
        if len(known) == 1
        else {"description": text, "anyOf": known or [{}]}
    )


def _answers(
    made: dict[str, Json], game: Game[Any], options: type[Schema]
) -> dict[str, type[Schema]]:
    """Return the schema of each answer that shows the game, by the union that it belongs to."""
    prefix = camel(game.key)
    versions = [rules for rules in RULES.values() if rules.key == game.key]
    view = _either(made, prefix, "Views", [returned(rules.view) for rules in versions])
    beyond = _either(made, prefix, "AnyBeyond", [returned(rules.unlisted) for rules in versions])

    members: dict[str, dict[str, Any]] = {
        "State": {"state": of_game(answers.StateSchema, "state", Component(view, allow_none=True))},
        "LegalMoves": {
            "moves": of_game(
                answers.LegalMovesSchema, "moves", fields.List(Component(f"{prefix}Move"))
            ),
            "beyond": of_game(answers.LegalMovesSchema, "beyond", Component(beyond)),
        },
        "Match": {"options": of_game(answers.MatchSchema, "options", fields.Nested(options))},
        "OpenedMatch": {"options": of_game(answers.MatchSchema, "options", fields.Nested(options))},
    }
    bases: dict[str, type[Schema]] = {
        "State": answers.StateSchema,
        "LegalMoves": answers.LegalMovesSchema,
        "Match": answers.MatchSchema,
        "OpenedMatch": answers.OpenedMatchSchema,
    }
    names = {union: f"{prefix}{union}" for union in _UNIONS} | {
        "OpenedMatch": f"Opened{prefix}Match"
    }
    return {
        union: _answer(names[union], bases[union], game, told) for union, told in members.items()
    }


def _answer(
    name: str, base: type[Schema], game: Game[Any], members: Mapping[str, Any]
) -> type[Schema]:
    """Return the schema of an answer as one game gives it."""
    key = fields.String(validate=validate.OneOf([game.key]))
    text = f"{base.__doc__} The game is {game.title}."
    return type(name, (base,), {"game": of_game(base, "game", key), **members, "__doc__": text})


def of_game(base: type[Schema], name: str, field: fields.Field[Any]) -> fields.Field[Any]:
    """Return the field of one game in place of the general one: required, and described, as that is."""
    general = base._declared_fields[name]
    field.required = general.required
    field.metadata = {**field.metadata, **general.metadata}
    return field


def _options_of_all(game: Game[Any]) -> set[str]:
    """Return the names of the options that every version of a game's rules has."""
    versions = [rules for rules in RULES.values() if rules.key == game.key]
    return set.intersection(*({option.name for option in rules.options} for rules in versions))


def _either(made: dict[str, Json], prefix: str, name: str, kinds: Iterable[Any]) -> str:
    """Return the component for some types, of which there is one until rules of another version show another."""
    known = {described.named(prefix, kind): described.reference(prefix, kind) for kind in kinds}
    if len(known) == 1:
        return next(iter(known))
    made[f"{prefix}{name}"] = {
        "description": "By the version of the rules.",
        "anyOf": list(known.values()),
    }
    return f"{prefix}{name}"
