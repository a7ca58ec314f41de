"""Components of games: their messages, views and options, and the answers with these.

Each game has components of its own, and unions join the components of all games. Moves and openings
are described by game. Commits are described by version of the rules, since old matches keep their
shapes for ever.
"""

import typing
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import assert_never

from domain import wire
from domain.game import AnyGame
from domain.games import RULES
from domain.json_types import Json, annotations, returned
from domain.match import messages as match_messages
from domain.options import Choice, Data, Flag, Number, Option
from domain.wire import Message, shapes
from service.api.contract import json_types
from service.api.contract.json_types import (
    camel,
    component_name,
    nullable,
    place,
    reference,
    text_of,
)
from service.base import answers
from service.matches.moves import player_commands

Games = Mapping[str, AnyGame]

_LOBBY = "Lobby"  # prefix of messages that are the same in all games
_POSTED = "As it is posted: whole, and without a seat, since the token tells it."
_RECORDED = "As recorded in a commit: a move with its seat, without parts hidden from the reader."


def components(open_match: Json, games: Games) -> dict[str, Json]:
    """Return all components of games, by name.

    open_match: the schema of the opening of a match of any game.
    games: the games to describe, by key. Without games, moves, commands and events are any objects.
    """
    if not games:
        return _of_any_game()

    rules = {name: one for name, one in RULES.items() if one.key in games}
    schemas = _Components(games, rules)
    for one in rules.values():
        _add_descriptions(schemas, one)
    _add_openings(schemas, open_match)
    _add_moves(schemas)
    _add_commits(schemas)
    _add_answers(schemas)
    return schemas.by_name


def _of_any_game() -> dict[str, Json]:
    tagged = {
        "type": "object",
        "properties": {"type": {"type": "string", "description": "Type of the object."}},
        "required": ["type"],
        "additionalProperties": True,
    }
    return {
        "Move": {**tagged, "description": f"A move of any game. {_POSTED}"},
        "OptionData": {
            "type": "object",
            "description": "Value of an option that is data.",
            "additionalProperties": True,
        },
        "OpenedMatch": _with_tokens("Match", json_types.text_of(answers.OpenedMatch)),
    }


@dataclass(slots=True)
class _Components:
    """JSON Schemas by name. A name has the same schema in all versions of rules.

    games: the described games, by key. rules: their versions of rules, by name.
    """

    games: Games
    rules: Games
    by_name: dict[str, Json] = field(default_factory=dict)

    def add(self, more: Mapping[str, Json]) -> None:
        """Add components. Classes with different schemas must have different names."""
        for name, schema in more.items():
            earlier = self.by_name.setdefault(name, schema)
            assert earlier == schema, f"two components are called {name}"

    def add_answer(self, cls: type, prefix: str, text: str, own: Mapping[str, Json]) -> None:
        """Add an answer of one game. text: the last sentence of its description."""
        answer = _with_own(json_types.object_schema("", cls), own)
        answer["description"] += f" {text}"
        self.by_name[component_name(prefix, cls)] = answer

    def add_union(self, name: str, member: str, names: Mapping[str, str], text: str) -> None:
        """Add the union of some components, distinguished by a member.

        names: names of the components by the value of the member.
        """
        self.by_name[name] = one_of(member, names, text)

    def add_any(self, name: str, prefixes: Iterable[str], text: str) -> None:
        """Add a union of components. The name of each is one of the prefixes and `name`."""
        members = [reference(f"{prefix}{name}") for prefix in prefixes]
        self.by_name[name] = {"description": text, "anyOf": members}

    def any_of(self, name: str, prefix: str, classes: Iterable[type]) -> Json:
        """Return a reference for the classes of all versions of rules.

        A single class is referred to directly. Several classes become a union.
        """
        names = list(dict.fromkeys(component_name(prefix, cls) for cls in classes))
        if len(names) == 1:
            return reference(names[0])
        self.by_name[name] = {
            "description": "By the version of the rules.",
            "anyOf": [reference(one) for one in names],
        }
        return reference(name)


