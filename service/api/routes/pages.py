"""Pages for people, which need no network but this server: the documentation, the problems, the rules."""

import hashlib
import json
from dataclasses import dataclass
from typing import Any

import orjson
from flask import Blueprint, Response, current_app, render_template, request
from markupsafe import Markup

from domain.games import GAMES
from service.api import links
from service.api.contract import examples
from service.api.contract.openapi.document import document
from service.api.contract.openapi.short import shortened
from service.api.contract.operations import HTML
from service.api.http.answers import JSON
from service.api.problems.kinds import KINDS
from service.api.routes.rulebook import contract_file, inline, rulebook, rulebooks, title
from service.errors import NotFound

pages = Blueprint("pages", __name__, template_folder="../templates")

pages.add_app_template_filter(inline, "prose")


@pages.app_context_processor
def _links() -> dict[str, Any]:
    return {"links": links}


YAML = "application/yaml"
_POLICY = "default-src 'none'; style-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"


@pages.get("/")
def home() -> Response:
    """Lead to the documentation."""
    return Response(status=302, headers={"Location": links.docs()})


@pages.get("/openapi.json")
def contract() -> Response:
    """Answer the contract."""
    return _kept(_made().whole, JSON)


@pages.get("/openapi.yaml")
def contract_as_yaml() -> Response:
    """Answer the contract as YAML (RFC 9512): the file of the repository, to the byte."""
    return _kept(_made().yaml, YAML)


@pages.get("/openapi.min.json")
def short_contract() -> Response:
    """Answer the contract without examples and descriptions."""
    return _kept(_made().short, JSON)


@pages.get("/docs")
def docs() -> Response:
    """Answer the documentation."""
    return _kept(_made().page, HTML)


@pages.get("/llms.txt")
def for_language_models() -> Response:
    """Answer what a language model needs to know first, in the form of llmstxt.org."""
    text = render_template("llms.txt", games=GAMES.values(), rules=rulebooks())
    return _kept(text.encode(), "text/plain")


@pages.get("/docs/style.css")
def style() -> Response:
    """Answer the style of all pages."""
    return _kept(render_template("style.css").encode(), "text/css")


@pages.get("/problems")
def problems() -> Response:
    """Answer the list of all kinds of problems."""
    return _kept(render_template("problems.html", kinds=KINDS.values()).encode(), HTML)


@pages.get("/problems/<kind>")
def problem(kind: str) -> Response:
    """Answer the page of one kind of problem."""
    if kind not in KINDS:
        raise NotFound(f"there is no such kind of problem; there are {', '.join(KINDS)}")
    shown = render_template("problem.html", kind=KINDS[kind], example=examples.problem(KINDS[kind]))
    return _kept(shown.encode(), HTML)


@pages.get("/rules/<key>")
def rules(key: str) -> Response:
    """Answer the numbered rules of a game, or of matches in general."""
    if key not in rulebooks():
        raise NotFound(f"there are no such rules; there are {', '.join(rulebooks())}")
    page = render_template("rules.html", title=title(key), text=rulebook(key))
    return _kept(page.encode(), HTML)


@pages.app_template_filter("pretty")
def pretty(value: Any) -> str:
    """Return an example as it is read best."""
    return value if isinstance(value, str) else json.dumps(value, indent=1, ensure_ascii=False)


@pages.app_template_filter("referred")
def referred(spec: dict[str, Any], value: dict[str, Any]) -> Any:
    """Return what a reference refers to, and anything else as it is."""
    if "$ref" not in value:
        return value
    found: Any = spec
    for step in value["$ref"].removeprefix("#/").split("/"):
        found = found[step]
    return found


@pages.app_template_filter("named")
def named(schema: dict[str, Any]) -> Markup:
    """Return what a schema is called, with links to the components in it."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return Markup('<a href="#schema-{0}">{0}</a>').format(name)
    for union in ("oneOf", "anyOf"):
        if union in schema:
            return Markup(", or ").join(named(one) for one in schema[union])
    if "items" in schema:
        return Markup("list of {}").format(named(schema["items"]))
    kind = schema.get("type", "any value")
    return Markup("{}").format(kind if isinstance(kind, str) else " or ".join(kind))


@pages.app_template_filter("constraints")
def constraints(schema: dict[str, Any]) -> str:
    """Return what a schema demands of a plain value."""
    told = (
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
    parts = [f"{name} {pretty(schema[name])}" for name in told if name in schema]
    return ", ".join(parts).replace("\n", "")


@dataclass(frozen=True, slots=True)
class Contract:
    """The contract in its forms, as bytes."""

    whole: bytes
    short: bytes
    yaml: bytes
    page: bytes


def _made() -> Contract:
    """Return the contract, made at the first request for it."""
    made: Contract | None = current_app.extensions.get("contract")
    if made is None:
        spec = document(current_app)
        page = render_template("docs.html", spec=spec, rules=rulebooks())
        whole = orjson.dumps(spec)
        short = orjson.dumps(shortened(spec))
        as_yaml = contract_file() if links.home() == "/" else None
        made = Contract(whole, short, as_yaml or whole, page.encode())  # JSON is YAML 1.2 too
        current_app.extensions["contract"] = made
    return made


def _kept(data: bytes, kind: str) -> Response:
    """Answer what changes only with a release."""
    response = Response(data, mimetype=kind, headers={"Cache-Control": "public, max-age=300"})
    response.set_etag(hashlib.sha256(data).hexdigest()[:32])
    if kind == HTML:
        response.headers["Content-Security-Policy"] = _POLICY
    response.make_conditional(request)
    return response
