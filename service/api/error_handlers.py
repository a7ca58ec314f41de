"""Error handlers: turn the errors of routes into problem documents (RFC 9457)."""

import logging
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from time import monotonic
from typing import Any

from flask import Flask, current_app, render_template, request
from werkzeug.exceptions import HTTPException
from werkzeug.routing import BaseConverter, Map

from domain.errors import RuleBroken, RulesUnknown
from service.api import links, problems
from service.api.http.context import config, state
from service.api.http.requests import BodyTooLarge
from service.api.http.responses import HTML, JSON, PLAIN_POLICY, Response, page_headers
from service.api.problems import PROBLEM, Kind, problem_bytes, sentence
from service.base import answers, errors
from service.store.journal import errors as journal_errors
from service.store.tlog.entries import LogUnavailable

_log = logging.getLogger(__name__)

_SELDOM_SECONDS = 60.0

Handler = Callable[[Any], Response]


def install(app: Flask) -> None:
    """Register handlers for all errors of an application's routes."""
    for error_class, handler in _HANDLERS.items():
        app.register_error_handler(error_class, handler)
    app.register_error_handler(HTTPException, _http_error)
    app.register_error_handler(Exception, _unexpected)


def problem_of(error: Exception) -> Response:
    """Return the response of an error's handler."""
    handlers = (_HANDLERS[cls] for cls in type(error).__mro__ if cls in _HANDLERS)
    return next(handlers, _unexpected)(error)


def problem(
    kind: Kind, detail: str, headers: dict[str, str] | None = None, **more: object
) -> Response:
    """Return a problem document, or a page if the request prefers one (`_is_for_a_page`).

    more: further members of the document.
    """
    if _is_for_a_page():
        return _problem_page(kind, detail, headers or {})
    body = problem_bytes(config().path_prefix, kind, detail, **more)
    all_headers = {"Content-Type": PROBLEM, "Cache-Control": "no-store", **(headers or {})}
    return Response(body, kind.status, all_headers)


def _is_for_a_page() -> bool:
    """Return True for a GET or HEAD outside of the API that prefers HTML to JSON."""
    if request.method not in ("GET", "HEAD") or request.path.startswith("/v1/"):
        return False
    accepted = request.accept_mimetypes
    return accepted.quality(HTML) > accepted.quality(JSON)


def _problem_page(kind: Kind, detail: str, headers: Mapping[str, str]) -> Response:
    """Return a problem as a page for people, with a link to the lobby."""
    page = render_template("refusal.html", kind=kind, detail=detail)
    all_headers = {"Content-Type": f"{HTML}; charset=utf-8", "Cache-Control": "no-store"}
    return Response(page, kind.status, {**all_headers, **page_headers(PLAIN_POLICY), **headers})


# ---- refusals of the rules and the match ---------------------------------------------------


def _illegal(error: errors.Illegal) -> Response:
    # A command with a missing seat gets the same problem as a read, and a read breaks no rule.
    if (error.rules, error.code) == ("match", "no_such_seat"):
        return problem(problems.NO_SUCH_SEAT, error.detail)
    return problem(
        problems.ILLEGAL,
        error.detail,
        code=error.code,
        rule=error.rule,
        rule_url=links.rules(error.rules, error.rule),
        version=error.version,
        legal_moves=links.moves(_requested_match()),
    )


def _rule_broken(error: RuleBroken) -> Response:
    return problem(problems.ILLEGAL, error.detail, code=error.code, rule=error.rule)


def _not_revealed(error: errors.NotRevealed) -> Response:
    rule_url = links.rules("match", "M9")
    return problem(problems.NOT_REVEALED, sentence(error), rule="M9", rule_url=rule_url)


def _stale(error: errors.Stale) -> Response:
    meant_for = f"version {error.expected}"
    if error.expected == error.version:
        meant_for = "another course of the match, no longer in the journal"
    detail = f"The match is at version {error.version}. The request was meant for {meant_for}."
    known_up_to = min(error.expected, error.version)
    return problem(
        problems.STALE,
        detail,
        version=error.version,
        expected=error.expected,
        commits=list(error.since),
        commits_url=links.commits(_requested_match(), known_up_to),
    )


def _another_log(error: errors.AnotherLog) -> Response:
    return problem(problems.ANOTHER_LOG, sentence(error), log=error.log or None)


def _deleted(error: errors.MatchDeleted) -> Response:
    return problem(problems.MATCH_DELETED, sentence(error), deleted=error.at)


def _rules_unknown(error: RulesUnknown | errors.RecordRulesUnknown) -> Response:
    detail = f"{error.name} is unknown here. The match needs another release of the server."
    return problem(problems.RULES_UNKNOWN, detail, rules=error.name)


# ---- faults of a request -------------------------------------------------------------------


def _invalid(error: errors.Invalid) -> Response:
    places = [_written(place) for place in error.places]
    if error.more:
        return problem(problems.INVALID, sentence(error), errors=places, more=error.more)
    return problem(problems.INVALID, sentence(error), errors=places)


