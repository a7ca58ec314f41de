"""Every kind of problem that the door answers with; `service.api.links.problem` says where its page is."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of problem: its name in `type`, its status, its title, what it means and what to do about it."""

    name: str
    status: int
    title: str
    text: str


MALFORMED = Kind(
    "malformed-json", 400, "The body is not JSON",
    "The body must be one JSON object (RFC 8259) in UTF-8: no name twice in an object, no NaN, no fractions, no lone "
    "surrogates, whole numbers of at most 53 bits, nested no deeper than the server allows. Mend the body.",
)  # fmt: skip
BAD_REQUEST = Kind(
    "bad-request", 400, "The request cannot be understood", "Mend the request as `detail` says."
)
UNAUTHORIZED = Kind(
    "unauthorized", 401, "A token is needed",
    "Send the token of a seat, of the owner or of a spectator of this match: `Authorization: Bearer gio_...`. A token "
    "that was replaced or revoked, or whose seat was left, no longer counts.",
)  # fmt: skip
FORBIDDEN = Kind(
    "forbidden", 403, "The token is not for this",
    "The token is good, but its bearer may not do this: it is of another match, or of another role. Or this is for the "
    "server's operator alone, or for nobody here: `detail` says so.",
)  # fmt: skip
CROSS_SITE = Kind(
    "cross-site", 403, "Not from a page of another site",
    "A browser sent this for a page of another origin (`Sec-Fetch-Site`), which may change nothing here. The operator "
    "can allow the origin: `GIORNALE_CORS_ORIGINS`.",
)  # fmt: skip
NOT_FOUND = Kind(
    "not-found", 404, "There is no such thing",
    "Nothing is at this address, or nothing that the caller may know of: a private match shows itself only to its "
    "tokens.",
)  # fmt: skip
MATCH_DELETED = Kind(
    "match-deleted", 410, "The match was deleted",
    "The operator of this server has deleted the match, at the time that `deleted` tells. Nothing of it is kept, and "
    "its id is not used again.",
)  # fmt: skip
METHOD = Kind(
    "method-not-allowed",
    405,
    "Not with this method",
    "The header Allow names the methods that there are.",
)
NOT_ACCEPTABLE = Kind(
    "not-acceptable",
    406,
    "Not in this form",
    "The header Accept names no form that this answer has; see `detail`.",
)
ILLEGAL = Kind(
    "illegal-move", 409, "The rules do not allow it",
    "`code` says which reason, for programs; `rule` and `rule_url` which rule; `detail` what would be legal. The match "
    "is as it was, at `version`; `legal_moves` is where to find what the seat may do.",
)  # fmt: skip
BUSY = Kind(
    "busy", 409, "The match moves on too fast",
    "Others moved again and again while the request was decided. Send it again; with If-Match if it depends on the "
    "state.",
)  # fmt: skip
IN_PROGRESS = Kind(
    "request-in-progress", 409, "The first request with this key is still being answered",
    "A request with the same Idempotency-Key is under way. Send it again after Retry-After to get its answer.",
)  # fmt: skip
STALE = Kind(
    "stale-version", 412, "The match has moved on",
    "If-Match names a version that is no longer the last. `version` is the present one, `commits` is what has happened "
    "since (the first of it, as the caller may see it; `commits_url` has all). Decide anew.",
)  # fmt: skip
TOO_LARGE = Kind(
    "too-large", 413, "The body is too large", "Send less: `detail` says how much is taken."
)
MEDIA_TYPE = Kind(
    "unsupported-media-type",
    415,
    "The body is of another media type",
    "Bodies are sent with `Content-Type: application/json`, records as application/x-ndjson. Without the header a body "
    "is refused.",
)
INVALID = Kind(
    "invalid-request", 422, "The request cannot be read",
    "`errors` names the wrong places, 20 at most; `more` says how many others there are. `pointer` is a JSON pointer "
    "(RFC 6901) into the body, or `?name` for a query parameter, or the name of a header, of a long name only the "
    "beginning; `detail` says what would be right there.",
)  # fmt: skip
KEY_REUSED = Kind(
    "idempotency-key-reused", 422, "The idempotency key was used for something else",
    "The key came before with another body. A key stands for one request; send a new one.",
)  # fmt: skip
MISDIRECTED = Kind(
    "misdirected", 421, "This server does not answer for this host",
    "The header Host names a host that is not served here. Ask for the right one; the operator says which there are: "
    "`GIORNALE_ALLOWED_HOSTS`.",
)  # fmt: skip
RATE_LIMITED = Kind(
    "rate-limited",
    429,
    "Too many requests",
    "Wait for as many seconds as Retry-After says. RateLimit tells ahead. A token has a limit, and so has an address "
    "with all its tokens together; RateLimit-Policy says which of them is told.",
)
STREAMS = Kind(
    "too-many-streams",
    429,
    "Too many open streams",
    "Close a stream first, or follow by long poll: `?wait=`.",
)
BAD_RECORD = Kind(
    "bad-record", 422, "The record is not right",
    "`commit` is the first line that is wrong (0: the record as a whole), `code` says what is wrong with it. Nothing "
    "was stored. Only the whole record of an ended match, with all its secrets, is taken.",
)  # fmt: skip
MATCH_EXISTS = Kind(
    "match-exists", 409, "There is another match of this id",
    "The record is right, but a match of its id is here already and differs from it. Nothing was stored.",
)  # fmt: skip
INTERNAL = Kind(
    "internal", 500, "Something went wrong here", "It was recorded under X-Request-Id. Try again."
)
UNAVAILABLE = Kind(
    "journal-unavailable", 503, "The journal cannot be reached, or is full",
    "Nothing is lost; `detail` says which it is. Try again after Retry-After, a move with its Idempotency-Key or "
    "If-Match.",
)  # fmt: skip

OVERLOADED = Kind(
    "overloaded", 503, "Too much at once",
    "The service, or its bots or audits, have more at hand than they can do soon: `detail` says which. Nothing was "
    "done about this request. Send it again after Retry-After; a move with its Idempotency-Key or If-Match.",
)  # fmt: skip
SLOW_BODY = Kind(
    "slow-body", 408, "The body came too slowly",
    "Nothing was done, and the connection is closed. Send the request again, on a new connection.",
)  # fmt: skip

KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        *(
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
        ),
        *(
            IN_PROGRESS,
            MATCH_EXISTS,
            STALE,
            TOO_LARGE,
            MEDIA_TYPE,
            INVALID,
            KEY_REUSED,
            BAD_RECORD,
            RATE_LIMITED,
        ),
        *(STREAMS, INTERNAL, UNAVAILABLE, CROSS_SITE, MISDIRECTED, OVERLOADED, SLOW_BODY),
    )
}
