"""Errors as problems (RFC 9457): the one place that turns one into the other."""

import logging
from collections.abc import Callable
from typing import Any

from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException

from domain.errors import RuleBroken
from service import errors
from service.api import links
from service.api.http.answers import answer
from service.api.http.visits import visit_of
from service.api.problems import kinds
from service.api.problems.kinds import Kind
from service.api.problems.nowhere import nowhere
from service.journal.errors import (
    ArchiveUnavailable,
    Conflict,
    FileLeft,
    JournalFull,
    JournalUnavailable,
    TooFewReplicas,
    Unconfirmed,
)

_log = logging.getLogger(__name__)

PROBLEM = "application/problem+json"
Handler = Callable[[Any], Response]


def problem(
    kind: Kind, detail: str, headers: dict[str, str] | None = None, **more: Any
) -> Response:
    """Return a problem of a kind; `more` are members of its own."""
    members = {
        "type": links.problem(kind.name),
        "title": kind.title,
        "status": kind.status,
        "detail": detail,
        **more,
    }
    all_headers = {"Cache-Control": "no-store", **(headers or {})}
    return answer(members, kind.status, all_headers, PROBLEM)


def init(app: Flask) -> None:
    """Let every error leave the application as a problem."""
    for error_class, handler in _HANDLERS.items():
        app.register_error_handler(error_class, handler)
    app.register_error_handler(HTTPException, _http_error)
    app.register_error_handler(Exception, _unexpected)


# ---- what the rules and the match refuse ---------------------------------------------------


def _illegal(error: errors.Illegal) -> Response:
    return problem(
        kinds.ILLEGAL,
        error.detail,
        code=error.code,
        rule=error.rule,
        rule_url=links.rules(error.rules, error.rule),
        version=error.version,
        legal_moves=links.moves(_match_in_path()),
    )


def _rule_broken(error: RuleBroken) -> Response:
    return problem(kinds.ILLEGAL, error.detail, code=error.code, rule=error.rule)


def _stale(error: errors.Stale) -> Response:
    thought_up_for = f"version {error.expected}"
    if error.expected == error.version:
        thought_up_for = "another history of the match, which the journal no longer holds"
    detail = (
        f"The match is at version {error.version}; the request was thought up for {thought_up_for}."
    )
    told_up_to = min(error.expected, error.version)
    return problem(
        kinds.STALE,
        detail,
        version=error.version,
        expected=error.expected,
        commits=list(error.since),
        commits_url=links.commits(_match_in_path(), told_up_to),
    )


def _deleted(error: errors.MatchDeleted) -> Response:
    return problem(kinds.MATCH_DELETED, _sentence(error), deleted=error.at)


# ---- what is wrong with a request ----------------------------------------------------------


def _invalid(error: errors.Invalid) -> Response:
    places = [_place(place) for place in error.places]
    unnamed: dict[str, Any] = {"more": error.more} if error.more else {}
    return problem(kinds.INVALID, _sentence(error), errors=places, **unnamed)


def _unsupported_media(error: errors.UnsupportedMedia) -> Response:
    return problem(kinds.MEDIA_TYPE, _sentence(error), {error.header: error.taken})


def _place(place: errors.Place) -> dict[str, str]:
    """Return a wrong place as it is told; of a parameter its older name is told, too."""
    told = {"pointer": place.pointer, "detail": place.detail}
    if place.parameter:
        told["parameter"] = place.parameter
    return told


def _bad_record(error: errors.BadRecord) -> Response:
    return problem(kinds.BAD_RECORD, _sentence(error), commit=error.commit, code=error.code)


def _too_many(error: errors.TooMany) -> Response:
    kind = kinds.STREAMS if error.kind == "streams" else kinds.RATE_LIMITED
    return problem(kind, _sentence(error), {"Retry-After": str(error.after)})


# ---- what the service cannot do now --------------------------------------------------------


def _overloaded(error: errors.Overloaded) -> Response:
    return problem(kinds.OVERLOADED, _sentence(error), {"Retry-After": str(error.after)})


def _archive_unavailable(error: ArchiveUnavailable) -> Response:
    # The reason names places of the server: it is for the operator alone.
    reason = {**_request_id(), "match": error.match, "reason": str(error)}
    _log.error("an archived match cannot be read", extra=reason)
    detail = (
        f"Match {error.match} lies in the archive, which cannot be read now. "
        "Its operator finds the reason in the log, or with: giornale archive verify"
    )
    return problem(kinds.UNAVAILABLE, detail, {"Retry-After": "60"})