def one_of(member: str, names: Mapping[str, str], text: str) -> Json:
    """Return the union of some components, distinguished by a member.

    names: names of the components by the value of the member.
    """
    places = {value: place(name) for value, name in names.items()}
    return {
        "description": text,
        "oneOf": [{"$ref": one} for one in places.values()],
        "discriminator": {"propertyName": member, "mapping": places},
    }


def _with_own(schema: Json, own: Mapping[str, Json]) -> Json:
    """Return an object's schema with some members replaced. The descriptions stay."""
    properties = dict(schema["properties"])
    for name, value in own.items():
        properties[name] = {**value, "description": properties[name]["description"]}
    return {**schema, "properties": properties}


def _always(value: str) -> Json:
    return {"type": "string", "enum": [value]}


# ---- descriptions of games -----------------------------------------------------------------


def _add_descriptions(schemas: _Components, rules: AnyGame) -> None:
    """Add the enums, views and options of one version of a game's rules."""
    prefix = camel(rules.key)
    messages = [*rules.commands.values(), *rules.events.values()]
    views = [returned(rules.view), returned(rules.known), returned(rules.unlisted)]
    schemas.add(json_types.components_of(prefix, *messages))
    schemas.add(json_types.components_of(prefix, *views))
    schemas.add(_choices(rules))
    schemas.add(json_types.components_of(prefix, *_forms(rules), closed=True))


def _choices(rules: AnyGame) -> dict[str, Json]:
    """Return the schemas of the options of the kind "choice", by component name."""
    return {
        f"{camel(rules.key)}{camel(option.name)}": {
            "type": "string",
            "enum": list(option.choices),
            "description": option.text,
        }
        for option in rules.options
        if isinstance(option, Choice)
    }


def _forms(game: AnyGame) -> list[type]:
    """Return the TypedDicts of options of the kind "data"."""
    return [option.form for option in game.options if isinstance(option, Data)]


# ---- openings of matches -------------------------------------------------------------------


def _add_openings(schemas: _Components, open_match: Json) -> None:
    """Add the options and the opening of each game, and their unions."""
    for game in schemas.games.values():
        prefix = camel(game.key)
        schemas.by_name[f"{prefix}Options"] = _options_to_open_with(game)
        seats = {
            "type": "array",
            "minItems": game.seats[0],
            "maxItems": game.seats[-1],
            "items": reference("SeatPlan"),
        }
        own = {
            "game": _always(game.key),
            "seats": seats,
            "options": reference(f"{prefix}Options"),
        }
        opening = _with_own(open_match, own)
        opening["description"] = f"A match of {game.title} to be opened."
        schemas.by_name[f"Open{prefix}Match"] = opening

    openings = {game: f"Open{camel(game)}Match" for game in schemas.games}
    schemas.add_union(
        "OpenMatch", "game", openings, "A match to be opened, distinguished by `game`."
    )

    forms = [
        reference(component_name(camel(game.key), form))
        for game in schemas.games.values()
        for form in _forms(game)
    ]
    text = "Value of an option of the kind data, in a form of one of the games."
    one = forms[0] if len(forms) == 1 else {"anyOf": forms or [{}]}
    schemas.by_name["OptionData"] = {"description": text, **one}


def _options_to_open_with(game: AnyGame) -> Json:
    """Return the schema of the options for an opening, none of them required."""
    members = {}
    for option in game.options:
        members[option.name] = _option(game, option)
        # The default of a `data` option is long. `getGame` shows this default.
        if not isinstance(option, Data):
            members[option.name]["default"] = option.default
    return {
        "type": "object",
        "description": f"The options of {game.title}.",
        "properties": members,
        "additionalProperties": False,
    }


def _settled_options(game: AnyGame) -> Json:
    """Return the schema of the options of an opened match.

    An option is required only if every version of the rules has it.
    """
    versions = _versions(game)
    names = [{option.name for option in rules.options} for rules in versions]
    in_all = set.intersection(*names)
    result: Json = {
        "type": "object",
        "description": f"The options that a match of {game.title} is played with.",
        "properties": {option.name: _option(game, option) for option in game.options},
    }
    required = [option.name for option in game.options if option.name in in_all]
    if required:
        result["required"] = required
    return result


