"""Matches over HTTP: open, look, move, history."""

from typing import Any

from flask import Blueprint, Response, current_app
from marshmallow import ValidationError

from service.api.answers import answer, body
from service.api.auth import token_for
from service.api.parameters import expected_version, flag, idempotency_key, number, only
from service.api.schemas.matches import OpenMatchSchema
from service.errors import Invalid, Place, pointer
from service.matches import playing, reading
from service.matches.desk import Desk, Loaded
from service.matches.opening import Wish, open_new
from service.tokens import Caller

matches = Blueprint("matches", __name__, url_prefix="/v1/matches")
_OPEN = OpenMatchSchema()


def desk() -> Desk:
    """Return the desk of the application that serves this request."""
    found: Desk = current_app.extensions["desk"]
    return found


@matches.post("")
def open_match() -> Response:
    """Open a match; the answer holds one secret token a human seat and the owner's."""
    only()
    wish = _wish(body())
    opened = open_new(desk(), wish, idempotency_key())
    made = {**reading.document(desk(), opened.loaded), "tokens": dict(opened.tokens)}
    headers = {"Location": f"/v1/matches/{opened.loaded.id}", "Cache-Control": "no-store"}
    return answer(made, 201, headers | ({"Idempotent-Replayed": "true"} if opened.repeated else {}))


@matches.get("/<match>")
def show_match(match: str) -> Response:
    """Answer what a match is and whom it waits for."""
    only()
    loaded, caller = playing.enter(desk(), match, token_for(match))
    return _tagged(answer(reading.document(desk(), loaded)), loaded, caller)


@matches.get("/<match>/state")
def show_state(match: str) -> Response:
    """Answer the state at a version as the caller may see it."""
    only("version")
    loaded, caller = playing.enter(desk(), match, token_for(match))
    then = reading.state_at(desk(), loaded, number("version", None, 1, 2**53))
    return _tagged(answer(reading.view(then, caller)), then, caller)


@matches.get("/<match>/moves")
def show_moves(match: str) -> Response:
    """Answer the legal moves of the caller's seat."""
    only()
    loaded, caller = playing.enter(desk(), match, token_for(match))
    moves = [] if caller.seat is None else playing.legal_moves(loaded, caller.seat)
    value = {"version": loaded.version, "waiting_for": reading.waiting_for(loaded), "moves": moves}
    return _tagged(answer(value), loaded, caller)


@matches.post("/<match>/moves")
def make_move(match: str) -> Response:
    """Make a move of the caller's seat."""
    only("dry_run")
    token, data = token_for(match), body()
    if flag("dry_run"):
        loaded, events = playing.dry_run(desk(), match, token, data, expected_version())
        return answer({"version": loaded.version, "events": events, "dry_run": True})
    made = playing.move(desk(), match, token, data, expected=expected_version(), key=idempotency_key())
    caller = Caller("seat", int(made.entry["commit"]["actor"].partition(":")[2]))
    value = reading.shown(made.entry, caller)
    headers = {"Idempotent-Replayed": "true"} if made.repeated else {}
    return answer(value, 201, headers | {"ETag": f'"{value["version"]};{caller.name}"'})


@matches.get("/<match>/commits")
def show_commits(match: str) -> Response:
    """Answer a page of the history, redacted for the caller."""
    only("after", "limit")
    most = current_app.config["GIORNALE"].page_max
    after, limit = number("after", 0, 0, 2**53), number("limit", min(100, most), 1, most)
    loaded, caller = playing.enter(desk(), match, token_for(match))
    page = reading.commits(desk(), loaded, caller, after or 0, limit or 1)
    return _tagged(answer({"version": loaded.version, "commits": page}), loaded, caller)


def _wish(data: dict[str, Any]) -> Wish:
    try:
        read = _OPEN.load(data)
    except ValidationError as error:
        raise Invalid(*_places(error.messages, ())) from None
    if "seed" in read and not desk().allow_seed:
        raise Invalid(Place("/seed", "is not accepted here; every match draws its own secret"))
    return Wish(**read)


def _places(messages: Any, path: tuple[str | int, ...]) -> list[Place]:
    if isinstance(messages, dict):
        return [place for name, inner in messages.items() for place in _places(inner, (*path, name))]
    return [Place(pointer(tuple(step for step in path if step != "_schema")), str(text)) for text in messages]


def _tagged(response: Response, loaded: Loaded, caller: Caller) -> Response:
    response.headers["ETag"] = f'"{loaded.version};{caller.name}"'
    response.headers["Vary"] = "Authorization"
    return response