def _version_needed(error: errors.VersionNeeded) -> Response:
    return problem(problems.VERSION_NEEDED, sentence(error), code="precondition_required")


def _signature_wrong(error: errors.SignatureWrong) -> Response:
    more = {"code": "signature_wrong"}
    if error.to_sign:
        more["to_sign"] = error.to_sign
    return problem(problems.SIGNATURE, sentence(error), None, **more)


def _unsupported_media(error: errors.UnsupportedMedia) -> Response:
    return problem(problems.MEDIA_TYPE, sentence(error), {error.header: error.header_value})


def _written(place: errors.Mistake) -> answers.BodyMistake | answers.ParameterMistake:
    if place.parameter:
        return {"parameter": place.parameter, "detail": place.detail}
    return {"pointer": place.pointer, "detail": place.detail}


def _bad_record(error: errors.BadRecord) -> Response:
    return problem(problems.BAD_RECORD, sentence(error), commit=error.commit, code=error.code)


def _too_large(error: BodyTooLarge) -> Response:
    return problem(problems.TOO_LARGE, f"The body may have at most {error.most} bytes.")


def _too_many(error: errors.TooMany) -> Response:
    kind = problems.STREAMS if error.kind == "streams" else problems.RATE_LIMITED
    return problem(kind, sentence(error), {"Retry-After": str(error.after)})


# ---- faults of the service -----------------------------------------------------------------


def _overloaded(error: errors.Overloaded) -> Response:
    return problem(problems.OVERLOADED, sentence(error), {"Retry-After": str(error.after)})


def _archive_unavailable(error: journal_errors.ArchiveUnavailable) -> Response:
    # The reason may name files or addresses of the server, so it is only in the server's log.
    reason = {**_request_id(), "match": error.match, "reason": str(error)}
    _log.error("archived match could not be read", extra=reason)
    detail = (
        f"Match {error.match} is archived, and the archive cannot be read now. The server's "
        "operator finds the reason in the log, or with: giornale archive verify"
    )
    return problem(problems.UNAVAILABLE, detail, {"Retry-After": "60"})


def _head_damaged(error: journal_errors.HeadDamaged) -> Response:
    _log.error("match could not be read", extra={**_request_id(), "match": error.match})
    detail = (
        f"Match {error.match} cannot be read: its head in the journal is damaged. Tell the "
        "operator. Other matches are not affected."
    )
    return problem(problems.UNAVAILABLE, detail, {"Retry-After": "60"})


class _Seldom:
    """Limits log lines: the same reason in succession is logged at most once a minute."""

    def __init__(self) -> None:
        self._reason = ""
        self._next = 0.0

    def is_due(self, reason: str) -> bool:
        """Return True if a reason is not the last logged one, or a minute has passed since."""
        now = monotonic()
        if reason == self._reason and now < self._next:
            return False
        self._reason, self._next = reason, now + _SELDOM_SECONDS
        return True


_log_troubles = _Seldom()


def _log_unavailable(error: LogUnavailable) -> Response:
    # The reason is only in the server's log. If the log of all commits has stopped, the scheduler
    # logs that, too, and /readyz warns.
    if _log_troubles.is_due(str(error)):
        _log.error("log could not be read", extra={**_request_id(), "reason": str(error)})
    detail = "The log of all commits cannot be read now. Nothing is lost. Try again."
    return problem(problems.UNAVAILABLE, detail, {"Retry-After": "1"})


def _file_left(error: journal_errors.FileLeft) -> Response:
    _log.error(
        "archive file could not be removed",
        extra={**_request_id(), "match": error.match, "reason": str(error)},
    )
    detail = (
        f"Match {error.match} is deleted, but its archive file could not be removed. The "
        "server's operator removes it with: giornale archive verify --clean"
    )
    return problem(problems.UNAVAILABLE, detail)


def _unavailable(detail: str, after: int) -> Handler:
    """Return a handler for errors of the journal. after: seconds, for the header Retry-After."""

    def handle(_error: journal_errors.JournalUnavailable) -> Response:
        _log.error("journal unavailable", exc_info=True, extra=_request_id())
        return problem(problems.UNAVAILABLE, detail, {"Retry-After": str(after)})

    return handle


def _raced(_error: journal_errors.Conflict) -> Response:
    detail = "Another commit changed the match first. Send the request again."
    return problem(problems.BUSY, detail, {"Retry-After": "1"})


def _unexpected(_error: Exception) -> Response:
    _log.exception("unexpected error", extra=_request_id())
    return problem(problems.INTERNAL, "The error was logged. The match is unchanged.")


# ---- errors of the framework ---------------------------------------------------------------


