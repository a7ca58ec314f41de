"""What the contract says in words: what the service is, its groups of operations, its headers."""

from domain.json_types import Json

ABOUT = """\
An event-sourced game log service: every move an event, every match replayable and verifiable.

Who opens a match gets a secret token for each human's seat and one for its owner; send one as
`Authorization: Bearer gio_...`. A request without a token sees what is public. A program that
plays needs four operations: `openMatch`, `getState`, `getMoves`, `makeMove`; `GET .../stream`
sends what happens.

Every error is a problem (RFC 9457) whose `type` leads to a page about it. New fields, event types
and problems may come at any time: pass over what you do not know. What is here does not change
its meaning within `/v1`; what will go is announced by `Deprecation` and `Sunset` (RFC 9745, RFC
8594).

Every answer has `X-Request-Id`; every answer but those of probes and metrics has
`RateLimit-Policy` and `RateLimit`, too.

Moves, commands and events are three families of schemas. A *move* (`CalimalaMove`, such as
`CalimalaPlaceDiscMove`) is what a seat posts: its token says whose move it is, so it has no
`seat`, and it must be whole. A *command* (`Calimala1Command`, such as
`Calimala1PlaceDiscCommand`) is a move as it was recorded in a commit: with its seat, and without
what the reader may not see. An *event* (`Calimala1Event`, such as `Calimala1DiscPlaced`) is what
a command caused. Moves carry the name of the game; commands and events carry the version of the
rules, because old matches keep their shapes for ever. Every commit names its `game` and `rules`:
read its command and its events by them, since games use some types for different messages.

Lines (`application/x-ndjson`) and live events (`text/event-stream`) are strings to OpenAPI 3.1;
what one line or one event holds stands in `x-itemSchema`, which is `itemSchema` of OpenAPI 3.2.

This document is served as `/openapi.json` and `/openapi.yaml`; `/openapi.min.json` is the same
without examples and descriptions. Long answers are compressed with gzip for those who accept it.
`/client.py` is a client in one file, which needs Python alone.
"""

LINES_TEXT = "One JSON object a line; `x-itemSchema` says what a line holds."
EVENTS_TEXT = "Server-sent events (WHATWG HTML); `x-itemSchema` says what an event holds."

ABOUT_TOKENS = "The token of a seat, owner or spectator."
ABOUT_THE_OPERATOR = (
    "The token of the server's operator, GIORNALE_OPERATOR_TOKEN; where none is set: 403."
)

TAGS = {
    "games": "What can be played: the games, their options, their bots.",
    "matches": "Open a match, find matches, look at one.",
    "lobby": "Before and around the game: seats, the start, bots that stand in, tokens.",
    "play": (
        "The four operations of a player: see the state, find the legal moves, make one, follow."
    ),
    "history": "The past: commits, differences, records that anybody can verify, audits.",
    "log": "All commits of the house in one order that never changes.",
    "players": "Who plays under which key, and how well.",
    "service": "For those who run the service: is it alive, is it ready, how does it fare.",
}

HEADERS: dict[str, Json] = {
    "ETag": {
        "description": "Version, perspective and hash, for If-None-Match and If-Match.",
        "example": '"17;seat:0;5df6e0e2761359d3"',
    },
    "Link": {
        "description": "Where to go on (RFC 8288): first, prev, next.",
        "example": (
            '</v1/matches?limit=50&cursor=1772388013000.aaaaaaaaaaaaaaaaaaaaaaaaaa>; rel="next"'
        ),
    },
    "Location": {
        "description": "Where the new thing is.",
        "example": "/v1/matches/aaaaaaaaaaaaaaaaaaaaaaaaaa",
    },
    "Content-Disposition": {
        "description": "Under what name to keep the answer (RFC 6266).",
        "example": 'attachment; filename="aaaaaaaaaaaaaaaaaaaaaaaaaa.ndjson"',
    },
    "Giornale-Missing": {
        "description": "The ids of matches whose records cannot be read.",
        "example": "aaaaaaaaaaaaaaaaaaaaaaaaaa",
    },
    "Idempotent-Replayed": {
        "description": "`true`: this is the first answer to this key again.",
        "example": "true",
    },
    "Retry-After": {"description": "After how many seconds to come back.", "example": "1"},
    "Vary": {
        "description": "Which headers of the request decide what is answered.",
        "example": "Authorization, Accept-Encoding",
    },
    "Cache-Control": {
        "description": "Who may keep the answer and for how long.",
        "example": "private, max-age=3600",
    },
    "WWW-Authenticate": {
        "description": "How to show who one is (RFC 6750).",
        "example": 'Bearer realm="giornale"',
    },
    "Accept-Post": {
        "description": "The media type that is taken.",
        "example": "application/json",
    },
    "Accept-Encoding": {
        "description": "The coding that is taken: none (RFC 9110, 12.5.3).",
        "example": "identity",
    },
    "X-Request-Id": {
        "description": (
            "By what name the log knows the request; "
            "as sent, if it was 1 to 64 of A-Z a-z 0-9 . _ -"
        ),
        "example": "7d7c97275f705562",
    },
    "RateLimit-Policy": {
        "description": "How many requests in how many seconds.",
        "example": '"caller";q=60000;w=60',
    },
    "RateLimit": {
        "description": "How many requests are left, and in how many seconds all are again.",
        "example": '"caller";r=59999;t=42',
    },
}

# Headers of every answer: in ABOUT, and where they matter.
_EVERYWHERE = ("X-Request-Id", "RateLimit-Policy", "RateLimit")

# Headers of the problems of a status.
OF_STATUS = {
    401: ("WWW-Authenticate",),
    409: ("Retry-After",),
    415: ("Accept-Post", "Accept-Encoding"),
    429: ("Retry-After", *_EVERYWHERE),
    503: ("Retry-After",),
}
