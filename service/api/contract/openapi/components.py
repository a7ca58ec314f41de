"""The components of the contract: schemas, parameters, headers, ways to show who one is."""

from collections.abc import Iterator
from typing import Any

from apispec import APISpec
from marshmallow import Schema

from service.api import links
from service.api.contract.openapi import unions
from service.api.contract.openapi.parameters import shared_parameters
from service.api.contract.openapi.texts import ABOUT_THE_OPERATOR, ABOUT_TOKENS, HEADERS
from service.api.contract.schemas import (
    records,
    requests,
    shown_games,
    shown_matches,
    shown_play,
    shown_service,
)

_WRITTEN_BY_HAND = (
    requests,
    records,
    shown_games,
    shown_matches,
    shown_play,
    shown_service,
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
    spec.components.schemas.update(unions.components(register))


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