def _versions(game: AnyGame) -> list[AnyGame]:
    """Return all versions of a game's rules, oldest first."""
    return [rules for rules in RULES.values() if rules.key == game.key]


def _option(game: AnyGame, option: Option) -> Json:
    """Return the schema of an option's values."""
    about = {"description": option.text}
    match option:
        case Choice():
            return {**reference(f"{camel(game.key)}{camel(option.name)}"), **about}
        case Flag():
            return {"type": "boolean", **about}
        case Number(least=least, most=most):
            return {"type": "integer", "minimum": least, "maximum": most, **about}
        case Data(form=form):
            return {**reference(component_name(camel(game.key), form)), **about}
        case _:
            assert_never(option)


# ---- messages and commits ------------------------------------------------------------------


def _add_moves(schemas: _Components) -> None:
    """Add the moves of each game, and the union of them all."""
    for game in schemas.games.values():
        prefix = camel(game.key)
        family = Family(prefix, enums=prefix, suffix="Move", posted=True)
        text = f"A move of {game.title}. {_POSTED}"
        _add_messages(schemas, f"{prefix}Move", family, player_commands(game), text)
    schemas.add_any("Move", map(camel, schemas.games), "A move of a game, distinguished by `type`.")


def _add_commits(schemas: _Components) -> None:
    """Add the commits and previews of each version of rules, with their messages."""
    lobby = Family(_LOBBY, enums=_LOBBY)
    _add_commands(schemas, lobby, match_messages.COMMANDS, "A command to a match.")
    _add_events(schemas, lobby, match_messages.EVENTS, "An event of a match.")

    for rules, game in schemas.rules.items():
        prefix = camel(rules)
        family = Family(prefix, enums=camel(game.key))
        _add_commands(schemas, family, game.commands, f"A command of {rules}.")
        _add_events(schemas, family, game.events, f"An event of {rules}.")
        _add_commit(schemas, game, prefix)
        _add_preview(schemas, game, prefix)

    prefixes = [camel(rules) for rules in schemas.rules]
    schemas.add_any("Command", [_LOBBY, *prefixes], "A command in a match of any game.")
    schemas.add_any("Event", [_LOBBY, *prefixes], "An event in a match of any game.")
    schemas.add_any("PreviewedEvent", prefixes, "An event in a preview, of any game.")
    for cls in (answers.Commit, answers.Preview):
        name = cls.__name__
        by_rules = {rules: f"{camel(rules)}{name}" for rules in schemas.rules}
        schemas.add_union(
            name, "rules", by_rules, f"{json_types.text_of(cls)} Distinguished by `rules`."
        )


def _add_commands(
    schemas: _Components, family: "Family", commands: Mapping[str, type], text: str
) -> None:
    recorded = replace(family, suffix="Command")
    _add_messages(schemas, f"{family.prefix}Command", recorded, commands, f"{text} {_RECORDED}")


def _add_events(
    schemas: _Components, family: "Family", events: Mapping[str, type], text: str
) -> None:
    _add_messages(schemas, f"{family.prefix}Event", family, events, text)


def _add_messages(
    schemas: _Components,
    union: str,
    family: "Family",
    messages: Mapping[str, type[Message]],
    text: str,
) -> None:
    """Add the components of some messages, and the union of them, distinguished by `type`."""
    family_components = family.components(messages)
    schemas.add(family_components.by_name)
    schemas.add_union(union, "type", family_components.names, text)


def _add_commit(schemas: _Components, game: AnyGame, prefix: str) -> None:
    """Add the commit of one version of rules, with messages of the game or of every match."""
    own = {
        "game": _always(game.key),
        "rules": _always(game.rules),
        "command": _either(f"{prefix}Command", f"{_LOBBY}Command"),
        "events": {"type": "array", "items": _either(f"{prefix}Event", f"{_LOBBY}Event")},
    }
    schemas.add_answer(answers.Commit, prefix, f"The rules are {game.rules}.", own)


