"""Error handlers: the one place that turns errors into problems (RFC 9457)."""

import logging
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import monotonic
from typing import Any

from flask import Flask, render_template, request
from werkzeug.exceptions import HTTPException

from domain.errors import RuleBroken, RulesUnknown
from domain.seats import SEAT_NUMBER
from service.api import links, problems
from service.api.http.context import config, state
from service.api.http.requests import BodyTooLarge, prefers_a_page
from service.api.http.responses import HTML, PLAIN_POLICY, Response, page_headers
from service.api.problems import PROBLEM, Kind, problem_bytes, sentence
from service.base import errors
from service.record.commit import MATCH_ID
from service.store.journal import errors as journal_errors
from service.store.tlog.entries import LogUnavailable

_log = logging.getLogger(__name__)

_SELDOM_SECONDS = 60.0

Handler = Callable[[Any], Response]


def install(app: Flask) -> None:
    """Let every error leave an application as a problem."""
    for error_class, handler in _HANDLERS.items():
        app.register_error_handler(error_class, handler)
    app.register_error_handler(HTTPException, _http_error)
    app.register_error_handler(Exception, _unexpected)


def problem_of(error: Exception) -> Response:
    """Return an error as the problem that it leaves an application as."""
    handlers = (_HANDLERS[cls] for cls in type(error).__mro__ if cls in _HANDLERS)
    return next(handlers, _unexpected)(error)


def problem(
    kind: Kind, detail: str, headers: dict[str, str] | None = None, **more: object
) -> Response:
    """Return a problem of a kind, to people as a page; `more`: further members."""
    if request.method in ("GET", "HEAD") and prefers_a_page():
        return _problem_page(kind, detail, headers or {})
    body = problem_bytes(config().path_prefix, kind, detail, **more)
    all_headers = {"Content-Type": PROBLEM, "Cache-Control": "no-store", **(headers or {})}
    return Response(body, kind.status, all_headers)


def _problem_page(kind: Kind, detail: str, headers: Mapping[str, str]) -> Response:
    """Return a problem as a page for people, with the way to the lobby."""
    page = render_template("refusal.html", kind=kind, detail=detail)
    all_headers = {"Content-Type": f"{HTML}; charset=utf-8", "Cache-Control": "no-store"}
    return Response(page, kind.status, {**all_headers, **page_headers(PLAIN_POLICY), **headers})


# ---- what the rules and the match refuse ---------------------------------------------------


def _illegal(error: errors.Illegal) -> Response:
    return problem(
        problems.ILLEGAL,
        error.detail,
        code=error.code,
        rule=error.rule,
        rule_url=links.rules(error.rules, error.rule),
        version=error.version,
        legal_moves=links.moves(_match_asked_for()),
    )


def _rule_broken(error: RuleBroken) -> Response:
    return problem(problems.ILLEGAL, error.detail, code=error.code, rule=error.rule)


def _stale(error: errors.Stale) -> Response:
    meant_for = f"version {error.expected}"
    if error.expected == error.version:
        meant_for = "another history of the match, which the journal no longer holds"
    detail = f"The match is at version {error.version}; the request was thought up for {meant_for}."
    known_up_to = min(error.expected, error.version)
    return problem(
        problems.STALE,
        detail,
        version=error.version,
        expected=error.expected,
        commits=list(error.since),
        commits_url=links.commits(_match_asked_for(), known_up_to),
    )


def _another_log(error: errors.AnotherLog) -> Response:
    return problem(problems.ANOTHER_LOG, sentence(error), log=error.log)


def _deleted(error: errors.MatchDeleted) -> Response:
    return problem(problems.MATCH_DELETED, sentence(error), deleted=error.at)


def _rules_unknown(error: RulesUnknown) -> Response:
    detail = f"{error.name} is unknown here. The match needs another release of the server."
    return problem(problems.RULES_UNKNOWN, detail, rules=error.name)


# ---- what is wrong with a request ----------------------------------------------------------


def _invalid(error: errors.Invalid) -> Response:
    places = [_place(place) for place in error.places]
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
    return problem(problems.MEDIA_TYPE, sentence(error), {error.header: error.taken})


def _place(place: errors.Mistake) -> dict[str, str]:
    """Return a wrong place as it is written; a parameter is named under its older name, too."""
    written = {"pointer": place.pointer, "detail": place.detail}
    if place.parameter:
        written["parameter"] = place.parameter
    return written


def _bad_record(error: errors.BadRecord) -> Response:
    return problem(problems.BAD_RECORD, sentence(error), commit=error.commit, code=error.code)


