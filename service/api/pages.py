"""Pages for people, and the contract in the forms in which it is served."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import orjson
from flask import current_app, render_template, request
from markupsafe import Markup

from service.api import links
from service.api.contract.openapi.document import document, shortened
from service.api.contract.operations import HTML
from service.api.http.responses import Response
from service.api.problems import KINDS
from service.api.rulebooks import inline, rulebooks
from service.page.assets import tree

# Pages name the static files of their own release, so nobody may keep one unasked.
_ASK_AGAIN = "public, no-cache"
_FIVE_MINUTES = "public, max-age=300"


def cacheable(body: bytes, kind: str, policy: str = "") -> Response:
    """Answer what may be kept, or 304 if the caller has it.

    kind: the media type.
    policy: the Content-Security-Policy; "" for one that lets nothing load.
    """
    how_long = _ASK_AGAIN if kind == HTML else _FIVE_MINUTES
    response = Response(body, mimetype=kind, headers={"Cache-Control": how_long})
    response.set_etag(hashlib.sha256(body).hexdigest()[:32])
    if policy:
        response.headers["Content-Security-Policy"] = policy
    response.make_conditional(request)
    return response


# ---- the contract --------------------------------------------------------------------------

# The module of the documentation, by which one finds something in it.
SEARCH = "docs/search.js"

# Where openapi.yaml lies: in the installed package, where the build puts it, or in the repository.
_PACKAGE = Path(__file__).parent
_FILES = (_PACKAGE / "openapi.yaml", _PACKAGE.parents[1] / "openapi.yaml")


@dataclass(frozen=True, slots=True)
class Contract:
    """The contract in its forms, as bytes."""

    # As JSON.
    whole: bytes
    # As JSON without examples and descriptions.
    short: bytes
    # The file of the repository, to the byte.
    yaml: bytes
    # As HTML, for people.
    page: bytes


def contract() -> Contract:
    """Return the contract of the application, made at the first request for it."""
    return _contract_under(links.home())


@cache
def _contract_under(home: str) -> Contract:
    """Return the contract for the path under which the service is mounted."""
    specification = document(current_app)
    whole = orjson.dumps(specification)
    page = render_template(
        "docs.html",
        spec=specification,
        rules=rulebooks(),
        kinds=KINDS.values(),
        modules=tree().modules(SEARCH),
    )

    # Under a prefix the file would name another server. JSON is YAML 1.2, too.
    as_file = _file() if home == "/" else None
    return Contract(
        whole=whole,
        short=orjson.dumps(shortened(specification)),
        yaml=as_file or whole,
        page=page.encode(),
    )


def _file() -> bytes | None:
    """Return openapi.yaml; None if it was not installed."""
    for file in _FILES:
        if file.is_file():
            return file.read_bytes()
    return None


# ---- what the templates make of values -----------------------------------------------------

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