def _either(*names: str) -> Json:
    return {"oneOf": [reference(name) for name in names]}


def _add_preview(schemas: _Components, game: AnyGame, prefix: str) -> None:
    """Add the preview of one version of rules. Events in a preview have further fields."""
    more = json_types.object_schema("", answers.Foretold)
    schemas.by_name[f"{prefix}PreviewedEvent"] = {
        "description": "An event in a preview, with its changes.",
        "anyOf": [reference(f"{prefix}Event")],
        "properties": {
            name: {**more["properties"][name], "description": text}
            for name, text in _FORETOLD.items()
        },
        "required": more["required"],
    }
    own = {
        "game": _always(game.key),
        "rules": _always(game.rules),
        "events": {"type": "array", "items": reference(f"{prefix}PreviewedEvent")},
    }
    schemas.add_answer(answers.Preview, prefix, f"The rules are {game.rules}.", own)


_FORETOLD = {
    "drawn": "Fields to be decided by chance.",
    "sentence": "The event in words.",
    "changes": "Its changes, if known.",
}


# ---- the answers of one game ---------------------------------------------------------------


def _add_answers(schemas: _Components) -> None:
    """Add the answers that show a game, and their unions."""
    for game in schemas.games.values():
        _add_answers_of(schemas, game)

    for cls in (answers.State, answers.LegalMoves, answers.Match, answers.Line):
        name = cls.__name__
        by_game = {game: f"{camel(game)}{name}" for game in schemas.games}
        schemas.add_union(
            name, "game", by_game, f"{json_types.text_of(cls)} Distinguished by `game`."
        )

    opened = {game: f"Opened{camel(game)}Match" for game in schemas.games}
    text = f"{json_types.text_of(answers.OpenedMatch)} Distinguished by `game`."
    schemas.add_union("OpenedMatch", "game", opened, text)


def _add_answers_of(schemas: _Components, game: AnyGame) -> None:
    prefix = camel(game.key)
    versions = _versions(game)
    views = [returned(rules.view) for rules in versions]
    known_types = [returned(rules.known) for rules in versions]
    beyond = [returned(rules.unlisted) for rules in versions]

    about = f"The game is {game.title}."

    state = {
        "game": _always(game.key),
        "state": nullable(schemas.any_of(f"{prefix}Views", prefix, views)),
        "known": nullable(schemas.any_of(f"{prefix}AnyKnown", prefix, known_types)),
    }
    schemas.add_answer(answers.State, prefix, about, state)

    moves = {
        "game": _always(game.key),
        "moves": {"type": "array", "items": reference(f"{prefix}Move")},
        "beyond": schemas.any_of(f"{prefix}AnyBeyond", prefix, beyond),
    }
    schemas.add_answer(answers.LegalMoves, prefix, about, moves)

    schemas.add_answer(
        answers.LineStep, prefix, about, {"state": schemas.any_of(f"{prefix}Views", prefix, views)}
    )
    line = {
        "game": _always(game.key),
        "steps": {"type": "array", "items": reference(f"{prefix}LineStep")},
    }
    schemas.add_answer(answers.Line, prefix, about, line)

    schemas.by_name[f"{prefix}MatchOptions"] = _settled_options(game)
    match = {"game": _always(game.key), "options": reference(f"{prefix}MatchOptions")}
    schemas.add_answer(answers.Match, prefix, about, match)

    schemas.by_name[f"Opened{prefix}Match"] = _with_tokens(
        f"{prefix}Match", f"A new match of {game.title} with its tokens."
    )


def _with_tokens(match: str, text: str) -> Json:
    """Return the schema of an opened match.

    match: the component of the match without tokens.
    """
    tokens = json_types.object_schema("", answers.OpenedMatch)["properties"]["tokens"]
    with_tokens = {"type": "object", "properties": {"tokens": tokens}, "required": ["tokens"]}
    return {"description": text, "allOf": [reference(match), with_tokens]}


# ---- schemas of messages --------------------------------------------------------------------

