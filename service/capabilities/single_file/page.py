"""A whole match in one HTML file: board, story, record and their check, without a network.

The file contains modules of the pages, each as a `data:` URL in an import map. An import names a
module by its path in the static tree, because `data:` URLs have no relative paths. A policy with
digests limits the scripts and styles that the file may load.
"""

import base64
import gzip
import hashlib
import html
import json
import re
from functools import cache
from pathlib import PurePosixPath
from posixpath import normpath
from string import Template

from service.api.page.assets import IMPORT, TEMPLATES, Asset, Tree, tree
from service.capabilities.single_file.replays import Replay
from service.record.commit import Json
from service.record.verify.report import AuditReport

_TEMPLATE = TEMPLATES / "match.html"
_ENTRY = "single/single.js"
_PLAIN_BOARD = "boards/plain.js"
_ICON = "icons/icon.svg"
_LEVEL = 9

# The mark at both ends of the name of a gap. Texts in gaps contain no "<".
_GAP = "<!--gap-->"


def single_file(replay: Replay, record: bytes, report: AuditReport) -> bytes:
    """Return the page of a match.

    record: bytes of the match's record, for the page to check and to hand out.
    report: report of the match's audit.
    """
    called = " and ".join(seat["name"] for seat in replay.seats if seat.get("name"))
    filling = {
        "title": html.escape(f"{replay.title}: {called or report.match}"),
        "record": _packed(record),
        "match": _packed(_data(replay, report)),
    }
    parts = empty_file(replay.game).decode().split(_GAP)
    return "".join(filling.get(part, part) for part in parts).encode()


@cache
def empty_file(game: str) -> bytes:
    """Return the page of any match of a game, with gaps for the match's own data.

    In a browser, single/saving.js fills such a file. The name of each gap is between two marks.
    """
    static = tree()
    board = _board_of(game, static)
    start = (
        f'\nimport {{ board }} from "{board}";\nimport {{ open }} from "{_ENTRY}";\nopen(board);\n'
    )
    import_map = _import_map(static, board)
    styles = _styles(static)

    page = Template(_TEMPLATE.read_text()).substitute(
        policy=html.escape(_policy([import_map, start], styles)),
        title=f"{_GAP}title{_GAP}",
        icon=_data_url(static.assets[_ICON]),
        styles=styles,
        import_map=import_map,
        record=f"{_GAP}record{_GAP}",
        match=f"{_GAP}match{_GAP}",
        start=start,
    )
    return page.encode()


def _board_of(game: str, static: Tree) -> str:
    """Return the module that draws a game: the game's own, or the module for all games."""
    own = f"boards/{game}/board.js"
    return own if own in static.assets else _PLAIN_BOARD


def _import_map(static: Tree, board: str) -> str:
    """Return the import map with all modules of the page."""
    paths = dict.fromkeys([*static.modules(_ENTRY), *static.modules(board)])
    modules = {path: _module_url(static.assets[path]) for path in paths}
    return json.dumps({"imports": modules}, indent=0)


def _module_url(asset: Asset) -> str:
    """Return a module as a `data:` URL. The module's imports name modules of the import map."""
    folder = PurePosixPath(asset.path).parent

    def by_full_path(import_match: re.Match[str]) -> str:
        path = import_match.group(1)
        return import_match.group().replace(path, normpath(str(folder / path)))

    content = IMPORT.sub(by_full_path, asset.content.decode()).encode()
    return _data_url(Asset(asset.path, content))


def _data_url(asset: Asset) -> str:
    content = base64.b64encode(asset.content).decode()
    return f"data:{asset.media_type};base64,{content}"


def _styles(static: Tree) -> str:
    """Return the styles of the page as one text."""
    paths = static.styles("audit", "single", has_boards=True)
    return "\n".join(static.assets[path].content.decode() for path in paths)


def _policy(scripts: list[str], styles: str) -> str:
    """Return the policy of the page. The page may load its own parts, and nothing else."""
    script_sources = " ".join(_source(script) for script in scripts)
    return (
        f"default-src 'none'; script-src {script_sources} data:; style-src {_source(styles)}; "
        "img-src data:; base-uri 'none'; form-action 'none'; "
        "require-trusted-types-for 'script'; trusted-types lit-html"
    )


def _source(text: str) -> str:
    """Return the digest of a text for a policy (CSP 3, hash-source)."""
    text_digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(text_digest).decode()}'"


def _packed(content: bytes) -> str:
    """Return bytes in the form that the page unpacks: gzip, then base64."""
    return base64.b64encode(gzip.compress(content, _LEVEL, mtime=0)).decode()


def _data(replay: Replay, report: AuditReport) -> bytes:
    """Return the data of the page as JSON."""
    data: Json = {
        "match": report.match,
        "game": replay.game,
        "title": replay.title,
        "seats": replay.seats,
        "frames": replay.frames,
        "lines": replay.lines,
        "view_version": replay.view_version,
        "seat_states": replay.seat_states,
        "curve": replay.curve,
        "commits": report.commits,
        "decided": report.decided,
    }
    return json.dumps(data, separators=(",", ":")).encode()
