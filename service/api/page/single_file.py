"""A whole match in one HTML file: board, story, record and the check of them; it needs no network.

The modules of the pages stand in it as they are, each as a `data:` URL in an import map. Imports
between modules name other modules by their place in the static tree: `data:` URLs have no
neighbours. What the file may load is said by a policy that names the digests of its scripts.
"""

import base64
import gzip
import hashlib
import html
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import PurePosixPath
from posixpath import normpath
from string import Template

from domain import wire
from domain.games import RULES
from domain.json_types import JsonMapping
from domain.match.state import Match
from service.api.page.assets import IMPORT, TEMPLATES, Asset, Tree, tree
from service.base import answers
from service.matches import seats as seat_holders, views
from service.matches.curve import curve_of
from service.matches.stories import Names, Narrator
from service.record.codec import decode_events
from service.record.commit import Json, StoredCommit, digest
from service.record.replay import Loaded, apply, stamp_of
from service.record.verify.audit import RecordAudit
from service.record.verify.report import AuditReport, Wrong
from service.store.keys.tokens import Caller

# ---- what it shows: the public view of each version, and the story -------------------------------

_PUBLIC = Caller()


@dataclass(frozen=True, slots=True)
class Replay:
    """A match from its first version on, as far as it could be folded.

    frames: what the public sees at each version.   lines: the commits in sentences.
    seats: who holds each seat at the end of it.   view_version: of what kind the frames are.
    seat_states: for each seat what it has seen at each version, once all secrets are revealed; none
    where nobody sees more than the public.
    curve: who was likely to win, once all secrets are revealed.
    """

    game: str
    title: str
    seats: Sequence[JsonMapping]
    frames: Sequence[Mapping[str, object]]
    lines: Sequence[Mapping[str, object]]
    view_version: int
    seat_states: list[list[Json | None]]
    curve: answers.Curve | None


def replay(audit: RecordAudit, names: Mapping[int, str]) -> Replay:
    """Return the match of a record that was found right, as far as it could be folded.

    At least its first commit must have been.

    names: what the seats are called, by seat, as far as that is known; a record holds no names.
    """
    commits = audit.unsealed[: audit.report.folded]
    rules = audit.report.rules
    moments = list(_moments(commits, rules))
    last = moments[-1].match

    narrator = Narrator(
        match=None,
        rules=rules,
        names=Names(names, last),
        redact=lambda event: wire.redact(event, None),
    )
    return Replay(
        game=last.game.key,
        title=last.game.title,
        seats=seat_holders.seat_holders(last, names),
        frames=[views.view(loaded, _PUBLIC) for loaded in moments],
        lines=[narrator.tell(stored) for stored in commits],
        view_version=last.game.view_version,
        seat_states=_seat_states(moments) if audit.report.ended else [],
        curve=curve_of(moments) if audit.report.ended else None,
    )


def replay_of_shown(
    audit: RecordAudit,
    seats: list[Json],
    frames: Sequence[Json],
    lines: Sequence[Json],
) -> Replay:
    """Return the match of a record as a server shows it to the public, where parts are sealed.

    seats, frames, lines: as the service lists them, the last two of the versions from 1 on. Raises
    Wrong if a view has another digest than its commit holds.
    """
    pairs = zip(frames, audit.commits, strict=True)
    bound_frames = [_bound(frame, stored) for frame, stored in pairs]

    game = RULES[audit.report.rules]
    return Replay(
        game=game.key,
        title=game.title,
        seats=seats,
        frames=bound_frames,
        lines=list(lines),
        view_version=game.view_version,
        seat_states=[],
        curve=None,
    )


def _bound(frame: Json, stored: StoredCommit) -> Json:
    """Return a frame that a server shows, with its commit's own time and hash.

    Raises Wrong if its view has another digest than the commit holds.
    """
    content = stored["commit"]
    state = frame.get("state")
    view = "" if state is None else digest(state)
    if (frame.get("version"), view) != (content["version"], content["view"]):
        detail = "the server shows a public view after it that has another digest"
        raise Wrong(content["version"], "view_differs", detail)

    return {**frame, "time": content["time"], "hash": stored["hash"]}


