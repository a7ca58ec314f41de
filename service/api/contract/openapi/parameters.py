"""Parameters as the contract tells them; those of many operations stand under components/parameters."""

import re
from collections.abc import Sequence
from typing import Any

from service.api.contract.parameters import (
    IDEMPOTENCY_KEY,
    IF_MATCH,
    IF_NONE_MATCH,
    SECRET_KEY,
    WAIT,
    Parameter,
)
from service.api.contract.schemas import matches
from service.ledger.ids import MATCH_ID

Json = dict[str, Any]

SHARED: dict[str, Parameter] = {
    "IfMatch": IF_MATCH,
    "IfNoneMatch": IF_NONE_MATCH,
    "IdempotencyKey": IDEMPOTENCY_KEY,
    "SecretIdempotencyKey": SECRET_KEY,
    "Wait": WAIT,
}


def _in_path(name: str, description: str, **schema: Any) -> Json:
    return {
        "name": name,
        "in": "path",
        "required": True,
        "description": description,
        "schema": schema,
    }


PATH: dict[str, Json] = {
    "Match": _in_path("match", "The id of the match.", type="string", pattern=f"^{MATCH_ID}$"),
    "Seat": _in_path("seat", "The number of the seat.", type="integer", minimum=0, maximum=15),
    "Number": _in_path("number", "The version that the commit made.", type="integer", minimum=1),
    "Game": _in_path("game", "The key of the game.", type="string", pattern="^[a-z0-9_]{1,40}$"),
    "Holder": _in_path(
        "holder", "Whose token it is.", type="string", pattern=f"^(?:{matches.HOLDER})$"
    ),
}


def shared_parameters() -> dict[str, Json]:
    """Return the parameters that are components, by name."""
    return {**PATH, **{name: _told(one) for name, one in SHARED.items()}}


def parameters_of(path: str, parameters: Sequence[Parameter]) -> list[Json | str]:
    """Return the parameters of an operation: those in its path, then its own.

    A shared one is told by its name, of which apispec makes a reference.
    """
    in_path = [name.title() for name in re.findall(r"{(\w+)}", path)]
    return [*in_path, *map(_parameter, parameters)]


def _parameter(one: Parameter) -> Json | str:
    for name, shared in SHARED.items():
        if one is shared:
            return name
    return _told(one)


def _told(one: Parameter) -> Json:
    made: Json = {"name": one.name, "in": one.place, "description": one.text, "schema": one.schema}
    if one.required:
        made["required"] = True
    return made if one.example is None else {**made, "example": one.example}
