"""Pages for people, which need no network but this server: documentation, problems, rules."""

from typing import Any

from flask import Blueprint, Response, render_template

from domain.games import GAMES
from service.api import links
from service.api.contract import examples
from service.api.contract.operations import HTML
from service.api.http.answers import JSON
from service.api.pages.answers import kept_page
from service.api.pages.contract import contract
from service.api.pages.filters import FILTERS
from service.api.pages.rulebook import name, rulebook, rulebooks
from service.api.problems.kinds import KINDS
from service.errors import NotFound
from service.page import shells

pages = Blueprint("pages", __name__, template_folder="../templates")

YAML = "application/yaml"
_POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)

for _name, _filter in FILTERS.items():
    pages.add_app_template_filter(_filter, _name)


@pages.app_context_processor
def _links() -> dict[str, Any]:
    """Let the templates build URLs."""
    return {"links": links}


@pages.get("/openapi.json")
def contract_as_json() -> Response:
    """Answer the contract."""
    return _kept(contract().whole, JSON)


@pages.get("/openapi.yaml")
def contract_as_yaml() -> Response:
    """Answer the contract as YAML (RFC 9512): the file of the repository, to the byte."""
    return _kept(contract().yaml, YAML)


@pages.get("/openapi.min.json")
def short_contract() -> Response:
    """Answer the contract without examples and descriptions."""
    return _kept(contract().short, JSON)


@pages.get("/docs")
def docs() -> Response:
    """Answer the documentation; its one script finds things in it."""
    return kept_page(contract().page, HTML, shells.POLICY)


@pages.get("/llms.txt")
def for_language_models() -> Response:
    """Answer what a language model needs to know first, in the form of llmstxt.org."""
    text = render_template("llms.txt", games=GAMES.values(), rules=rulebooks())
    return _kept(text.encode(), "text/plain")


@pages.get("/problems")
def problems() -> Response:
    """Answer the list of all kinds of problems."""
    page = render_template("problems.html", kinds=KINDS.values())
    return _kept(page.encode(), HTML)


@pages.get("/problems/<kind>")
def problem(kind: str) -> Response:
    """Answer the page of one kind of problem."""
    if kind not in KINDS:
        raise NotFound(f"there is no such kind of problem; there are {', '.join(KINDS)}")
    shown = KINDS[kind]
    page = render_template("problem.html", kind=shown, example=examples.problem(shown))
    return _kept(page.encode(), HTML)


@pages.get("/rules")
def all_rules() -> Response:
    """Answer the list of all rules."""
    names = {key: name(key) for key in rulebooks()}
    page = render_template("all_rules.html", names=names)
    return _kept(page.encode(), HTML)


@pages.get("/rules/<key>")
def rules(key: str) -> Response:
    """Answer how a game goes, or a match of any game, and its numbered rules."""
    if key not in rulebooks():
        raise NotFound(f"there are no such rules; there are {', '.join(rulebooks())}")
    names = {other: name(other) for other in rulebooks()}
    page = render_template("rules.html", key=key, book=rulebook(key), names=names)
    return _kept(page.encode(), HTML)


def _kept(body: bytes, kind: str) -> Response:
    """Answer what changes only with a release."""
    return kept_page(body, kind, _POLICY if kind == HTML else "")