def _too_large(error: BodyTooLarge) -> Response:
    return problem(problems.TOO_LARGE, f"At most {error.most} bytes are taken.")


def _too_many(error: errors.TooMany) -> Response:
    kind = problems.STREAMS if error.kind == "streams" else problems.RATE_LIMITED
    return problem(kind, sentence(error), {"Retry-After": str(error.after)})


# ---- what the service cannot do now --------------------------------------------------------


def _overloaded(error: errors.Overloaded) -> Response:
    return problem(problems.OVERLOADED, sentence(error), {"Retry-After": str(error.after)})


def _archive_unavailable(error: journal_errors.ArchiveUnavailable) -> Response:
    # The reason names places of the server: it is for the operator alone.
    reason = {**_request_id(), "match": error.match, "reason": str(error)}
    _log.error("an archived match cannot be read", extra=reason)
    detail = (
        f"Match {error.match} lies in the archive, which cannot be read now. "
        "Its operator finds the reason in the log, or with: giornale archive verify"
    )
    return problem(problems.UNAVAILABLE, detail, {"Retry-After": "60"})


def _head_damaged(error: journal_errors.HeadDamaged) -> Response:
    _log.error("a match cannot be read", extra={**_request_id(), "match": error.match})
    detail = (
        f"Match {error.match} cannot be read: its head in the journal is damaged. "
        "Tell the operator; other matches are well."
    )
    return problem(problems.UNAVAILABLE, detail, {"Retry-After": "60"})


class _Seldom:
    """Lets one reason be logged once a minute, however many requests meet it."""

    def __init__(self) -> None:
        self._reason = ""
        self._next = 0.0

    def is_due(self, reason: str) -> bool:
        """Return whether a reason is to be logged: it is another one, or the minute is over."""
        now = monotonic()
        if reason == self._reason and now < self._next:
            return False
        self._reason, self._next = reason, now + _SELDOM_SECONDS
        return True


_log_troubles = _Seldom()


def _log_unavailable(error: LogUnavailable) -> Response:
    # As above; where it stands still, the scheduler says so and /readyz warns.
    if _log_troubles.is_due(str(error)):
        _log.error("the log cannot be read", extra={**_request_id(), "reason": str(error)})
    detail = "The log of all commits cannot be read now. Nothing is lost; try again."
    return problem(problems.UNAVAILABLE, detail, {"Retry-After": "1"})


def _file_left(error: journal_errors.FileLeft) -> Response:
    _log.error(
        "a file of the archive is left",
        extra={**_request_id(), "match": error.match, "reason": str(error)},
    )
    detail = (
        f"Match {error.match} is deleted, but its file could not be removed from the archive. "
        "Its operator removes it with: giornale archive verify --clean"
    )
    return problem(problems.UNAVAILABLE, detail)


def _unavailable(detail: str, after: int) -> Handler:
    """Return a handler for a journal that cannot do what is asked; after: seconds to wait."""

    def handle(_error: journal_errors.JournalUnavailable) -> Response:
        _log.error("journal unavailable", exc_info=True, extra=_request_id())
        return problem(problems.UNAVAILABLE, detail, {"Retry-After": str(after)})

    return handle


def _raced(_error: journal_errors.Conflict) -> Response:
    detail = "The match changed meanwhile; send the request again."
    return problem(problems.BUSY, detail, {"Retry-After": "1"})


def _unexpected(_error: Exception) -> Response:
    _log.exception("unexpected error", extra=_request_id())
    return problem(problems.INTERNAL, "The error was recorded; the match is as it was.")


# ---- errors of the framework ---------------------------------------------------------------


def _http_error(error: HTTPException) -> Response:
    """Answer an error of the framework in words of our own: its own may say how it is made."""
    match error.code or 500:
        case 404:
            return problem(problems.NOT_FOUND, nowhere(request.path))
        case 405:
            allow = {name: value for name, value in error.get_headers() if name == "Allow"}
            return problem(problems.METHOD, "This address does not take this method.", allow)
        case 400:
            detail = "It is not as HTTP or a form of its parts demands."
            return problem(problems.BAD_REQUEST, detail)
        case status if status >= 500:
            return problem(problems.INTERNAL, "Try again.")
        case _:
            return problem(problems.BAD_REQUEST, "It is of no form taken here.")


# ---- paths that lead nowhere ---------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _AlmostRight:
    """Paths that would lead somewhere if one part of them were right."""

    # The form of such paths; its group is the part in question.
    path: str
    # What that part must look like, as a pattern and in words.
    part: str
    rule: str


