"""openapi.yaml: made from the operations and the marshmallow schemas by apispec."""

from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

from apispec import APISpec
from apispec.ext.marshmallow import MarshmallowPlugin
from flask import Flask

from service.api import links
from service.api.contract.openapi.components import add_components, component_name
from service.api.contract.openapi.enums import name_enums
from service.api.contract.openapi.examples import shared_examples
from service.api.contract.openapi.families import told_apart
from service.api.contract.openapi.paths import add_paths
from service.api.contract.openapi.texts import ABOUT, TAGS
from service.api.contract.schemas.base import reference

Json = dict[str, Any]


def document(app: Flask) -> Json:
    """Return the contract of everything that is mounted on the application."""
    with app.app_context():
        spec = _empty_document()
        add_components(spec)
        add_paths(spec, app)
        return _tidy(spec.to_dict())


def _empty_document() -> APISpec:
    marshmallow = MarshmallowPlugin(schema_name_resolver=component_name)
    spec = APISpec(
        title="Giornale",
        version=version("giornale"),
        openapi_version="3.1.0",
        plugins=[marshmallow],
        info={"description": ABOUT, "license": {"name": "MIT", "identifier": "MIT"}},
        servers=[{"url": links.home()}],
        security=[],
        tags=[{"name": name, "description": text} for name, text in TAGS.items()],
    )

    assert marshmallow.converter is not None
    marshmallow.converter.add_attribute_function(reference)  # type: ignore[no-untyped-call]
    return spec


def _tidy(spec: Mapping[str, Any]) -> Json:
    """Name what is shared and sort what has no order of its own.

    So the file changes only when the contract does.
    """
    schemas = name_enums(told_apart(spec["components"]["schemas"]))
    bodies = {
        "paths": dict(sorted(spec["paths"].items())),
        "responses": spec["components"]["responses"],
    }
    bodies, examples = shared_examples(bodies)

    parts = {
        **spec["components"],
        "responses": bodies["responses"],
        "schemas": schemas,
        "examples": examples,
    }
    components = {kind: dict(sorted(by_name.items())) for kind, by_name in sorted(parts.items())}
    return {"openapi": spec["openapi"], **spec, "paths": bodies["paths"], "components": components}
