"""My matches over HTTP: how each match of some tokens stands, and every change, as one stream."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from itertools import chain
from typing import get_args

import orjson
from flask import Blueprint, request
from redis.exceptions import RedisError

from service.api import problems
from service.api.contract.operations import EVENTS, NDJSON, AnswerSpec, operation
from service.api.contract.parameters import TOKENS, Words, header
from service.api.http.context import all_tokens, config, ctx, services
from service.api.http.requests import accepted
from service.api.http.responses import Response, nothing
from service.api.routes.streams import headers_alone, take_permit, with_beats
from service.base.answers import MatchEvent, MatchNews
from service.base.errors import Invalid, Mistake, Unauthorized
from service.capabilities.my_matches import use_cases

mine = Blueprint("mine", __name__, url_prefix="/v1/me")

_EMPTY_LINE = b"\n"

_LAST_POSITION = header(
    "Last-Event-ID",
    "The id of the last event received; what differs from it is sent.",
    Words(use_cases.POSITION, expected="must be the id of an event of this stream"),
    default="",
)


@mine.get("/stream")
@operation(
    "streamMyMatches",
    "Follow all my matches",
    tag="play",
    parameters=(TOKENS, _LAST_POSITION),
    answers={
        200: AnswerSpec(
            "How each match stands, and every change, as server-sent events or as lines.",
            MatchNews,
            media=(EVENTS, NDJSON),
            events=get_args(MatchEvent),
        ),
        204: AnswerSpec("All matches are over or gone, as the reader knows: do not connect again."),
    },
    problems=(problems.UNAUTHORIZED, problems.NOT_ACCEPTABLE, problems.STREAMS),
)
def stream_my_matches(giornale_tokens: Sequence[str], last_event_id: str) -> Response:
    """Follow the matches of up to 50 tokens, which are sent in Authorization and Giornale-Tokens.

    First comes how each match stands, then every change of that; not each commit, so several may
    be one event. Seats are told, once a minute at most, which seats of their match follow this
    stream. After a lost connection send the same tokens and Last-Event-ID: what differs from what
    was received is sent. Comments, or empty lines, come as heartbeats. The stream ends when all
    matches are over or gone.
    """
    kind = accepted(EVENTS, NDJSON)
    held_tokens = all_tokens(giornale_tokens)
    _require_tokens(held_tokens)

    watched = use_cases.MyMatches(held_tokens, last_event_id, _presence())
    headers = {
        "Cache-Control": "no-store",
        "Vary": "Accept, Authorization, Giornale-Tokens",
        "X-Accel-Buffering": "no",
    }
    if request.method == "HEAD":
        return headers_alone(headers, kind)

    render = news_event if kind == EVENTS else news_line
    with ExitStack() as stack:
        permit = take_permit()
        stack.callback(permit.give_back)
        begun = [render(news, watched.position) for news in watched.news(ctx())]
        if watched.are_final and not begun:
            return nothing()
        stack.pop_all()

    sent = _my_news(begun, watched, render)
    pieces = with_beats(sent) if kind == EVENTS else (line or _EMPTY_LINE for line in sent)
    response = Response(pieces, headers=headers, mimetype=kind)
    response.call_on_close(permit.give_back)
    return response


def _require_tokens(held_tokens: Sequence[str]) -> None:
    """Refuse to follow no token, or more than are followed at once."""
    if not held_tokens:
        raise Unauthorized("send the tokens of your matches, in Authorization or Giornale-Tokens")

    most = use_cases.MOST_TOKENS
    if len(held_tokens) > most:
        detail = f"must be at most {most} tokens, with that in Authorization"
        raise Invalid(Mistake.in_header(TOKENS.name, detail))


def _my_news(
    begun: list[bytes], watched: use_cases.MyMatches, render: use_cases.Render
) -> Iterator[bytes]:
    """Return what was found out already, then all that follows."""
    following_news = use_cases.follow(
        ctx(), services().notifications, watched, config().heartbeat, render
    )
    # An iterator lets go of the list at its end; the list itself would be kept with the stream.
    return chain(iter(begun), following_news)


def _presence() -> use_cases.Presence:
    """Return what notes which seats are here; while the queues' server is away nobody knows."""
    queues = services().queues

    def note(seats: Mapping[str, Sequence[int]]) -> dict[str, list[int]]:
        with suppress(RedisError):
            return queues.note_here(seats, use_cases.HERE_SECONDS)
        return {}

    return note


def news_event(news: MatchNews, position: str) -> bytes:
    """Return how a match stands as one server-sent event."""
    return b"id: %s\nevent: %s\ndata: %s\n\n" % (
        position.encode(),
        news["event"].encode(),
        orjson.dumps(news),
    )


def news_line(news: MatchNews, position: str) -> bytes:
    """Return how a match stands as one line."""
    # What orjson returns keeps a buffer of 4 kB. Formatting copies no more than the line.
    return b"%s\n" % orjson.dumps({**news, "id": position})