_ALMOST_RIGHT = (
    _AlmostRight(
        path=r"(?:/v1)?/matches/([^/]*)(?:/.*)?",
        part=MATCH_ID,
        rule=(
            "the id of a match has 26 characters, a to z and 2 to 7, "
            "such as aaaaaaaaaaaaaaaaaaaaaaaaaa"
        ),
    ),
    _AlmostRight(
        path=r"/v1/matches/[^/]*/(?:commits|audit)/([^/]*)",
        part="0|[1-9][0-9]{0,15}",
        rule="the number of a commit is a whole number from 1, without leading zeros",
    ),
    _AlmostRight(
        path=r"/v1/matches/[^/]*/(?:seats|players)/([^/]*)(?:/bot)?",
        part=SEAT_NUMBER,
        rule="the number of a seat is a whole number from 0 to 15",
    ),
)


def nowhere(path: str) -> str:
    """Return what is wrong with a path, as far as that can be said."""
    for almost in _ALMOST_RIGHT:
        found = re.fullmatch(almost.path, path)
        if found and not re.fullmatch(almost.part, found[1]):
            return f"Nothing is at this address: {almost.rule}."

    return (
        f"Nothing is at this address. The contract, {links.contract()} or {links.docs()} "
        "for people, names all that there are."
    )


# ---- the table -----------------------------------------------------------------------------


def _simple(kind: Kind, headers: dict[str, str] | None = None) -> Handler:
    """Return a handler that says nothing but the error's own sentence."""
    return lambda error: problem(kind, sentence(error), headers)


def _match_asked_for() -> str:
    match: str = (request.view_args or {}).get("match", "")
    return match or state().match


def _request_id() -> dict[str, str]:
    """Return the name under which the log knows the request."""
    return {"request_id": state().request_id}


_HANDLERS: dict[type[Exception], Handler] = {
    errors.Illegal: _illegal,
    RuleBroken: _rule_broken,
    RulesUnknown: _rules_unknown,
    errors.Invalid: _invalid,
    BodyTooLarge: _too_large,
    errors.Malformed: _simple(problems.MALFORMED),
    errors.UnsupportedMedia: _unsupported_media,
    errors.NotAcceptable: _simple(problems.NOT_ACCEPTABLE),
    errors.Stale: _stale,
    errors.NotFound: _simple(problems.NOT_FOUND),
    errors.MatchDeleted: _deleted,
    errors.Unauthorized: _simple(
        problems.UNAUTHORIZED, {"WWW-Authenticate": 'Bearer realm="giornale"'}
    ),
    errors.Forbidden: _simple(problems.FORBIDDEN),
    errors.VersionNeeded: _version_needed,
    errors.SignatureWrong: _signature_wrong,
    errors.KeyConflict: _simple(problems.KEY_REUSED),
    errors.AnotherLog: _another_log,
    errors.InProgress: _simple(problems.IN_PROGRESS, {"Retry-After": "1"}),
    errors.TooMany: _too_many,
    errors.Overloaded: _overloaded,
    errors.BadRecord: _bad_record,
    errors.AlreadyThere: _simple(problems.MATCH_EXISTS),
    errors.Busy: _simple(problems.BUSY, {"Retry-After": "1"}),
    errors.BodyTooSlow: _simple(problems.SLOW_BODY),
    LogUnavailable: _log_unavailable,
    journal_errors.FileLeft: _file_left,
    journal_errors.HeadDamaged: _head_damaged,
    journal_errors.ArchiveUnavailable: _archive_unavailable,
    journal_errors.JournalFull: _unavailable(
        "The journal is full: nothing can be added until its operator makes room. "
        "Everything can be read.",
        after=60,
    ),
    journal_errors.TooFewReplicas: _unavailable(
        "The journal takes no moves: too few of its replicas are there, or its disk is full. "
        "Nothing was done; everything can be read.",
        after=10,
    ),
    journal_errors.Unconfirmed: _unavailable(
        "It is done, but too few replicas of the journal have confirmed it in time, so it may "
        "or may not last. Send the request again with the same Idempotency-Key: "
        "it is done once, and acknowledged when they have it.",
        after=1,
    ),
    journal_errors.JournalUnavailable: _unavailable("Nothing is lost; try again.", after=1),
    journal_errors.Conflict: _raced,
}

REFUSALS = tuple(_HANDLERS)
"""All errors but those of the framework, and those that nobody expects."""
