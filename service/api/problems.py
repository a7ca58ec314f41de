"""Errors as problems (RFC 9457): the one place that knows status codes."""

import logging
from collections.abc import Callable
from typing import Any

from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException

from domain.errors import RuleBroken
from service import errors
from service.api.answers import answer
from service.journal.port import JournalUnavailable

_log = logging.getLogger(__name__)


def problem(
    status: int, kind: str, title: str, detail: str, headers: dict[str, str] | None = None, **more: Any
) -> Response:
    """Return a problem; `kind` is its page under /problems/."""
    body = {"type": f"/problems/{kind}", "title": title, "status": status, "detail": detail, **more}
    return answer(body, status, {"Cache-Control": "no-store", **(headers or {})}, "application/problem+json")


def _rule_broken(error: RuleBroken) -> Response:
    match = (request.view_args or {}).get("match", "")
    return problem(
        409, "illegal-move", "The move breaks a rule", error.detail, code=error.code, rule=error.rule,
        legal_moves=f"/v1/matches/{match}/moves",
    )  # fmt: skip


def _invalid(error: errors.Invalid) -> Response:
    places = [{"pointer": place.pointer, "detail": place.detail} for place in error.places]
    return problem(422, "invalid-request", "The request cannot be read", str(error), errors=places)


def _stale(error: errors.Stale) -> Response:
    return problem(
        412, "stale-version", "The match has moved on",
        f"The match is at version {error.version}; the move was thought up for version {error.expected}.",
        version=error.version, expected=error.expected,
    )  # fmt: skip


def _unavailable(_error: JournalUnavailable) -> Response:
    _log.error("journal unavailable", exc_info=True)
    return problem(
        503, "journal-unavailable", "The journal cannot be reached", "Nothing is lost; try again.", {"Retry-After": "1"}
    )


def _simple(
    status: int, kind: str, title: str, headers: dict[str, str] | None = None
) -> Callable[[Exception], Response]:
    return lambda error: problem(status, kind, title, str(error)[:1].upper() + str(error)[1:] + ".", headers)


_HANDLERS: dict[type[Exception], Callable[[Any], Response]] = {
    RuleBroken: _rule_broken,
    errors.Invalid: _invalid,
    errors.Stale: _stale,
    errors.NotFound: _simple(404, "not-found", "There is no such thing"),
    errors.Unauthorized: _simple(401, "unauthorized", "A token is needed", {"WWW-Authenticate": "Bearer"}),
    errors.Forbidden: _simple(403, "forbidden", "The token is not for this"),
    errors.KeyConflict: _simple(422, "idempotency-key-reused", "The idempotency key was used for something else"),
    errors.Busy: _simple(409, "busy", "The match moves on too fast", {"Retry-After": "1"}),
    JournalUnavailable: _unavailable,
}


def _http(error: HTTPException) -> Response:
    kind = (error.name or "error").lower().replace(" ", "-")
    response = problem(error.code or 500, kind, error.name, error.description or error.name)
    for name, value in error.get_headers():
        if name.lower() == "allow":
            response.headers[name] = value
    return response


def _unexpected(_error: Exception) -> Response:
    _log.exception("unexpected error")
    return problem(500, "internal", "Something went wrong here", "The error was recorded; the match is as it was.")


def init(app: Flask) -> None:
    """Let every error leave the application as a problem."""
    for kind, handler in _HANDLERS.items():
        app.register_error_handler(kind, handler)
    app.register_error_handler(HTTPException, _http)
    app.register_error_handler(Exception, _unexpected)