def _seat_states(moments: Sequence[Loaded]) -> list[list[Json | None]]:
    """Return for each seat what it has seen at each version; [] if that is what all have seen."""
    seats = range(len(moments[-1].match.seats))
    by_seat = [[_state(loaded.match, seat) for loaded in moments] for seat in seats]
    public = [_state(loaded.match, None) for loaded in moments]
    return [] if all(states == public for states in by_seat) else by_seat


def _state(match: Match, seat: int | None) -> Json | None:
    """Return what a seat sees of a match, or the public; None before the start."""
    return None if match.state is None else dict(match.game.view(match.state, seat))


def _moments(commits: Sequence[StoredCommit], rules: str) -> Iterator[Loaded]:
    """Yield the match after each of its commits."""
    match: Match | None = None
    created = commits[0]["commit"]["time"]

    for stored in commits:
        before = None if match is None else match.copy()
        content = stored["commit"]
        match = apply(before, decode_events([stored], rules), stamp_of(content))
        yield Loaded(
            id=content["match"],
            version=content["version"],
            created=created,
            time=content["time"],
            hash=stored["hash"],
            match=match,
        )


# ---- the page ------------------------------------------------------------------------------------

_TEMPLATE = TEMPLATES / "match.html"
_ENTRY = "single/single.js"
_PLAIN_BOARD = "boards/plain.js"
_ICON = "icons/icon.svg"
_LEVEL = 9

# What stands at both ends of the name of a gap. What fills gaps holds no "<".
_GAP = "<!--gap-->"


def single_file(replay: Replay, record: bytes, report: AuditReport) -> bytes:
    """Return the page of a match; record: its bytes, to be checked by the page and handed out.

    report: what was found when the match was played again.
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
    """Return the page of any match of a game, with gaps for what is the match's own.

    The pages fill it as well (single/saving.js). A gap's name stands between two marks.
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
    """Return the module that draws a game: its own, else the one for all games."""
    own = f"boards/{game}/board.js"
    return own if own in static.assets else _PLAIN_BOARD


def _import_map(static: Tree, board: str) -> str:
    """Return the import map that holds all modules that the page needs."""
    paths = dict.fromkeys([*static.modules(_ENTRY), *static.modules(board)])
    modules = {path: _module_url(static.assets[path]) for path in paths}
    return json.dumps({"imports": modules}, indent=0)


def _module_url(asset: Asset) -> str:
    """Return a module as a `data:` URL; its imports name modules of the import map."""
    folder = PurePosixPath(asset.path).parent

    def named(found: re.Match[str]) -> str:
        imported = found.group(1)
        return found.group().replace(imported, normpath(str(folder / imported)))

    content = IMPORT.sub(named, asset.content.decode()).encode()
    return _data_url(Asset(asset.path, content))


def _data_url(asset: Asset) -> str:
    content = base64.b64encode(asset.content).decode()
    return f"data:{asset.media_type};base64,{content}"


def _styles(static: Tree) -> str:
    """Return the styles of the page as one text."""
    paths = static.styles("audit", "single", has_boards=True)
    return "\n".join(static.assets[path].content.decode() for path in paths)


def _policy(scripts: list[str], styles: str) -> str:
    """Return what the page may load: what stands in it, and nothing else from anywhere."""
    script_sources = " ".join(_source(script) for script in scripts)
    return (
        f"default-src 'none'; script-src {script_sources} data:; style-src {_source(styles)}; "
        "img-src data:; base-uri 'none'; form-action 'none'; "
        "require-trusted-types-for 'script'; trusted-types lit-html"
    )


def _source(text: str) -> str:
    """Return a text's digest as a policy names it (CSP 3, hash-source)."""
    text_digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(text_digest).decode()}'"


def _packed(content: bytes) -> str:
    """Return bytes as the page unpacks them."""
    return base64.b64encode(gzip.compress(content, _LEVEL, mtime=0)).decode()


def _data(replay: Replay, report: AuditReport) -> bytes:
    """Return what the page shows, as JSON."""
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
