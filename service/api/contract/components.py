"""The components of the contract: schemas, parameters, headers, ways to authenticate."""

import json
from collections.abc import Iterable, Mapping
from types import ModuleType
from typing import Any, is_typeddict

from apispec import APISpec
from apispec.ext.marshmallow import MarshmallowPlugin
from marshmallow import Schema

from domain.json_types import Json
from domain.seats import ACTOR
from service.api import links
from service.api.contract import by_game, json_types, parameters, schemas
from service.api.contract.by_game import Games, one_of
from service.api.contract.parameters import Parameter, whole
from service.api.contract.texts import ABOUT_THE_OPERATOR, ABOUT_TOKENS, HEADERS, LINES_TEXT
from service.base import answers
from service.matches import bots
from service.record.commit import MATCH_ID
from service.record.ratings import PLAYER
from service.store.journal.values import STATUSES, VISIBILITIES
from service.store.keys.tokens import HOLDER_FORM


def components(modules: Iterable[ModuleType], games: Games) -> dict[str, Json]:
    """Return the components by kind and name, without the shared answers and examples.

    modules, games: as for `all_schemas`.
    """
    return {
        "headers": {name: _header(header) for name, header in HEADERS.items()},
        "parameters": _shared_parameters(),
        "schemas": all_schemas(modules, games),
        "securitySchemes": {
            "token": _bearer(ABOUT_TOKENS),
            "operator": _bearer(ABOUT_THE_OPERATOR),
        },
    }


def _header(header: Json) -> Json:
    return {"schema": {"type": "string"}, **links.mounted(header)}


def _bearer(description: str) -> Json:
    return {"type": "http", "scheme": "bearer", "description": description}


# ---- schemas -------------------------------------------------------------------------------

_OPTION_KINDS = ("choice", "flag", "number", "data")


def name_of(cls: type) -> str:
    """Return the name of the component of an answer, or of a Schema class."""
    return cls.__name__.removesuffix("Schema")


def schema_reference(schema: str | type) -> Json:
    """Return a reference to the component of a class, or to the component of that name."""
    return json_types.reference(schema if isinstance(schema, str) else name_of(schema))


def all_schemas(modules: Iterable[ModuleType], games: Games) -> dict[str, Json]:
    """Return all schemas by name. Schemas of a game replace the general schemas.

    modules: further modules with bodies, which are subclasses of Schema and typed dictionaries. The
        kernel's own modules are always included.
    games: the games to describe, by key. Without games, only general schemas are returned.
    """
    of_bodies = (schemas, answers, *modules)
    body_schemas = _body_schemas(of_bodies)
    return _with_named_choices(
        {
            **body_schemas,
            **_answer_schemas(of_bodies),
            **_unions(),
            **_choices(),
            "MatchId": {
                "type": "string",
                "pattern": whole(MATCH_ID),
                "description": "The id of a match.",
            },
            "Actor": {
                "type": "string",
                "pattern": whole(ACTOR),
                "description": "Actor of a commit. `invitation`: a join with an invitation, or a "
                "player's join of a rematch. `public`: a join without a token.",
            },
            "Holder": {
                "type": "string",
                "pattern": whole(HOLDER_FORM),
                "description": "Holder of a token.",
            },
            "Moment": parameters.SCHEMA,
            "Lines": {"type": "string", "description": LINES_TEXT},
            **by_game.components(body_schemas["OpenMatch"], games),
        }
    )


def _body_schemas(modules: Iterable[ModuleType]) -> dict[str, Json]:
    """Return the schemas of received bodies."""
    return sent_schemas(
        cls
        for module in modules
        for name, cls in vars(module).items()
        if name.endswith("Schema") and cls.__module__ == module.__name__
    )


def sent_schemas(described: Iterable[type[Schema]]) -> dict[str, Json]:
    """Return the schemas of marshmallow classes, by name."""
    spec = APISpec(title="", version="", openapi_version="3.1.0", plugins=[MarshmallowPlugin()])
    classes = {name_of(cls): cls for cls in described}
    for name, cls in classes.items():
        spec.components.schema(name, schema=cls)

    by_name: dict[str, Json] = spec.components.schemas
    return {
        name: {**by_name[name], "description": json_types.text_of(cls)}
        for name, cls in classes.items()
    }


def _answer_schemas(modules: Iterable[ModuleType]) -> dict[str, Json]:
    """Return the schemas of answers."""
    described = [
        cls
        for module in modules
        for cls in vars(module).values()
        if is_typeddict(cls) and cls.__module__ == module.__name__
    ]
    return {
        name_of(cls): json_types.object_schema("", cls)
        for cls in described
        if not cls.__name__.startswith("_")
    }


