"""Problems: every kind of refusal that the API answers with, and how one is written (RFC 9457)."""

from dataclasses import dataclass

import orjson

PROBLEM = "application/problem+json"


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of problem."""

    # Its name at the end of `type`; /problems/NAME is its page.
    name: str
    # The HTTP status of the answer.
    status: int
    title: str
    # What it means and what to do about it.
    text: str


# By their names, in the order in which the contract names them.
KINDS: dict[str, Kind] = {}


def _kind(name: str, status: int, title: str, text: str) -> Kind:
    KINDS[name] = Kind(name, status, title, text)
    return KINDS[name]


MALFORMED = _kind(
    "malformed-json",
    400,
    "The body is not JSON",
    "The body must be one JSON object (RFC 8259) in UTF-8: no name twice in an object, no "
    "NaN, and nested no deeper than the server allows. Mend the body.",
)

BAD_REQUEST = _kind(
    "bad-request",
    400,
    "The request cannot be understood",
    "Mend the request as `detail` says.",
)

UNAUTHORIZED = _kind(
    "unauthorized",
    401,
    "A token is needed",
    "Send the token of a seat, of the owner or of a spectator of this match: `Authorization: "
    "Bearer gio_...`. A token that was replaced or revoked, or whose seat was left, no longer "
    "counts.",
)

FORBIDDEN = _kind(
    "forbidden",
    403,
    "The token is not for this",
    "The token is good, but its bearer may not do this: it is of another match, or of another "
    "role. Or this is for the server's operator alone, or for nobody here: `detail` says so.",
)

NOT_FOUND = _kind(
    "not-found",
    404,
    "There is no such thing",
    "Nothing is at this address, or nothing that the caller may know of: a private match "
    "shows itself only to its tokens.",
)

MATCH_DELETED = _kind(
    "match-deleted",
    410,
    "The match was deleted",
    "The operator of this server has deleted the public match, at the time that `deleted` "
    "tells. Nothing of it is kept, and its id is not used again.",
)

METHOD = _kind(
    "method-not-allowed",
    405,
    "Not with this method",
    "The header Allow names the methods that there are.",
)

NOT_ACCEPTABLE = _kind(
    "not-acceptable",
    406,
    "Not in this form",
    "The header Accept names no form that this answer has; see `detail`.",
)

ILLEGAL = _kind(
    "illegal-move",
    409,
    "The rules do not allow it",
    "`code` says which reason, for programs; `rule` and `rule_url` which rule; `detail` what "
    "would be legal. The match is as it was, at `version`; `legal_moves` is where to find "
    "what the seat may do.",
)

BUSY = _kind(
    "busy",
    409,
    "The match moves on too fast",
    "Others moved again and again while the request was decided. Send it again; with If-Match "
    "if it depends on the state.",
)

IN_PROGRESS = _kind(
    "request-in-progress",
    409,
    "The first request with this key is still being answered",
    "A request with the same Idempotency-Key is under way. Send it again after Retry-After to "
    "get its answer.",
)

MATCH_EXISTS = _kind(
    "match-exists",
    409,
    "There is another match of this id",
    "The record is right, but a match of its id is here already and differs from it. Nothing "
    "was stored.",
)

ANOTHER_LOG = _kind(
    "another-log",
    409,
    "The feed is that of another log",
    "Positions of the feed count in one log. This server has begun another log since you read, for "
    "example after a backup was restored. `log` names it. Start again at position 0 of that log.",
)

RULES_UNKNOWN = _kind(
    "rules-unknown",
    409,
    "The rules of the match are unknown",
    "Another release has opened the match, or its game is not installed. Its commits and its "
    "record can be read. It goes on when the operator runs a release that knows `rules`.",
)

STALE = _kind(
    "stale-version",
    412,
    "The match has moved on",
    "If-Match names a version that is no longer the last. `version` is the present one, "
    "`commits` is what has happened since (the first of it, as the caller may see it; "
    "`commits_url` has all). Decide anew.",
)

TOO_LARGE = _kind(
    "too-large",
    413,
    "The body is too large",
    "Send less: `detail` says how much is taken.",
)

MEDIA_TYPE = _kind(
    "unsupported-media-type",
    415,
    "The body is of another media type",
    "Bodies are sent with `Content-Type: application/json`, records as application/x-ndjson. "
    "Without the header a body is refused, and so is one with a Content-Encoding such as "
    "gzip. Accept-Post or Accept-Encoding names what is taken.",
)

INVALID = _kind(
    "invalid-request",
    422,
    "The request cannot be read",
    "`errors` names the wrong places, 20 at most; `more` says how many others there are. "
    "`pointer` is a JSON pointer (RFC 6901) into the body, `parameter` the name of a "
    "parameter of the query or of a header, of a long name only the beginning; `detail` says "
    "what would be right there.",
)

VERSION_NEEDED = _kind(
    "precondition-required",
    428,
    "The version is needed",
    "A seat with a key signs what it does, and the hash of the commit before with it (M18). Send "
    "If-Match with the ETag of the state that the request was thought up for.",
)

SIGNATURE = _kind(
    "signature-wrong",
    422,
    "The signature is not right",
    "The key of the seat signs what is done there (M18): send the Ed25519 signature of the UTF-8 "
    "text `to_sign` in Giornale-Signature, once you have seen that the text says what you mean. "
    "Without `to_sign` nothing is to be signed: leave the header out.",
)

KEY_REUSED = _kind(
    "idempotency-key-reused",
    422,
    "The idempotency key was used for something else",
    "The key came before with another body. A key stands for one request; send a new one.",
)

BAD_RECORD = _kind(
    "bad-record",
    422,
    "The record is not right",
    "`commit` is the first line that is wrong (0: the record as a whole), `code` says what is "
    "wrong with it. Nothing was stored. Only the whole record of an ended match, with all its "
    "secrets, is taken.",
)

RATE_LIMITED = _kind(
    "rate-limited",
    429,
    "Too many requests",
    "Wait for as many seconds as Retry-After says. RateLimit tells ahead. A token has a "
    "limit, and so has an address with all its tokens together; RateLimit-Policy says which "
    "of them is told.",
)

STREAMS = _kind(
    "too-many-streams",
    429,
    "Too many open streams",
    "Close a stream first, or follow by long poll: `?wait=`.",
)

INTERNAL = _kind(
    "internal",
    500,
    "Something went wrong here",
    "It was recorded under X-Request-Id. Try again.",
)

UNAVAILABLE = _kind(
    "journal-unavailable",
    503,
    "The journal cannot be reached, or takes no moves",
    "Nothing acknowledged is lost; `detail` says which it is. Try again after Retry-After, a "
    "move with its Idempotency-Key or If-Match.",
)

CROSS_SITE = _kind(
    "cross-site",
    403,
    "Not from a page of another site",
    "A browser sent this for a page of another origin (`Sec-Fetch-Site`), which may change "
    "nothing here. The operator can allow the origin: `GIORNALE_CORS_ORIGINS`.",
)

MISDIRECTED = _kind(
    "misdirected",
    421,
    "This server does not answer for this host",
    "The header Host names a host that is not served here. Ask for the right one; the "
    "operator says which there are: `GIORNALE_ALLOWED_HOSTS`.",
)

OVERLOADED = _kind(
    "overloaded",
    503,
    "Too much at once",
    "The service, or its bots, audits or log, have more at hand than they can do soon: `detail` "
    "says which. Nothing was done about this request. Send it again after Retry-After; a move "
    "with its Idempotency-Key or If-Match.",
)

SLOW_BODY = _kind(
    "slow-body",
    408,
    "The body came too slowly",
    "Nothing was done, and the connection is closed. Send the request again, on a new connection.",
)


def problem_bytes(prefix: str, kind: Kind, detail: str, **more: object) -> bytes:
    """Return a problem as it is sent; `more`: further members.

    prefix: the path under which the service is mounted.
    """
    members = {
        "type": f"{prefix}/problems/{kind.name}",
        "title": kind.title,
        "status": kind.status,
        "detail": detail,
        **more,
    }
    return orjson.dumps(members, option=orjson.OPT_SORT_KEYS)


def sentence(error: Exception) -> str:
    """Return an error's text as a sentence."""
    text = str(error)
    return text[:1].upper() + text[1:].removesuffix(".") + "."
