"""The documentation over HTTP: the contract in its forms, problems, rules, and how to begin."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import orjson
from flask import Blueprint, current_app, render_template
from markupsafe import Markup

import giornale_client
from domain.games import GAMES
from domain.json_types import Json
from service.api import links
from service.api.contract import examples
from service.api.contract.document import document, shortened
from service.api.contract.operations import TEXT
from service.api.http.responses import HTML, JSON, PLAIN_POLICY, Response
from service.api.page.assets import ENTRIES, tree
from service.api.problems import KINDS
from service.api.routes.pages import POLICY, cacheable
from service.api.rulebooks import inline, name, rulebook, rulebooks
from service.base.errors import NotFound
from service.capabilities.agents.tools.table import TOOLS
from service.matches.bots import offered

documentation = Blueprint("documentation", __name__, template_folder="templates")

YAML = "application/yaml"

# Where openapi.yaml lies: in the installed package, where the build puts it, or in the repository.
_FOLDER = Path(__file__).parent
_CONTRACT_FILES = (_FOLDER / "openapi.yaml", _FOLDER.parents[2] / "openapi.yaml")


@documentation.get("/openapi.json")
def contract_as_json() -> Response:
    """Answer the contract."""
    return _kept(_contract().whole, JSON)


@documentation.get("/openapi.yaml")
def contract_as_yaml() -> Response:
    """Answer the contract as YAML (RFC 9512): the file of the repository, to the byte."""
    return _kept(_contract().yaml, YAML)


@documentation.get("/openapi.min.json")
def short_contract() -> Response:
    """Answer the contract without examples and descriptions."""
    return _kept(_contract().short, JSON)


@documentation.get("/docs")
def docs() -> Response:
    """Answer the documentation; its one script finds things in it."""
    return cacheable(_contract().page, HTML, POLICY)


@documentation.get("/llms.txt")
def for_language_models() -> Response:
    """Answer what a language model needs to know first, in the form of llmstxt.org."""
    text = render_template(
        "llms.txt",
        games=GAMES.values(),
        levels=offered,
        tools=TOOLS.values(),
        rules=rulebooks(),
    )
    return _kept(text.encode(), TEXT)


@documentation.get("/client.py")
def client() -> Response:
    """Answer the client in one file, which needs Python alone."""
    return _kept(_client_file(), TEXT)


@documentation.get("/problems")
def problems() -> Response:
    """Answer the list of all kinds of problems."""
    page = render_template("problems.html", kinds=KINDS.values())
    return _kept(page.encode(), HTML)


@documentation.get("/problems/<kind>")
def problem(kind: str) -> Response:
    """Answer the page of one kind of problem."""
    if kind not in KINDS:
        raise NotFound(f"there is no such kind of problem; there are {', '.join(KINDS)}")
    shown = KINDS[kind]
    page = render_template("problem.html", kind=shown, example=examples.problem(shown))
    return _kept(page.encode(), HTML)


@documentation.get("/rules")
def all_rules() -> Response:
    """Answer the list of all rules."""
    names = {key: name(key) for key in rulebooks()}
    page = render_template("all_rules.html", names=names)
    return _kept(page.encode(), HTML)


@documentation.get("/rules/<key>")
def rules(key: str) -> Response:
    """Answer how a game goes, or a match of any game, and its numbered rules."""
    if key not in rulebooks():
        raise NotFound(f"there are no such rules; there are {', '.join(rulebooks())}")
    names = {other: name(other) for other in rulebooks()}
    page = render_template("rules.html", key=key, book=rulebook(key), names=names)
    return _kept(page.encode(), HTML)


def _kept(body: bytes, kind: str) -> Response:
    """Answer what changes only with a release."""
    return cacheable(body, kind, PLAIN_POLICY if kind == HTML else "")


@cache
def _client_file() -> bytes:
    return Path(giornale_client.__file__).read_bytes()


# ---- the contract in its forms ---------------------------------------------------------------


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


def _contract() -> Contract:
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
        modules=tree().files(ENTRIES["docs"]),
    )

    # Under a prefix the file would name another server. JSON is YAML 1.2, too.
    as_file = _contract_file() if home == "/" else None
    return Contract(
        whole=whole,
        short=orjson.dumps(shortened(specification)),
        yaml=as_file or whole,
        page=page.encode(),
    )


def _contract_file() -> bytes | None:
    """Return openapi.yaml; None if it was not installed."""
    for file in _CONTRACT_FILES:
        if file.is_file():
            return file.read_bytes()
    return None


# ---- what the templates make of values -----------------------------------------------------

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


def _pretty(value: object) -> str:
    """Return an example as it is read best."""
    return value if isinstance(value, str) else json.dumps(value, indent=1, ensure_ascii=False)


def _referred(specification: Json, value: Json) -> Any:
    """Return what a reference refers to, and anything else as it is."""
    if "$ref" not in value:
        return value
    found: Any = specification
    for step in value["$ref"].removeprefix("#/").split("/"):
        found = found[step]
    return found


def _named(schema: Json) -> Markup:
    """Return what a schema is called, with links to the components in it."""
    if "$ref" in schema:
        _, _, component = schema["$ref"].rpartition("/")
        return Markup('<a href="#schema-{0}">{0}</a>').format(component)
    for union in ("oneOf", "anyOf"):
        if union in schema:
            return Markup(", or ").join(_named(member) for member in schema[union])
    if "items" in schema:
        return Markup("list of {}").format(_named(schema["items"]))

    kind = schema.get("type", "any value")
    return Markup("{}").format(kind if isinstance(kind, str) else " or ".join(kind))


def _constraints(schema: Json) -> str:
    """Return what a schema demands of a plain value."""
    parts = [f"{word} {_pretty(schema[word])}" for word in _CONSTRAINTS if word in schema]
    return ", ".join(parts).replace("\n", "")


# By their names in the templates.
_FILTERS: dict[str, Callable[..., Any]] = {
    "prose": inline,
    "pretty": _pretty,
    "referred": _referred,
    "named": _named,
    "constraints": _constraints,
}

for _name, _filter in _FILTERS.items():
    documentation.add_app_template_filter(_filter, _name)