def _unions() -> dict[str, Json]:
    """Return the unions that do not depend on the game."""
    options = {kind: f"{json_types.camel(kind)}Option" for kind in _OPTION_KINDS}
    seat_plans = {kind: f"{json_types.camel(kind)}Seat" for kind in schemas.SeatPlanField.KINDS}
    return {
        "Option": one_of("kind", options, "An option of a game, distinguished by `kind`."),
        "LongSeat": one_of("kind", seat_plans, "A seat at the opening, distinguished by `kind`."),
        "ShortSeat": _choice(schemas.SHORT_SEATS, "A seat without a name or a key."),
        "SeatPlan": {
            "description": "A seat at the opening, in short or in long form.",
            "oneOf": schemas.SEAT_FORMS,
        },
        "MadeMove": {
            "description": "The commit of a move, whole or minimal.",
            "anyOf": [schema_reference(answers.Commit), schema_reference(answers.MinimalCommit)],
        },
    }


def _choices() -> dict[str, Json]:
    """Return the choices that many schemas share."""
    return {
        "MatchStatus": _choice(
            STATUSES, "Phase of the match. `ended`: with a result. `aborted`: without one."
        ),
        "BotLevel": _choice(bots.NAMES, "Level of a bot: its way to choose moves."),
        "Visibility": _choice(
            VISIBILITIES, "Visibility of a match: to anybody, or to the bearers of its tokens."
        ),
    }


def _choice(words: tuple[str, ...], text: str) -> Json:
    return {"type": "string", "enum": list(words), "description": text}


def _with_named_choices(by_name: Mapping[str, Json]) -> dict[str, Json]:
    """Return the schemas. A reference replaces each choice that is also a component.

    A generator then makes one type of a choice, such as `CalimalaEdition`, and not a type for each
    field.
    """
    names: dict[tuple[str, ...], str] = {}
    for name, schema in by_name.items():
        if len(schema.get("enum", ())) > 1:
            names.setdefault(tuple(schema["enum"]), name)
    return {
        name: schema if "enum" in schema else _replaced(schema, names)
        for name, schema in by_name.items()
    }


def _replaced(value: Any, names: Mapping[tuple[str, ...], str]) -> Any:
    if isinstance(value, list):
        return [_replaced(member, names) for member in value]
    if not isinstance(value, dict):
        return value

    plain = _easily_generated(value)
    words = plain.get("enum")
    name = names.get(tuple(words)) if isinstance(words, list) else None
    if name is None:
        return {key: _replaced(member, names) for key, member in plain.items()}
    description = {key: plain[key] for key in ("description",) if key in plain}
    return {**json_types.reference(name), **description}


def _easily_generated(schema: Json) -> Json:
    """Return a schema without pitfalls for generators of clients.

    Such a generator takes a member with a default for a required member. It also makes a class of
    every choice of one word, and gives all these classes the same name.
    """
    plain = dict(schema)
    # An object may have members named `default` or `enum`. The values of such members are schemas.
    if "default" in plain and not isinstance(plain["default"], dict):
        default = json.dumps(plain.pop("default")).strip('"')
        plain["description"] = f"{plain.get('description', '')} `{default}` by default.".strip()
    if isinstance(plain.get("enum"), list) and len(plain["enum"]) == 1:
        [plain["const"]] = plain.pop("enum")
    return plain


# ---- parameters ----------------------------------------------------------------------------

_SHARED: dict[str, Parameter] = {
    "IfMatch": parameters.IF_MATCH,
    "Signature": parameters.SIGNATURE,
    "IfNoneMatch": parameters.IF_NONE_MATCH,
    "IdempotencyKey": parameters.IDEMPOTENCY_KEY,
    "SecretIdempotencyKey": parameters.SECRET_KEY,
    "Wait": parameters.WAIT,
    "After": parameters.AFTER,
    "Limit": parameters.LIMIT,
    "From": parameters.FROM,
    "To": parameters.TO,
}

# The parameters of paths, with their texts and schemas.
_IN_PATH: dict[str, tuple[str, Json]] = {
    "match": ("The id of the match.", json_types.reference("MatchId")),
    "seat": ("The number of the seat.", {"type": "integer", "minimum": 0, "maximum": 15}),
    "version": ("Version of the match.", {"type": "integer", "minimum": 1}),
    "game": ("The key of the game.", {"type": "string", "pattern": whole("[a-z0-9_]{1,40}")}),
    "player": (
        "A public key, or `bot:` and a level of bots.",
        {"type": "string", "pattern": whole(PLAYER)},
    ),
    "holder": ("Holder of the token.", json_types.reference("Holder")),
}


def parameters_of(names_in_path: list[str], own: tuple[Parameter, ...]) -> list[Json]:
    """Return the parameters of an operation: those in its path, then its own.

    Shared parameters are references.
    """
    in_path = [_parameter_reference(name.title()) for name in names_in_path]
    return [*in_path, *map(_shared_or_described, own)]


def _shared_parameters() -> dict[str, Json]:
    in_path = {
        name.title(): {
            "name": name,
            "in": "path",
            "required": True,
            "description": text,
            "schema": schema,
        }
        for name, (text, schema) in _IN_PATH.items()
    }
    return in_path | {name: _described(parameter) for name, parameter in _SHARED.items()}


def _shared_or_described(parameter: Parameter) -> Json:
    for name, shared in _SHARED.items():
        if parameter is shared:
            return _parameter_reference(name)
    return _described(parameter)


def _parameter_reference(name: str) -> Json:
    return {"$ref": f"#/components/parameters/{name}"}


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