def _http_error(error: HTTPException) -> Response:
    """Answer an error of Flask or Werkzeug without its own text: that may name internal parts."""
    match error.code or 500:
        case 404:
            return problem(problems.NOT_FOUND, nowhere(request.path))
        case 405:
            allow = {name: value for name, value in error.get_headers() if name == "Allow"}
            return problem(problems.METHOD, "This address does not support this method.", allow)
        case 400:
            return problem(problems.BAD_REQUEST, "The request is not valid HTTP.")
        case status if status >= 500:
            return problem(problems.INTERNAL, "Try again.")
        case _:
            return problem(problems.BAD_REQUEST, "The request is not valid.")


# ---- paths that lead nowhere ---------------------------------------------------------------


_PARAMETER = re.compile(r"<(?:(\w+):)?\w+>")


def nowhere(path: str) -> str:
    """Return a sentence about a path without a route.

    If a route would match but for the form of a part, the sentence gives the right form.
    """
    for pattern, converters in _paths(current_app.url_map):
        match = pattern.fullmatch(path)
        parts = zip(converters, match.groups(), strict=True) if match else ()
        for converter, part in parts:
            form = getattr(converter, "form", "")
            if form and not re.fullmatch(converter.regex, part):
                return f"Nothing is at this address: {form}."

    return (
        f"Nothing is at this address. The contract lists all addresses: {links.contract()}, or "
        f"{links.docs()} for people."
    )


@lru_cache(maxsize=1)
def _paths(url_map: Map) -> list[tuple[re.Pattern[str], list[type[BaseConverter]]]]:
    """Return each route's pattern and converters. Variables match any text without a slash."""
    paths = []
    for rule in url_map.iter_rules():
        texts = _PARAMETER.split(rule.rule)
        pattern = "([^/]*)".join(map(re.escape, texts[::2]))
        converters = [url_map.converters[name or "default"] for name in texts[1::2]]
        paths.append((re.compile(pattern), converters))
    return paths


# ---- the table -----------------------------------------------------------------------------


def _simple(kind: Kind, headers: dict[str, str] | None = None) -> Handler:
    """Return a handler with the text of the error as `detail`, and without further members."""
    return lambda error: problem(kind, sentence(error), headers)


def _requested_match() -> str:
    match: str = (request.view_args or {}).get("match", "")
    return match or state().match


def _request_id() -> dict[str, str]:
    """Return the ID of the request, as a field of a log line."""
    return {"request_id": state().request_id}


_HANDLERS: dict[type[Exception], Handler] = {
    errors.Illegal: _illegal,
    RuleBroken: _rule_broken,
    RulesUnknown: _rules_unknown,
    errors.Invalid: _invalid,
    BodyTooLarge: _too_large,
    errors.Malformed: _simple(problems.MALFORMED),
    errors.UnsupportedMedia: _unsupported_media,
    errors.Stale: _stale,
    errors.NotFound: _simple(problems.NOT_FOUND),
    errors.MatchDeleted: _deleted,
    errors.Unauthorized: _simple(
        problems.UNAUTHORIZED, {"WWW-Authenticate": 'Bearer realm="giornale"'}
    ),
    errors.NoSuchSeat: _simple(problems.NO_SUCH_SEAT),
    errors.NotRevealed: _not_revealed,
    errors.Forbidden: _simple(problems.FORBIDDEN),
    errors.FeatureOff: _simple(problems.FEATURE_OFF),
    errors.VersionNeeded: _version_needed,
    errors.SignatureWrong: _signature_wrong,
    errors.KeyConflict: _simple(problems.KEY_REUSED),
    errors.AnotherLog: _another_log,
    errors.InProgress: _simple(problems.IN_PROGRESS, {"Retry-After": "1"}),
    errors.TooMany: _too_many,
    errors.Overloaded: _overloaded,
    errors.BadRecord: _bad_record,
    errors.RecordRulesUnknown: _rules_unknown,
    errors.AlreadyThere: _simple(problems.MATCH_EXISTS),
    errors.Busy: _simple(problems.BUSY, {"Retry-After": "1"}),
    errors.BodyTooSlow: _simple(problems.SLOW_BODY),
    LogUnavailable: _log_unavailable,
    journal_errors.FileLeft: _file_left,
    journal_errors.HeadDamaged: _head_damaged,
    journal_errors.ArchiveUnavailable: _archive_unavailable,
    journal_errors.JournalFull: _unavailable(
        "The journal is full. Nothing can be added until its operator makes room. Everything "
        "can be read.",
        after=60,
    ),
    journal_errors.TooFewReplicas: _unavailable(
        "The journal takes no moves: too few replicas are connected, or its disk is full. "
        "Nothing was done. Everything can be read.",
        after=10,
    ),
    journal_errors.Unconfirmed: _unavailable(
        "It is done, but the journal's servers did not confirm it in time. It may be "
        "lost. Send the request again with the same Idempotency-Key. It is done only once, and "
        "acknowledged once they confirm it.",
        after=1,
    ),
    journal_errors.JournalUnavailable: _unavailable("Nothing is lost. Try again.", after=1),
    journal_errors.Conflict: _raced,
}

REFUSALS = tuple(_HANDLERS)
"""The classes of errors with a handler of their own, without those of Flask and Werkzeug."""
