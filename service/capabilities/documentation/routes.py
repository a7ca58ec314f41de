"""The documentation over HTTP: the contract in its forms, problems, rules, and how to begin."""

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
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
from service.api.contract.document import WHOLE, document
from service.api.contract.operations import TEXT
from service.api.contract.parts import parts
from service.api.contract.texts import TAGS
from service.api.contract.yaml_text import yaml_text
from service.api.http.context import config
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

_CONTACT_LASTS = timedelta(days=180)  # RFC 9116 asks for less than a year

# Functions that write a document of the contract, by its form.
_WRITERS: dict[str, Callable[[Json], bytes]] = {
    "json": orjson.dumps,
    "yaml": lambda contract: yaml_text(contract).encode(),
}
_MEDIA_TYPES = {"json": JSON, "yaml": YAML}


@documentation.get("/openapi.<any(json, yaml):form>")
def whole_contract(form: str) -> Response:
    """Answer the contract. The YAML (RFC 9512) equals the file in the repository, byte for byte."""
    return _cacheable_answer(_written(links.home(), "", form), _MEDIA_TYPES[form])


@documentation.get("/openapi/<path:part>.<any(json, yaml):form>")
def part_of_the_contract(part: str, form: str) -> Response:
    """Answer a part of the contract: the core, an area, or the core with one game's types."""
    names = parts(current_app)
    if part not in names:
        raise NotFound(f"there is no such part. Parts: {', '.join(names)}")
    return _cacheable_answer(_written(links.home(), part, form), _MEDIA_TYPES[form])


@documentation.get("/docs")
def docs() -> Response:
    """Answer the first page of the documentation. The only script of the page is the search."""
    return _page("docs.html")


@documentation.get("/docs/schemas")
def schemas() -> Response:
    """Answer the page of all schemas."""
    return _page("docs_schemas.html")


@documentation.get("/docs/<part>")
def operations(part: str) -> Response:
    """Answer the page of a group of operations."""
    if part not in TAGS:
        raise NotFound(f"there is no such page. Pages: {', '.join(TAGS)} and schemas")
    return _page("docs_part.html", part)


@documentation.get("/llms.txt")
def for_language_models() -> Response:
    """Answer an introduction for language models, in the form of llmstxt.org."""
    text = render_template(
        "llms.txt",
        games=GAMES.values(),
        documents=parts(current_app),
        levels=offered,
        tools=TOOLS.values(),
        rules=rulebooks(),
    )
    return _cacheable_answer(text.encode(), TEXT)


@documentation.get("/robots.txt")
def robots() -> Response:
    """Answer the rules for crawlers (RFC 9309): pages are open, API and tools are closed."""
    closed = (links.to("/v1/"), links.to(links.MCP))
    lines = ["User-agent: *", *(f"Disallow: {path}" for path in closed)]
    return _cacheable_answer("".join(f"{line}\n" for line in lines).encode(), TEXT)


@documentation.get("/.well-known/security.txt")
def security_contact() -> Response:
    """Answer the contact for reports of weaknesses (RFC 9116), if the operator has named one."""
    contact = config().security_contact
    if not contact:
        raise NotFound("the operator of this server has named no security contact")

    expires = datetime.now(UTC).date() + _CONTACT_LASTS
    lines = (f"Contact: {contact}", f"Expires: {expires.isoformat()}T00:00:00Z")
    return _cacheable_answer("".join(f"{line}\n" for line in lines).encode(), TEXT)


@documentation.get("/client.py")
def client() -> Response:
    """Answer the client in one file. It needs only Python."""
    return _cacheable_answer(_client_file(), TEXT)


@documentation.get("/problems")
def problems() -> Response:
    """Answer the list of all kinds of problems."""
    page = render_template("problems.html", kinds=KINDS.values())
    return _cacheable_answer(page.encode(), HTML)


@documentation.get("/problems/<kind>")
def problem(kind: str) -> Response:
    """Answer the page of one kind of problem."""
    if kind not in KINDS:
        raise NotFound(f"there is no such kind of problem. Kinds: {', '.join(KINDS)}")
    problem_kind = KINDS[kind]
    example = examples.problem(problem_kind)
    page = render_template("problem.html", kind=problem_kind, example=example)
    return _cacheable_answer(page.encode(), HTML)


@documentation.get("/rules")
def all_rules() -> Response:
    """Answer the list of all rules."""
    names = {key: name(key) for key in rulebooks()}
    page = render_template("all_rules.html", names=names)
    return _cacheable_answer(page.encode(), HTML)


