"""Parameters as the contract describes them; shared ones stand under components/parameters."""

import re
from collections.abc import Sequence
from typing import Any

from service.api.contract.moments import FROM, TO
from service.api.contract.parameters import (
    AFTER,
    IDEMPOTENCY_KEY,
    IF_MATCH,
    IF_NONE_MATCH,
    LIMIT,
    SECRET_KEY,
    WAIT,
    Parameter,
    whole,
)
from service.api.contract.schemas.requests import HOLDER

Json = dict[str, Any]

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
