"""Pages over HTTP: documentation, problems and rules; the pages for players and their files."""

from functools import cache
from typing import Any

from flask import Blueprint, render_template, request

from domain.games import GAMES
from service.api import links
from service.api.contract import examples
from service.api.contract.operations import HTML
from service.api.http.context import state
from service.api.http.responses import JSON, Response
from service.api.pages import FILTERS, cacheable, contract
from service.api.problems import KINDS
from service.api.rulebooks import name, rulebook, rulebooks
from service.errors import NotFound
from service.page import shells
from service.page import shells as made
from service.page.assets import Asset, tree

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
    return cacheable(contract().page, HTML, shells.POLICY)


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
    return cacheable(body, kind, _POLICY if kind == HTML else "")


# ---- pages for players: lobby, table, audit, and the static files that they load -----------

page_shells = Blueprint("shells", __name__, template_folder=str(made.TEMPLATES))

_FOR_EVER = "public, max-age=31536000, immutable"
_A_DAY = "public, max-age=86400"


@page_shells.get("/")
def lobby() -> Response:
    """Answer the page that lists the matches and opens new ones."""
    return _page(made.LOBBY)


@page_shells.get("/matches/<id:match>")
@page_shells.get("/matches/<id:match>/<version:version>")
def table(match: str, version: int | None = None) -> Response:  # noqa: ARG001
    """Answer the page of a match, at its head or at one of its versions."""
    return _page(made.TABLE)


@page_shells.get("/matches/<id:match>/audit")
def audit(match: str) -> Response:  # noqa: ARG001
    """Answer the page on which a browser checks a match."""
    return _page(made.AUDIT)


@page_shells.get("/static/<digest>/<path:path>")
def static(digest: str, path: str) -> Response:
    """Answer a static file of this release."""
    if digest != tree().digest:
        raise NotFound("this file is of another release of the service: load the page again")
    asset = tree().get(path)
    if asset is None:
        raise NotFound("there is no such file in this release of the service")
    return _file(asset)


@page_shells.get("/favicon.ico")
def icon() -> Response:
    """Lead browsers that show an answer of the API to the icon of the pages."""
    headers = {"Location": links.asset("icons/icon.svg"), "Cache-Control": _A_DAY}
    return Response(status=302, headers=headers)


def _page(shell: made.Shell) -> Response:
    """Answer a shell, which is made once."""
    return cacheable(_shell_under(links.to(""), shell), HTML, made.POLICY)


@cache
def _shell_under(home: str, shell: made.Shell) -> bytes:
    page = render_template(
        "shell.html",
        shell=shell,
        home=home,
        styles=tree().styles(*shell.unused_styles),
        modules=tree().modules(shell.entry),
    )
    return page.encode()


def _file(asset: Asset) -> Response:
    """Answer a static file, with a policy because workers have that of their script."""
    response = Response(
        asset.content,
        mimetype=asset.media_type,
        headers={"Cache-Control": _FOR_EVER, "Content-Security-Policy": made.FILE_POLICY},
    )
    response.set_etag(asset.digest)
    state().compressed = lambda: asset.compressed
    response.make_conditional(request)
    return response
