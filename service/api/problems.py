"""Problems: all kinds of refusals of the API, and their form (RFC 9457)."""

from dataclasses import dataclass

import orjson

PROBLEM = "application/problem+json"


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of problem."""

    # The end of the problem's `type`. The type is /problems/NAME, the address of the page about it.
    name: str
    # The HTTP status of the answer.
    status: int
    title: str
    # The meaning of the problem, and the way out.
    text: str


# All kinds by name, in the order of the contract.
KINDS: dict[str, Kind] = {}


def _kind(name: str, status: int, title: str, text: str) -> Kind:
    KINDS[name] = Kind(name, status, title, text)
    return KINDS[name]


MALFORMED = _kind(
    "malformed-json",
    400,
    "The body is not JSON",
    "The body must be one JSON object (RFC 8259) in UTF-8. Names in an object must be unique. "
    "NaN is not allowed, and the server limits the depth. Correct the body.",
)

BAD_REQUEST = _kind(
    "bad-request",
    400,
    "The request is malformed",
    "Correct the request as `detail` says.",
)

UNAUTHORIZED = _kind(
    "unauthorized",
    401,
    "A token is needed",
    "Send the token of a seat, of the owner or of a spectator of this match: `Authorization: "
    "Bearer gio_...`. A token stops working once it is replaced or revoked, or its seat is "
    "left.",
)

FORBIDDEN = _kind(
    "forbidden",
    403,
    "The token does not allow this",
    "The token is valid, but its bearer may not do this. It belongs to another match or role, "
    "or only the operator of the server may do this. `detail` gives the reason.",
)

FEATURE_OFF = _kind(
    "feature-off",
    403,
    "The feature is off on this server",
    "The operator of this server has not switched it on. No token changes that. `detail` names "
    "the feature and a way without it.",
)

NOT_FOUND = _kind(
    "not-found",
    404,
    "Not found",
    "Nothing is at this address, or the caller may not know of it. A private match is found only "
    "with its tokens.",
)

NO_SUCH_SEAT = _kind(
    "no-such-seat",
    404,
    "The match has no such seat",
    "Seats are numbered from 0. `detail` names the seats of the match.",
)

MATCH_DELETED = _kind(
    "match-deleted",
    410,
    "The match was deleted",
    "The operator of this server deleted the public match at the time in `deleted`. Only the "
    "entries of its commits in the log are still stored. Its ID is not used again.",
)

METHOD = _kind(
    "method-not-allowed",
    405,
    "Method not allowed",
    "The header Allow lists the methods of this address.",
)

ILLEGAL = _kind(
    "illegal-move",
    409,
    "The rules do not allow it",
    "`code` gives programs the reason. `rule` and `rule_url` name the rule, and `detail` names "
    "legal choices. The match is unchanged, at `version`. Find the legal moves of the seat at "
    "`legal_moves`.",
)

NOT_REVEALED = _kind(
    "not-revealed",
    409,
    "The match is not revealed yet",
    "The answer would reveal secrets of the match. Read it again after the last commit. "
    "The match has then ended, and its secrets are revealed. `rule` is the number of the rule.",
)

BUSY = _kind(
    "busy",
    409,
    "The match changes too fast",
    "Other commits overtook the request again and again. Send it again, with If-Match if it "
    "depends on the state.",
)

IN_PROGRESS = _kind(
    "request-in-progress",
    409,
    "The first request with this key is not answered yet",
    "A request with the same Idempotency-Key is in progress. Send it again after Retry-After to "
    "get its answer.",
)

MATCH_EXISTS = _kind(
    "match-exists",
    409,
    "Another match has this ID",
    "The record is valid, but a different match already has its ID. Nothing was stored.",
)

ANOTHER_LOG = _kind(
    "another-log",
    409,
    "The position belongs to another log",
    "Positions of the feed count in one log. This server has begun another log since you read, "
    "such as after a restored backup. `log` is its ID, null before its first entry. "
    "Start again at position 0 of that log.",
)

RULES_UNKNOWN = _kind(
    "rules-unknown",
    409,
    "The rules of the match are unknown",
    "Another release opened the match, or its game is not installed. Its commits and its record "
    "can be read. It goes on once the operator runs a release that knows `rules`.",
)

STALE = _kind(
    "stale-version",
    412,
    "The match has moved on",
    "The version in If-Match is no longer the last. `version` is the present one. `commits` are "
    "the first commits since the expected version, as the caller may see them. "
    "`commits_url` has all. Decide again.",
)

TOO_LARGE = _kind(
    "too-large",
    413,
    "The body is too large",
    "Send less. `detail` names the limit.",
)

MEDIA_TYPE = _kind(
    "unsupported-media-type",
    415,
    "The media type is not supported",
    "Send bodies with `Content-Type: application/json`, and records with application/x-ndjson. "
    "A body without the header is refused. So is one with a Content-Encoding such as gzip. "
    "Accept-Post or Accept-Encoding lists the accepted values.",
)

INVALID = _kind(
    "invalid-request",
    422,
    "The request is not valid",
    "`errors` lists the mistakes, 20 at most. `more` is the number of all others. Each mistake "
    "has either `pointer` or `parameter`. `pointer` is a JSON pointer (RFC 6901) into the body. "
    "`parameter` is the name of a query parameter or header. Long names are cut. "
    "`detail` names the correct form.",
)

VERSION_NEEDED = _kind(
    "precondition-required",
    428,
    "A version is needed",
    "A seat with a key signs its command and the hash of the commit before (M18). "
    "Send If-Match with the ETag of the state on which you decided.",
)

SIGNATURE = _kind(
    "signature-wrong",
    422,
    "The signature is not valid",
    "The key of the seat signs its commands (M18). Check that the text `to_sign` says what you "
    "mean. Then send its Ed25519 signature, over the UTF-8 bytes, in Giornale-Signature. "
    "Without `to_sign` no signature is expected: leave the header out.",
)

KEY_REUSED = _kind(
    "idempotency-key-reused",
    422,
    "The idempotency key was used for another request",
    "The key came before with another body. Use a new key for each request.",
)

BAD_RECORD = _kind(
    "bad-record",
    422,
    "The record is not valid",
    "`commit` is the first wrong line, 0 for the record as a whole. `code` is the reason. "
    "Nothing was stored. Only the whole record of an ended match, with all its secrets, can be "
    "imported.",
)

RATE_LIMITED = _kind(
    "rate-limited",
    429,
    "Too many requests",
    "Wait for the number of seconds in Retry-After. RateLimit shows the limit in advance. A "
    "token has a limit, and so has an address with all its tokens together. RateLimit-Policy "
    "names the limit that is shown.",
)

STREAMS = _kind(
    "too-many-streams",
    429,
    "Too many open streams",
    "Close a stream first, or use a long poll: `?wait=`.",
)

INTERNAL = _kind(
    "internal",
    500,
    "The server failed",
    "The error was logged under X-Request-Id. Try again.",
)

UNAVAILABLE = _kind(
    "journal-unavailable",
    503,
    "The journal cannot be reached, or takes no moves",
    "Nothing acknowledged is lost. `detail` gives the reason. Try again after Retry-After, a "
    "move with its Idempotency-Key or If-Match.",
)

CROSS_SITE = _kind(
    "cross-site",
    403,
    "A page of another site sent the request",
    "The request came from a page of another origin (`Sec-Fetch-Site`). Such a page may "
    "change nothing here. The operator can allow the origin: `GIORNALE_CORS_ORIGINS`.",
)

MISDIRECTED = _kind(
    "misdirected",
    421,
    "This server does not serve this host",
    "The header Host names another host. Use a host of this server. The operator lists them in "
    "`GIORNALE_ALLOWED_HOSTS`.",
)

OVERLOADED = _kind(
    "overloaded",
    503,
    "The server is overloaded",
    "The service, its bots, audits or log have more work than they can do soon. "
    "`detail` names the bottleneck. Nothing was done about this request. Send it again after "
    "Retry-After, a move with its Idempotency-Key or If-Match.",
)

SLOW_BODY = _kind(
    "slow-body",
    408,
    "The body came too slowly",
    "Nothing was done, and the connection is closed. Send the request again, on a new connection.",
)


def problem_bytes(prefix: str, kind: Kind, detail: str, **more: object) -> bytes:
    """Return the bytes of a problem. `more`: further members.

    prefix: the mount path of the service.
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