@documentation.get("/rules/<key>")
def rules(key: str) -> Response:
    """Answer the rules of a game, or of every match: the course, then the numbered rules."""
    if key not in rulebooks():
        raise NotFound(f"there are no such rules. Rules: {', '.join(rulebooks())}")
    names = {other: name(other) for other in rulebooks()}
    page = render_template("rules.html", key=key, book=rulebook(key), names=names)
    return _cacheable_answer(page.encode(), HTML)


def _cacheable_answer(body: bytes, kind: str) -> Response:
    """Answer a body that stays the same until the next release."""
    return cacheable(body, kind, PLAIN_POLICY if kind == HTML else "")


@cache
def _client_file() -> bytes:
    return Path(giornale_client.__file__).read_bytes()


# ---- the contract in its forms ---------------------------------------------------------------


# A document is made at the first request for it.
@cache
def _written(_home: str, part: str, form: str) -> bytes:
    """Return a part of the contract.

    _home: base of the links in it. The cache tells documents apart by it.
    part: name of the part, "" for the whole contract.
    """
    chosen = parts(current_app)[part] if part else WHOLE
    return _WRITERS[form](document(current_app, chosen))


# ---- the pages ------------------------------------------------------------------------------

# Complete programs. The documentation shows their steps side by side.
_PROGRAMS_FOLDER = Path(__file__).parent / "templates/start"
_PROGRAMS = {"curl": "play.sh", "Python": "play.py", "TypeScript": "play.ts"}
_STEP = re.compile(r"^(?:#|//) ----\n", re.MULTILINE)
_SERVER = "http://127.0.0.1:8000"


def _page(template: str, part: str = "") -> Response:
    """Answer a page of the documentation. Each page is made once."""
    return cacheable(_page_under(links.home(), template, part), HTML, POLICY)


@cache
def _page_under(home: str, template: str, part: str) -> bytes:
    """Return a page for the path under which the service is mounted."""
    server = f"{_SERVER}{home.removesuffix('/')}"
    specification = document(current_app)
    page = render_template(
        template,
        spec=specification,
        operations=[
            (path, method, operation)
            for path, methods in specification["paths"].items()
            for method, operation in methods.items()
        ],
        part={"name": part, "description": TAGS.get(part, "")},
        documents=parts(current_app),
        server=server,
        start=_steps(server),
        rules=rulebooks(),
        kinds=KINDS.values(),
        modules=tree().files(ENTRIES["docs"]),
    )
    return page.encode()


def _steps(server: str) -> list[dict[str, str]]:
    """Return the steps of the programs, each by language."""
    texts = {
        language: (_PROGRAMS_FOLDER / file).read_text(encoding="utf-8")
        for language, file in _PROGRAMS.items()
    }
    by_language = [_STEP.split(text.replace(_SERVER, server)) for text in texts.values()]
    return [dict(zip(texts, step, strict=True)) for step in zip(*by_language, strict=True)]


# ---- filters of the templates ----------------------------------------------------------------

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
    """Return an example in its most readable form."""
    return value if isinstance(value, str) else json.dumps(value, indent=1, ensure_ascii=False)


def _referred(specification: Json, value: Json) -> Any:
    """Return the target of a reference. Return any other value unchanged."""
    if "$ref" not in value:
        return value
    target: Any = specification
    for step in value["$ref"].removeprefix("#/").split("/"):
        target = target[step]
    return target


def _named(schema: Json) -> Markup:
    """Return the name of a schema, with links to the components in it."""
    if "$ref" in schema:
        _, _, component = schema["$ref"].rpartition("/")
        return Markup('<a href="{0}#schema-{1}">{1}</a>').format(links.docs("schemas"), component)
    for union in ("oneOf", "anyOf"):
        if union in schema:
            return Markup(", or ").join(_named(member) for member in schema[union])
    if "items" in schema:
        return Markup("list of {}").format(_named(schema["items"]))

    kind = schema.get("type", "any value")
    return Markup("{}").format(kind if isinstance(kind, str) else " or ".join(kind))


def _constraints(schema: Json) -> str:
    """Return the constraints of a schema on a plain value."""
    texts = [f"{word} {_pretty(schema[word])}" for word in _CONSTRAINTS if word in schema]
    return ", ".join(texts).replace("\n", "")


# The filters by their names in the templates.
_FILTERS: dict[str, Callable[..., Any]] = {
    "prose": inline,
    "pretty": _pretty,
    "referred": _referred,
    "named": _named,
    "constraints": _constraints,
}

for _name, _filter in _FILTERS.items():
    documentation.add_app_template_filter(_filter, _name)
