"""The pages for players over HTTP: lobby, table, audit, and the static files that they load."""

from flask import Blueprint, Response, current_app, render_template, request

from service.api import links
from service.api.contract.operations import HTML
from service.api.pages.answers import kept_page
from service.api.wsgi.compression import COMPRESSED
from service.errors import NotFound
from service.page import shells as made
from service.page.assets import Asset, tree

shells = Blueprint("shells", __name__, template_folder=str(made.TEMPLATES))

_FOR_EVER = "public, max-age=31536000, immutable"
_A_DAY = "public, max-age=86400"


@shells.get("/")
def lobby() -> Response:
    """Answer the page that lists the matches and opens new ones."""
    return _page(made.LOBBY)


@shells.get("/matches/<id:match>")
@shells.get("/matches/<id:match>/<version:version>")
def table(match: str, version: int | None = None) -> Response:  # noqa: ARG001
    """Answer the page of a match, at its head or at one of its versions."""
    return _page(made.TABLE)


@shells.get("/matches/<id:match>/audit")
def audit(match: str) -> Response:  # noqa: ARG001
    """Answer the page on which a browser checks a match."""
    return _page(made.AUDIT)


@shells.get("/static/<digest>/<path:path>")
def static(digest: str, path: str) -> Response:
    """Answer a static file of this release."""
    if digest != tree().digest:
        raise NotFound("this file is of another release of the service: load the page again")
    asset = tree().get(path)
    if asset is None:
        raise NotFound("there is no such file in this release of the service")
    return _file(asset)


@shells.get("/favicon.ico")
def icon() -> Response:
    """Lead browsers that show an answer of the API to the icon of the pages."""
    headers = {"Location": links.asset("icons/icon.svg"), "Cache-Control": _A_DAY}
    return Response(status=302, headers=headers)


def _page(shell: made.Shell) -> Response:
    """Answer a shell, which is made once."""
    known: dict[str, bytes] = current_app.extensions.setdefault("shells", {})
    if shell.name not in known:
        page = render_template(
            "shell.html",
            shell=shell,
            home=links.to(""),
            styles=tree().styles(),
            modules=tree().modules(shell.entry),
        )
        known[shell.name] = page.encode()
    return kept_page(known[shell.name], HTML, made.POLICY)


def _file(asset: Asset) -> Response:
    """Answer a static file, with a policy because workers have that of their script."""
    response = Response(
        asset.content,
        mimetype=asset.media_type,
        headers={"Cache-Control": _FOR_EVER, "Content-Security-Policy": made.FILE_POLICY},
    )
    response.set_etag(asset.digest)
    request.environ[COMPRESSED] = lambda: asset.compressed
    response.make_conditional(request)
    return response
