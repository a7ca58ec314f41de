"""Texts of the contract: about the service, its groups of operations and its headers."""

from domain.json_types import Json

ABOUT = """\
An event-sourced game log service: every move an event, every match replayable and verifiable.

The answer to an opening has a secret token for each human's seat and one for the owner. Send one
as `Authorization: Bearer gio_...`. A request without a token has the view of the public. A program
that plays needs four operations: `openMatch`, `getState`, `getMoves`, `makeMove`. `streamMatch`
sends each new commit.

Every error is a problem (RFC 9457). Its `type` leads to a page about it. An operation lists its
own statuses. Its `default` stands for those of any operation. New fields, event types and problems
may come at any time: ignore unknown ones. The meaning of this contract does not change within
`/v1`. A removal is announced by `Deprecation` and `Sunset` (RFC 9745, RFC 8594).

Answers have `Giornale-Version` (the release of the service) and `X-Request-Id`. Answers to counted
requests have `RateLimit-Policy` and `RateLimit`, too. A refusal because the server is overloaded or
loading may lack these headers. `GET /v1` links to the parts of the API.

Moves, commands and events are three families of schemas. A *move* (`CalimalaMove`, such as
`CalimalaPlaceDiscMove`) is posted by a seat. It must be whole and has no `seat`, since the token
tells it. A *command* (`Calimala1Command`, such as `Calimala1PlaceDiscCommand`) is a move,
or a step of the house, as recorded in a commit: with the seat of a move, and without parts hidden
from the reader. An *event*
(`Calimala1Event`, such as `Calimala1DiscPlaced`) is a consequence of a command. Moves carry the
name of the game. Commands and events carry the version of the rules, because old matches keep
their shapes for ever. Every commit names its `game` and `rules`: read its command and its events
by them, since games use some types for different messages.

Lines (`application/x-ndjson`) and live events (`text/event-stream`) are strings to OpenAPI 3.1.
The schema of one line or one event is in `x-itemSchema`, the `itemSchema` of OpenAPI 3.2.

This document is served as `/openapi.json` and `/openapi.yaml`. Its parts are documents, too:
`/openapi/core.yaml` has the operations of a program that plays. Long answers to GET are compressed
with zstd, br or gzip if the request accepts it. `/client.py` is a client in one file that needs
only Python.
"""

ABOUT_CORE = """\
The operations of a program that plays any game: open a match, join and start it, read its state,
find the legal moves, make one, follow the stream, export the record.

The answer to an opening has a secret token for each human's seat and one for the owner. Send one
as `Authorization: Bearer gio_...`. A request without a token has the view of the public. Send a
legal move as it is listed, with the `ETag` of the list in `If-Match`.

States, moves and commits are objects of any game here. `/openapi/games/{game}.yaml` has the same
operations with the types of one game. `/openapi.yaml` is the whole contract, and `/docs` lists its
parts. Each document is served as `.yaml` and `.json`.
"""

ABOUT_THE_CORE_OF_A_GAME = """\
The operations of `/openapi/core.yaml` with the types of {title}. A move is posted whole and without
`seat`, since the token tells it. A command is a move as a commit records it. An event is a
consequence of a command. Every commit names its `rules`.
"""

LINES_TEXT = "One JSON object a line. `x-itemSchema` is the schema of a line."
EVENTS_TEXT = "Server-sent events (WHATWG HTML). `x-itemSchema` is the schema of an event."

ABOUT_TOKENS = "The token of a seat, owner, spectator or invitation."
ABOUT_THE_OPERATOR = (
    "The token of the server's operator, GIORNALE_OPERATOR_TOKEN. If none is set: 403."
)

TAGS = {
    "games": "The games, their options and their bots.",
    "matches": "Open a match, find matches, look at one.",
    "lobby": "Before and around the game: seats, start, stand-in bots, tokens, rematches.",
    "play": (
        "See the state, find the legal moves, make one, follow. "
        "Also take-backs, advice, lines, webhooks and tools for agents."
    ),
    "history": "The past: commits, states, stories, differences, verifiable records, audits.",
    "log": "All commits of this server in one order that never changes.",
    "players": "Players by their keys, with ratings and matches.",
    "service": "Links to the API's parts. For operators: liveness, readiness and metrics.",
}

HEADERS: dict[str, Json] = {
    "ETag": {
        "description": "For If-None-Match. Of a match also for If-Match: version, caller, hash.",
        "example": '"17;seat:0;5df6e0e2761359d3"',
    },
    "Link": {
        "description": "URL of the next page (RFC 8288), as in `next` of a JSON list.",
        "example": ('</v1/matches?cursor=1772388013000.aaaaaaaaaaaaaaaaaaaaaaaaaa>; rel="next"'),
    },
    "Location": {
        "description": "Address of the new resource.",
        "example": "/v1/matches/aaaaaaaaaaaaaaaaaaaaaaaaaa",
    },
    "Content-Disposition": {
        "description": "File name for the answer (RFC 6266).",
        "example": 'attachment; filename="aaaaaaaaaaaaaaaaaaaaaaaaaa.ndjson"',
    },
    "Giornale-Missing": {
        "description": "IDs of matches with unreadable records.",
        "example": "aaaaaaaaaaaaaaaaaaaaaaaaaa",
    },
    "Idempotent-Replayed": {
        "description": "`true` if this repeats the first answer to the key.",
        "example": "true",
    },
    "Preference-Applied": {
        "description": "The applied preference of the header Prefer (RFC 7240).",
        "example": "return=minimal",
    },
    "Retry-After": {"description": "Seconds to wait before a retry.", "example": "1"},
    "Vary": {
        "description": "Headers of the request that select the answer.",
        "example": "Authorization, Accept-Encoding",
    },
    "Cache-Control": {
        "description": "Permission to cache the answer, and for how long.",
        "example": "private, max-age=3600",
    },
    "WWW-Authenticate": {
        "description": "The way to authenticate (RFC 6750).",
        "example": 'Bearer realm="giornale"',
    },
    "Accept-Post": {
        "description": "The accepted media type of a body.",
        "example": "application/json",
    },
    "Accept-Encoding": {
        "description": "`identity`: no coding of a body is accepted (RFC 9110, 12.5.3).",
        "example": "identity",
    },
    "X-Request-Id": {
        "description": (
            "ID of the request in the server's log. As sent, if it was 1 to 64 of A-Z a-z 0-9 . _ -"
        ),
        "example": "7d7c97275f705562",
    },
    "RateLimit-Policy": {
        "description": "The name of the limit, its requests (`q`), and its seconds (`w`).",
        "example": '"caller";q=60000;w=60',
    },
    "RateLimit": {
        "description": "Requests left (`r`), and seconds until all are available again (`t`).",
        "example": '"caller";r=59999;t=42',
    },
}

# Headers of nearly all answers. ABOUT describes them, so the contract lists them only for status
# 429.
_EVERYWHERE = ("X-Request-Id", "RateLimit-Policy", "RateLimit")

# Headers of problems by status.
OF_STATUS = {
    401: ("WWW-Authenticate",),
    409: ("Retry-After",),
    415: ("Accept-Post", "Accept-Encoding"),
    429: ("Retry-After", *_EVERYWHERE),
    503: ("Retry-After",),
}
