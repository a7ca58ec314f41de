import logging
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException

from domain.errors import RuleBroken
from domain.seats import SEAT_NUMBER
from service import errors
from service.api import links
from service.api.http.rate_limits import visit_of
from service.api.http.responses import answer
from service.journal.errors import (
    ArchiveUnavailable,
    Conflict,
    FileLeft,
    JournalFull,
    JournalUnavailable,
    TooFewReplicas,
    Unconfirmed,
)
from service.ledger.commit import MATCH_ID

# §§§ service.api.problems
# Every kind of problem that the API answers with; `links.problem` says where its page is.


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind of problem (RFC 9457)."""

    # Its name at the end of `type`.
    name: str
    # The HTTP status of the answer.
    status: int
    title: str
    # What it means and what to do about it.
    text: str


MALFORMED = Kind(
    name="malformed-json",
    status=400,
    title="The body is not JSON",
    text=(
        "The body must be one JSON object (RFC 8259) in UTF-8: no name twice in an object, no "
        "NaN, no fractions, no lone surrogates, whole numbers of at most 53 bits, nested no "
        "deeper than the server allows. Mend the body."
    ),
)

BAD_REQUEST = Kind(
    name="bad-request",
    status=400,
    title="The request cannot be understood",
    text="Mend the request as `detail` says.",
)

UNAUTHORIZED = Kind(
    name="unauthorized",
    status=401,
    title="A token is needed",
    text=(
        "Send the token of a seat, of the owner or of a spectator of this match: `Authorization: "
        "Bearer gio_...`. A token that was replaced or revoked, or whose seat was left, no longer "
        "counts."
    ),
)

FORBIDDEN = Kind(
    name="forbidden",
    status=403,
    title="The token is not for this",
    text=(
        "The token is good, but its bearer may not do this: it is of another match, or of another "
        "role. Or this is for the server's operator alone, or for nobody here: `detail` says so."
    ),
)

CROSS_SITE = Kind(
    name="cross-site",
    status=403,
    title="Not from a page of another site",
    text=(
        "A browser sent this for a page of another origin (`Sec-Fetch-Site`), which may change "
        "nothing here. The operator can allow the origin: `GIORNALE_CORS_ORIGINS`."
    ),
)

NOT_FOUND = Kind(
    name="not-found",
    status=404,
    title="There is no such thing",
    text=(
        "Nothing is at this address, or nothing that the caller may know of: a private match "
        "shows itself only to its tokens."
    ),
)

MATCH_DELETED = Kind(
    name="match-deleted",
    status=410,
    title="The match was deleted",
    text=(
        "The operator of this server has deleted the public match, at the time that `deleted` "
        "tells. "
        "Nothing of it is kept, and its id is not used again."
    ),
)

METHOD = Kind(
    name="method-not-allowed",
    status=405,
    title="Not with this method",
    text="The header Allow names the methods that there are.",
)

NOT_ACCEPTABLE = Kind(
    name="not-acceptable",
    status=406,
    title="Not in this form",
    text="The header Accept names no form that this answer has; see `detail`.",
)

ILLEGAL = Kind(
    name="illegal-move",
    status=409,
    title="The rules do not allow it",
    text=(
        "`code` says which reason, for programs; `rule` and `rule_url` which rule; `detail` what "
        "would be legal. The match is as it was, at `version`; `legal_moves` is where to find "
        "what the seat may do."
    ),
)

BUSY = Kind(
    name="busy",
    status=409,
    title="The match moves on too fast",
    text=(
        "Others moved again and again while the request was decided. Send it again; with If-Match "
        "if it depends on the state."
    ),
)

IN_PROGRESS = Kind(
    name="request-in-progress",
    status=409,
    title="The first request with this key is still being answered",
    text=(
        "A request with the same Idempotency-Key is under way. Send it again after Retry-After to "
        "get its answer."
    ),
)

STALE = Kind(
    name="stale-version",
    status=412,
    title="The match has moved on",
    text=(
        "If-Match names a version that is no longer the last. `version` is the present one, "
        "`commits` is what has happened since (the first of it, as the caller may see it; "
        "`commits_url` has all). Decide anew."
    ),
)

TOO_LARGE = Kind(
    name="too-large",
    status=413,
    title="The body is too large",
    text="Send less: `detail` says how much is taken.",
)

MEDIA_TYPE = Kind(
    name="unsupported-media-type",
    status=415,
    title="The body is of another media type",
    text=(
        "Bodies are sent with `Content-Type: application/json`, records as application/x-ndjson. "
        "Without the header a body is refused, and so is one with a Content-Encoding such as gzip. "
        "Accept-Post or Accept-Encoding names what is taken."
    ),
)

INVALID = Kind(
    name="invalid-request",
    status=422,
    title="The request cannot be read",
    text=(
        "`errors` names the wrong places, 20 at most; `more` says how many others there are. "
        "`pointer` is a JSON pointer (RFC 6901) into the body, `parameter` the name of a parameter "
        "of the query or of a header, of a long name only the beginning; `detail` says what would "
        "be right there."
    ),
)

KEY_REUSED = Kind(
    name="idempotency-key-reused",
    status=422,
    title="The idempotency key was used for something else",
    text="The key came before with another body. A key stands for one request; send a new one.",
)

MISDIRECTED = Kind(
    name="misdirected",
    status=421,
    title="This server does not answer for this host",
    text=(
        "The header Host names a host that is not served here. Ask for the right one; the "
        "operator says which there are: `GIORNALE_ALLOWED_HOSTS`."
    ),
)

RATE_LIMITED = Kind(
    name="rate-limited",
    status=429,
    title="Too many requests",
    text=(
        "Wait for as many seconds as Retry-After says. RateLimit tells ahead. A token has a "
        "limit, and so has an address with all its tokens together; RateLimit-Policy says which "
        "of them is told."
    ),
)

STREAMS = Kind(
    name="too-many-streams",
    status=429,
    title="Too many open streams",
    text="Close a stream first, or follow by long poll: `?wait=`.",
)

BAD_RECORD = Kind(
    name="bad-record",
    status=422,
    title="The record is not right",
    text=(
        "`commit` is the first line that is wrong (0: the record as a whole), `code` says what is "
        "wrong with it. Nothing was stored. Only the whole record of an ended match, with all its "
        "secrets, is taken."
    ),
)

MATCH_EXISTS = Kind(
    name="match-exists",
    status=409,
    title="There is another match of this id",
    text=(
        "The record is right, but a match of its id is here already and differs from it. Nothing "
        "was stored."
    ),
)

INTERNAL = Kind(
    name="internal",
    status=500,
    title="Something went wrong here",
    text="It was recorded under X-Request-Id. Try again.",
)

UNAVAILABLE = Kind(
    name="journal-unavailable",
    status=503,
    title="The journal cannot be reached, or takes no moves",
    text=(
        "Nothing acknowledged is lost; `detail` says which it is. Try again after Retry-After, a "
        "move with its Idempotency-Key or If-Match."
    ),
)

OVERLOADED = Kind(
    name="overloaded",
    status=503,
    title="Too much at once",
    text=(
        "The service, or its bots or audits, have more at hand than they can do soon: `detail` "
        "says which. Nothing was done about this request. Send it again after Retry-After; a move "
        "with its Idempotency-Key or If-Match."
    ),
)

SLOW_BODY = Kind(
    name="slow-body",
    status=408,
    title="The body came too slowly",
    text=(
        "Nothing was done, and the connection is closed. Send the request again, on a new "
        "connection."
    ),
)


# In the order in which the contract names them.
_ALL = (
    MALFORMED,
    BAD_REQUEST,
    UNAUTHORIZED,
    FORBIDDEN,
    NOT_FOUND,
    MATCH_DELETED,
    METHOD,
    NOT_ACCEPTABLE,
    ILLEGAL,
    BUSY,
    IN_PROGRESS,
    MATCH_EXISTS,
    STALE,
    TOO_LARGE,
    MEDIA_TYPE,
    INVALID,
    KEY_REUSED,
    BAD_RECORD,
    RATE_LIMITED,
    STREAMS,
    INTERNAL,
    UNAVAILABLE,
    CROSS_SITE,
    MISDIRECTED,
    OVERLOADED,
    SLOW_BODY,
)
KINDS: dict[str, Kind] = {kind.name: kind for kind in _ALL}


# §§§ service.api.problems
# What to say about a path that leads nowhere: most often a part of it is not written right.


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
    """Return what is wrong with a path, as far as that can be told."""
    for almost in _ALMOST_RIGHT:
        found = re.fullmatch(almost.path, path)
        if found and not re.fullmatch(almost.part, found[1]):
            return f"Nothing is at this address: {almost.rule}."

    return (
        f"Nothing is at this address. The contract, {links.contract()} or {links.docs()} "
        "for people, names all that there are."
    )


# §§§ service.api.problems
# Errors as problems (RFC 9457): the one place that turns one into the other.


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
        ILLEGAL,
        error.detail,
        code=error.code,
        rule=error.rule,
        rule_url=links.rules(error.rules, error.rule),
        version=error.version,
        legal_moves=links.moves(_match_in_path()),
    )


def _rule_broken(error: RuleBroken) -> Response:
    return problem(ILLEGAL, error.detail, code=error.code, rule=error.rule)


def _stale(error: errors.Stale) -> Response:
    thought_up_for = f"version {error.expected}"
    if error.expected == error.version:
        thought_up_for = "another history of the match, which the journal no longer holds"
    detail = (
        f"The match is at version {error.version}; the request was thought up for {thought_up_for}."
    )
    told_up_to = min(error.expected, error.version)
    return problem(
        STALE,
        detail,
        version=error.version,
        expected=error.expected,
        commits=list(error.since),
        commits_url=links.commits(_match_in_path(), told_up_to),
    )


def _deleted(error: errors.MatchDeleted) -> Response:
    return problem(MATCH_DELETED, _sentence(error), deleted=error.at)


# ---- what is wrong with a request ----------------------------------------------------------


def _invalid(error: errors.Invalid) -> Response:
    places = [_place(place) for place in error.places]
    unnamed: dict[str, Any] = {"more": error.more} if error.more else {}
    return problem(INVALID, _sentence(error), errors=places, **unnamed)


def _unsupported_media(error: errors.UnsupportedMedia) -> Response:
    return problem(MEDIA_TYPE, _sentence(error), {error.header: error.taken})


def _place(place: errors.Place) -> dict[str, str]:
    """Return a wrong place as it is told; of a parameter its older name is told, too."""
    told = {"pointer": place.pointer, "detail": place.detail}
    if place.parameter:
        told["parameter"] = place.parameter
    return told


def _bad_record(error: errors.BadRecord) -> Response:
    return problem(BAD_RECORD, _sentence(error), commit=error.commit, code=error.code)


def _too_many(error: errors.TooMany) -> Response:
    kind = STREAMS if error.kind == "streams" else RATE_LIMITED
    return problem(kind, _sentence(error), {"Retry-After": str(error.after)})


# ---- what the service cannot do now --------------------------------------------------------


def _overloaded(error: errors.Overloaded) -> Response:
    return problem(OVERLOADED, _sentence(error), {"Retry-After": str(error.after)})


def _archive_unavailable(error: ArchiveUnavailable) -> Response:
    # The reason names places of the server: it is for the operator alone.
    reason = {**_request_id(), "match": error.match, "reason": str(error)}
    _log.error("an archived match cannot be read", extra=reason)
    detail = (
        f"Match {error.match} lies in the archive, which cannot be read now. "
        "Its operator finds the reason in the log, or with: giornale archive verify"
    )
    return problem(UNAVAILABLE, detail, {"Retry-After": "60"})


def _file_left(error: FileLeft) -> Response:
    _log.error(
        "a file of the archive is left",
        extra={**_request_id(), "match": error.match, "reason": str(error)},
    )
    detail = (
        f"Match {error.match} is deleted, but its file could not be removed from the archive. "
        "Its operator removes it with: giornale archive verify --clean"
    )
    return problem(UNAVAILABLE, detail)


def _unavailable(error: JournalUnavailable) -> Response:
    _log.error("journal unavailable", exc_info=True, extra=_request_id())
    if isinstance(error, JournalFull):
        detail = (
            "The journal is full: nothing can be added until its operator makes room. "
            "Everything can be read."
        )
        return problem(UNAVAILABLE, detail, {"Retry-After": "60"})
    if isinstance(error, TooFewReplicas):
        detail = (
            "The journal takes no moves: too few of its replicas are there, or its disk is full. "
            "Nothing was done; everything can be read."
        )
        return problem(UNAVAILABLE, detail, {"Retry-After": "10"})
    if isinstance(error, Unconfirmed):
        detail = (
            "It is done, but too few replicas of the journal have confirmed it in time, so it may "
            "or may not last. Send the request again with the same Idempotency-Key: "
            "it is done once, and acknowledged when they have it."
        )
        return problem(UNAVAILABLE, detail, {"Retry-After": "1"})
    return problem(UNAVAILABLE, "Nothing is lost; try again.", {"Retry-After": "1"})


def _raced(_error: Conflict) -> Response:
    detail = "The match changed meanwhile; send the request again."
    return problem(BUSY, detail, {"Retry-After": "1"})


def _unexpected(_error: Exception) -> Response:
    _log.exception("unexpected error", extra=_request_id())
    return problem(INTERNAL, "The error was recorded; the match is as it was.")


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
            return BAD_REQUEST, "It is not as HTTP or a form of its parts demands."
        case 404:
            return NOT_FOUND, "Nothing is at this address; the contract says what there is."
        case 405:
            return METHOD, "This address does not take this method."
        case 413:
            return TOO_LARGE, "Less is taken."
        case _ if status >= 500:
            return INTERNAL, "Try again."
        case _:
            return BAD_REQUEST, "It is of no form taken here."


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
    errors.Malformed: _simple(MALFORMED),
    errors.UnsupportedMedia: _unsupported_media,
    errors.NotAcceptable: _simple(NOT_ACCEPTABLE),
    errors.Stale: _stale,
    errors.NotFound: _simple(NOT_FOUND),
    errors.MatchDeleted: _deleted,
    errors.Unauthorized: _simple(UNAUTHORIZED, {"WWW-Authenticate": 'Bearer realm="giornale"'}),
    errors.Forbidden: _simple(FORBIDDEN),
    errors.KeyConflict: _simple(KEY_REUSED),
    errors.InProgress: _simple(IN_PROGRESS, {"Retry-After": "1"}),
    errors.TooMany: _too_many,
    errors.Overloaded: _overloaded,
    errors.BadRecord: _bad_record,
    errors.AlreadyThere: _simple(MATCH_EXISTS),
    errors.Busy: _simple(BUSY, {"Retry-After": "1"}),
    errors.BodyTooSlow: _simple(SLOW_BODY),
    FileLeft: _file_left,
    ArchiveUnavailable: _archive_unavailable,
    JournalUnavailable: _unavailable,
    Conflict: _raced,
}


# §§§ service.api.problems