def _file_left(error: FileLeft) -> Response:
    _log.error(
        "a file of the archive is left",
        extra={**_request_id(), "match": error.match, "reason": str(error)},
    )
    detail = (
        f"Match {error.match} is deleted, but its file could not be removed from the archive. "
        "Its operator removes it with: giornale archive verify --clean"
    )
    return problem(kinds.UNAVAILABLE, detail)


def _unavailable(error: JournalUnavailable) -> Response:
    _log.error("journal unavailable", exc_info=True, extra=_request_id())
    if isinstance(error, JournalFull):
        detail = (
            "The journal is full: nothing can be added until its operator makes room. "
            "Everything can be read."
        )
        return problem(kinds.UNAVAILABLE, detail, {"Retry-After": "60"})
    if isinstance(error, TooFewReplicas):
        detail = (
            "The journal takes no moves: too few of its replicas are there, or its disk is full. "
            "Nothing was done; everything can be read."
        )
        return problem(kinds.UNAVAILABLE, detail, {"Retry-After": "10"})
    if isinstance(error, Unconfirmed):
        detail = (
            "It is done, but too few replicas of the journal have confirmed it in time, so it may "
            "or may not last. Send the request again with the same Idempotency-Key: "
            "it is done once, and acknowledged when they have it."
        )
        return problem(kinds.UNAVAILABLE, detail, {"Retry-After": "1"})
    return problem(kinds.UNAVAILABLE, "Nothing is lost; try again.", {"Retry-After": "1"})


def _raced(_error: Conflict) -> Response:
    detail = "The match changed meanwhile; send the request again."
    return problem(kinds.BUSY, detail, {"Retry-After": "1"})


def _unexpected(_error: Exception) -> Response:
    _log.exception("unexpected error", extra=_request_id())
    return problem(kinds.INTERNAL, "The error was recorded; the match is as it was.")


# ---- errors of the framework ---------------------------------------------------------------


def _http_error(error: HTTPException) -> Response:
    """Answer an error of the framework in words of our own: its own may tell how it is made."""
    status = error.code or 500
    kind, detail = _kind_of_status(status)
    if status == 404:
        detail = nowhere(request.path)
    elif status == 413:
        detail = f"At most {request.max_content_length} bytes are taken."

    allow = {name: value for name, value in error.get_headers() if name.lower() == "allow"}
    return problem(kind, detail, allow)


def _kind_of_status(status: int) -> tuple[Kind, str]:
    """Return the kind and the detail of a status that the framework answers with."""
    match status:
        case 400:
            return kinds.BAD_REQUEST, "It is not as HTTP or a form of its parts demands."
        case 404:
            return kinds.NOT_FOUND, "Nothing is at this address; the contract says what there is."
        case 405:
            return kinds.METHOD, "This address does not take this method."
        case 413:
            return kinds.TOO_LARGE, "Less is taken."
        case _ if status >= 500:
            return kinds.INTERNAL, "Try again."
        case _:
            return kinds.BAD_REQUEST, "It is of no form taken here."


# ---- the table -----------------------------------------------------------------------------


def _simple(kind: Kind, headers: dict[str, str] | None = None) -> Handler:
    """Return a handler that says nothing but the error's own sentence."""
    return lambda error: problem(kind, _sentence(error), headers)


def _sentence(error: Exception) -> str:
    text = str(error)
    return text[:1].upper() + text[1:].removesuffix(".") + "."


def _match_in_path() -> str:
    match: str = (request.view_args or {}).get("match", "")
    return match


def _request_id() -> dict[str, str]:
    """Return the name under which the log knows the request."""
    return {"request_id": visit_of(request.environ).request_id}


_HANDLERS: dict[type[Exception], Handler] = {
    errors.Illegal: _illegal,
    RuleBroken: _rule_broken,
    errors.Invalid: _invalid,
    errors.Malformed: _simple(kinds.MALFORMED),
    errors.UnsupportedMedia: _unsupported_media,
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
    FileLeft: _file_left,
    ArchiveUnavailable: _archive_unavailable,
    JournalUnavailable: _unavailable,
    Conflict: _raced,
}