_SCALARS: dict[type, str] = {int: "integer", str: "string", bool: "boolean"}


@dataclass(frozen=True, slots=True)
class Family:
    """Messages of one kind. Their schemas go into one union.

    prefix: prefix of the schemas' names: a game, or a version of its rules.
    enums: prefix of the names of enums: the game without a version.
    suffix: suffix of the schemas' names, so that a move and a command of one tag have two names.
    posted: True for requests: secret fields are required, `seat` and other members are refused.
    """

    prefix: str
    enums: str
    suffix: str = ""
    posted: bool = False

    def components(self, messages: Mapping[str, type[Message]]) -> "Components":
        """Return the components of some messages, given by tag."""
        result = Components()
        for tag, message in messages.items():
            name = f"{self.prefix}{camel(tag)}{self.suffix}"
            result.names[tag] = name
            result.by_name[name] = self._message(message, result.by_name)
        return result

    def _message(self, message: type[Message], by_name: dict[str, Json]) -> Json:
        its_type = {"type": "string", "enum": [message.tag]}
        result = self._object(message, by_name, lenient=not self.posted)
        result["properties"] = {"type": its_type, **result["properties"]}
        result["required"] = ["type", *result["required"]]
        if self.posted:
            result["properties"].pop("seat", None)
            result["required"] = [name for name in result["required"] if name != "seat"]
            result["additionalProperties"] = False
        return result

    def _object(self, record: type, by_name: dict[str, Json], *, lenient: bool) -> Json:
        """Return the schema of a dataclass. Add the schemas of its inner dataclasses to `by_name`.

        lenient: secret or drawn fields may be missing.
        """
        hints = typing.get_type_hints(record, include_extras=True)
        members = {}
        required = []
        for member in shapes.record_fields(record):
            value = self._value(member.shape, by_name)
            if isinstance(member.shape, shapes.Nullable) and not lenient:
                value = nullable(value)
            sentence = annotations(hints[member.name]).sentence
            members[member.name] = {**value, "description": sentence} if sentence else value
            if _is_required(member, lenient=lenient):
                required.append(member.name)

        return {
            "type": "object",
            "description": text_of(record),
            "properties": members,
            "required": required,
        }

    def _value(self, shape: shapes.Shape, by_name: dict[str, Json]) -> Json:
        """Return the schema of a value in the form of domain.wire."""
        match shape:
            case shapes.Scalar(kind):
                return {"type": _SCALARS[kind]}
            case shapes.Anything() | shapes.OneOf():
                return {}
            case shapes.Name(enum):
                return reference(component_name(self.enums, enum))
            case shapes.Nullable(inner):
                return self._value(inner, by_name)
            case shapes.Record(record):
                return reference(self._part(record, by_name))
            case shapes.Many(_, item):
                return {"type": "array", "items": self._value(item, by_name)}
            case shapes.Fixed(items):
                are_alike = len(set(items)) == 1
                return {
                    "type": "array",
                    "minItems": len(items),
                    "maxItems": len(items),
                    "items": self._value(items[0], by_name) if are_alike else {},
                }
            case shapes.Table():
                return {"type": "object", "additionalProperties": {}}
            case _:
                assert_never(shape)

    def _part(self, record: type, by_name: dict[str, Json]) -> str:
        """Add the component of a dataclass inside a message. Return the component's name."""
        name = component_name(self.prefix, record)
        if name not in by_name:
            part = self._object(record, by_name, lenient=False)
            by_name[name] = {**part, "additionalProperties": False}
        return name


@dataclass(slots=True)
class Components:
    """The components of a family.

    by_name: schemas of the messages and of their inner dataclasses.
    names: the name of each message's component, by tag.
    """

    by_name: dict[str, Json] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)


def _is_required(member: shapes.RecordField, *, lenient: bool) -> bool:
    is_secret = wire.audience_of(member.declared) is not None
    if is_secret and not lenient:
        return True  # a posted move must have its secret fields
    may_be_hidden = lenient and (is_secret or wire.is_drawn(member.declared))
    return not (member.optional or may_be_hidden)
