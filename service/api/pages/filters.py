"""What the templates of the pages make of values."""

import json
from collections.abc import Callable
from typing import Any

from markupsafe import Markup

from service.api.pages.prose import inline

Json = dict[str, Any]

_CONSTRAINTS = (
    "enum",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "pattern",
    "format",
)


def pretty(value: Any) -> str:
    """Return an example as it is read best."""
    return value if isinstance(value, str) else json.dumps(value, indent=1, ensure_ascii=False)


def referred(specification: Json, value: Json) -> Any:
    """Return what a reference refers to, and anything else as it is."""
    if "$ref" not in value:
        return value
    found: Any = specification
    for step in value["$ref"].removeprefix("#/").split("/"):
        found = found[step]
    return found


def named(schema: Json) -> Markup:
    """Return what a schema is called, with links to the components in it."""
    if "$ref" in schema:
        _, _, name = schema["$ref"].rpartition("/")
        return Markup('<a href="#schema-{0}">{0}</a>').format(name)
    for union in ("oneOf", "anyOf"):
        if union in schema:
            return Markup(", or ").join(named(member) for member in schema[union])
    if "items" in schema:
        return Markup("list of {}").format(named(schema["items"]))

    kind = schema.get("type", "any value")
    return Markup("{}").format(kind if isinstance(kind, str) else " or ".join(kind))


def constraints(schema: Json) -> str:
    """Return what a schema demands of a plain value."""
    parts = [f"{name} {pretty(schema[name])}" for name in _CONSTRAINTS if name in schema]
    return ", ".join(parts).replace("\n", "")


# By their names in the templates.
FILTERS: dict[str, Callable[..., Any]] = {
    "prose": inline,
    "pretty": pretty,
    "referred": referred,
    "named": named,
    "constraints": constraints,
}
