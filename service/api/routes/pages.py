"""Pages for people over HTTP: lobby, table, audit, players, and their static files.

Each page is a shell: HTML without data, the same for every match. Scripts fetch the data.
"""

import hashlib
from dataclasses import dataclass
from functools import cache

from flask import Blueprint, render_template, request

from service.api import links
from service.api.http.context import state
from service.api.http.responses import HTML, Response, page_headers
from service.api.page.assets import ENTRIES, TEMPLATES, Asset, tree
from service.api.page.joining import FOLDER
from service.base.errors import NotFound

pages = Blueprint("pages", __name__, template_folder=str(TEMPLATES))

# A page may load only files of this service. Only the policies `lit-html` and `giornale` (Trusted
# Types) may turn a text into HTML or into the address of a script.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; worker-src 'self'; "
    "require-trusted-types-for 'script'; trusted-types lit-html giornale; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)

# The policy of static files. It matters only for scripts that run as workers.
_FILE_POLICY = "default-src 'none'; script-src 'self'; connect-src 'self'"

# A page names the static files of its own release, so a cached page is revalidated each time.
_ASK_AGAIN = "public, no-cache"
_FIVE_MINUTES = "public, max-age=300"
_FOR_EVER = "public, max-age=31536000, immutable"
_A_DAY = "public, max-age=86400"


@dataclass(frozen=True, slots=True)
class Shell:
    """The parts of one page's shell."""

    # Name of the page in `data-page`.
    name: str
    title: str
    # For search engines and previews of links.
    description: str
    # The page's own module. It loads all other modules.
    entry: str
    # The text for browsers without scripts.
    without_scripts: str


LOBBY = Shell(
    name="lobby",
    title="Giornale",
    description="Board games against bots and friends. Every match can be replayed and checked.",
    entry=ENTRIES["lobby"],
    without_scripts="The list of matches needs JavaScript.",
)
TABLE = Shell(
    name="table",
    title="A match - Giornale",
    description="A match: its board, its story, and every moment of it.",
    entry=ENTRIES["table"],
    without_scripts="The table of a match needs JavaScript.",
)
AUDIT = Shell(
    name="audit",
    title="Audit - Giornale",
    description="A check of a whole match in the browser: moves, draws, seals and signatures.",
    entry=ENTRIES["audit"],
    without_scripts="The audit of a match runs in your browser and needs JavaScript.",
)

PLAYERS = Shell(
    name="players",
    title="Players - Giornale",
    description="Ladders of the games, and the ended matches of each player.",
    entry=ENTRIES["players"],
    without_scripts="Ladders and players need JavaScript.",
)

SHELLS = (LOBBY, TABLE, AUDIT, PLAYERS)


@pages.get("/")
def lobby() -> Response:
    """Answer the page that lists the matches and opens new ones."""
    return _page(LOBBY)


@pages.get("/matches/<id:match>")
@pages.get("/matches/<id:match>/<version:version>")
def table(match: str, version: int | None = None) -> Response:  # noqa: ARG001
    """Answer the page of a match, at its head or at one of its versions."""
    return _page(TABLE)


@pages.get("/matches/<id:match>/audit")
def audit(match: str) -> Response:  # noqa: ARG001
    """Answer the page for checking a match in a browser."""
    return _page(AUDIT)


@pages.get("/ladder")
@pages.get("/players/<player:player>")
def players(player: str = "") -> Response:  # noqa: ARG001
    """Answer the page with the ladders of the games, or of one player."""
    return _page(PLAYERS)


@pages.get("/static/<digest>/<path:path>")
def static(digest: str, path: str) -> Response:
    """Answer a static file of this release."""
    if digest != tree().digest:
        raise NotFound("this file belongs to another release of the service. Load the page again")
    asset = tree().get(path)
    if asset is None:
        raise NotFound("this release of the service has no such file")
    return static_file(asset)


@pages.get("/favicon.ico")
def icon() -> Response:
    """Redirect to the icon of the pages. Browsers ask here if they show an answer of the API."""
    headers = {"Location": links.asset("icons/icon.svg"), "Cache-Control": _A_DAY}
    return Response(status=302, headers=headers)


def cacheable(body: bytes, kind: str, policy: str = "") -> Response:
    """Answer a cacheable body, or 304 if the caller has it.

    kind: the media type.
    policy: the Content-Security-Policy. "": nothing may load.
    """
    how_long = _ASK_AGAIN if kind == HTML else _FIVE_MINUTES
    response = Response(body, mimetype=kind, headers={"Cache-Control": how_long})
    response.set_etag(hashlib.sha256(body).hexdigest()[:32])
    state().lasts = True
    if policy:
        response.headers.update(page_headers(policy))
    response.make_conditional(request)
    return response


def _page(shell: Shell) -> Response:
    """Answer a shell. Each shell is made once."""
    return cacheable(_shell_under(links.to(""), shell), HTML, POLICY)


@cache
def _shell_under(home: str, shell: Shell) -> bytes:
    page = render_template(
        "shell.html",
        shell=shell,
        home=home,
        joined=f"{FOLDER}/",
        modules=tree().files(shell.entry),
    )
    return page.encode()


def static_file(asset: Asset) -> Response:
    """Answer a static file, with a policy, because a worker has the policy of its script."""
    response = Response(
        asset.content,
        mimetype=asset.media_type,
        headers={"Cache-Control": _FOR_EVER, "Content-Security-Policy": _FILE_POLICY},
    )
    response.set_etag(asset.digest)
    state().lasts = True
    response.make_conditional(request)
    return response
