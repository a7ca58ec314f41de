"""Every kind of problem that the API answers with; `links.problem` says where its page is."""

from dataclasses import dataclass


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
