"""Errors as problems (RFC 9457): the one place that turns one into the other."""

import logging
from collections.abc import Callable
from typing import Any

from flask import Flask, Response, g, request
from werkzeug.exceptions import HTTPException

from domain.errors import RuleBroken
from service import errors
from service.api import links
from service.api.http.answers import answer
from service.api.problems import kinds
from service.api.problems.kinds import Kind
from service.api.problems.nowhere import nowhere
from service.journal.port import Conflict, JournalFull, JournalUnavailable

_log = logging.getLogger(__name__)

PROBLEM = "application/problem+json"


def problem(
    kind: Kind, detail: str, headers: dict[str, str] | None = None, **more: Any
) -> Response:
    """Return a problem of a kind."""
    body = {
        "type": links.problem(kind.name),
        "title": kind.title,
        "status": kind.status,
        "detail": detail,
        **more,
    }
    return answer(body, kind.status, {"Cache-Control": "no-store", **(headers or {})}, PROBLEM)


def _illegal(error: errors.Illegal) -> Response:
    match = (request.view_args or {}).get("match", "")
    return problem(
        kinds.ILLEGAL, error.detail, code=error.code, rule=error.rule, rule_url=links.rules(error.rules, error.rule),
        version=error.version, legal_moves=links.moves(match),
    )  # fmt: skip


def _rule_broken(error: RuleBroken) -> Response:
    return problem(kinds.ILLEGAL, error.detail, code=error.code, rule=error.rule)


def _invalid(error: errors.Invalid) -> Response:
    places = [{"pointer": place.pointer, "detail": place.detail} for place in error.places]
    more: dict[str, Any] = {"more": error.more} if error.more else {}
    return problem(kinds.INVALID, _sentence(error), errors=places, **more)


def _stale(error: errors.Stale) -> Response:
    match = (request.view_args or {}).get("match", "")
    return problem(
        kinds.STALE,
        f"The match is at version {error.version}; the request was thought up for version {error.expected}.",
        version=error.version, expected=error.expected, commits=list(error.since),
        commits_url=links.commits(match, min(error.expected, error.version)),
    )  # fmt: skip


def _bad_record(error: errors.BadRecord) -> Response:
    return problem(kinds.BAD_RECORD, _sentence(error), commit=error.commit, code=error.code)


def _too_many(error: errors.TooMany) -> Response:
    kind = kinds.STREAMS if error.kind == "streams" else kinds.RATE_LIMITED
    return problem(kind, _sentence(error), {"Retry-After": str(error.after)})


def _overloaded(error: errors.Overloaded) -> Response:
    return problem(kinds.OVERLOADED, _sentence(error), {"Retry-After": str(error.after)})


def _deleted(error: errors.MatchDeleted) -> Response:
    return problem(kinds.MATCH_DELETED, _sentence(error), deleted=error.at)


def _unavailable(error: JournalUnavailable) -> Response:
    _log.error("journal unavailable", exc_info=True, extra=_request())
    if isinstance(error, JournalFull):
        detail = "The journal is full: nothing can be added until its operator makes room. Everything can be read."
        return problem(kinds.UNAVAILABLE, detail, {"Retry-After": "60"})
    return problem(kinds.UNAVAILABLE, "Nothing is lost; try again.", {"Retry-After": "1"})


def _raced(_error: Conflict) -> Response:
    return problem(
        kinds.BUSY, "The match changed meanwhile; send the request again.", {"Retry-After": "1"}
    )


def _request() -> dict[str, str]:
    """Return by what name the log knows the request."""
    return {"request_id": g.get("request_id", "")}


def _simple(kind: Kind, headers: dict[str, str] | None = None) -> Callable[[Exception], Response]:
    return lambda error: problem(kind, _sentence(error), headers)


def _sentence(error: Exception) -> str:
    text = str(error)
    return text[:1].upper() + text[1:].removesuffix(".") + "."


_HANDLERS: dict[type[Exception], Callable[[Any], Response]] = {
    errors.Illegal: _illegal,
    RuleBroken: _rule_broken,
    errors.Invalid: _invalid,
    errors.Malformed: _simple(kinds.MALFORMED),
    errors.UnsupportedMedia: _simple(kinds.MEDIA_TYPE, {"Accept-Post": "application/json"}),
    errors.NotAcceptable: _simple(kinds.NOT_ACCEPTABLE),
    errors.Stale: _stale,
    errors.NotFound: _simple(kinds.NOT_FOUND),
    errors.MatchDeleted: _deleted,
    errors.Unauthorized: _simple(
        kinds.UNAUTHORIZED, {"WWW-Authenticate": 'Bearer realm="giornale"'}
    ),
    errors.Forbidden: _simple(kinds.FORBIDDEN),
    errors.KeyConflict: _simple(kinds.KEY_REUSED),
    errors.InProgress: _simple(kinds.IN_PROGRESS, {"Retry-After": "1"}),
    errors.TooMany: _too_many,
    errors.Overloaded: _overloaded,
    errors.BadRecord: _bad_record,
    errors.AlreadyThere: _simple(kinds.MATCH_EXISTS),
    errors.Busy: _simple(kinds.BUSY, {"Retry-After": "1"}),
    errors.BodyTooSlow: _simple(kinds.SLOW_BODY),
    JournalUnavailable: _unavailable,
    Conflict: _raced,
}
_BY_STATUS = {
    400: (kinds.BAD_REQUEST, "It is not as HTTP or a form of its parts demands."),
    404: (kinds.NOT_FOUND, "Nothing is at this address; the contract says what there is."),
    405: (kinds.METHOD, "This address does not take this method."),
    413: (kinds.TOO_LARGE, "Less is taken."),
}


def _http(error: HTTPException) -> Response:
    """Answer an error of the framework in words of our own: its own may tell how it is made."""
    status = error.code or 500
    unknown = (
        (kinds.INTERNAL, "Try again.")
        if status >= 500
        else (kinds.BAD_REQUEST, "It is of no form taken here.")
    )
    kind, detail = _BY_STATUS.get(status, unknown)
    if kind is kinds.TOO_LARGE:
        detail = f"At most {request.max_content_length} bytes are taken."
    if error.code == 404:
        detail = nowhere(request.path)
    allow = {name: value for name, value in error.get_headers() if name.lower() == "allow"}
    return problem(kind, detail, allow)


def _unexpected(_error: Exception) -> Response:
    _log.exception("unexpected error", extra=_request())
    return problem(kinds.INTERNAL, "The error was recorded; the match is as it was.")


def init(app: Flask) -> None:
    """Let every error leave the application as a problem."""
    for kind, handler in _HANDLERS.items():
        app.register_error_handler(kind, handler)
    app.register_error_handler(HTTPException, _http)
    app.register_error_handler(Exception, _unexpected)
