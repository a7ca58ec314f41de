"""My matches over HTTP: the standing of each match of some tokens, and every change."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from itertools import chain
from typing import get_args

import orjson
from flask import Blueprint, request
from redis.exceptions import RedisError

from service.api import problems
from service.api.contract.operations import EVENTS, AnswerSpec, operation
from service.api.contract.parameters import TOKENS, Words, header
from service.api.http.context import all_tokens, config, ctx, services
from service.api.http.responses import Response, nothing
from service.api.routes.streams import headers_alone, take_permit, with_beats
from service.base.answers import MatchEvent, MatchNews
from service.base.errors import Invalid, Mistake, Unauthorized
from service.capabilities.my_matches import use_cases

mine = Blueprint("mine", __name__, url_prefix="/v1/me")

_LAST_POSITION = header(
    "Last-Event-ID",
    "ID of the last event received. Only changes since then are sent.",
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
            "The standing of each match, and every change of it, as server-sent events.",
            MatchNews,
            media=(EVENTS,),
            events=get_args(MatchEvent),
        ),
        204: AnswerSpec("All matches are over or gone, as the reader knows: do not connect again."),
    },
    problems=(problems.UNAUTHORIZED, problems.STREAMS),
)
def stream_my_matches(giornale_tokens: Sequence[str], last_event_id: str) -> Response:
    """Follow the matches of up to 50 tokens, sent in Authorization and Giornale-Tokens.

    First comes the standing of each match, then every change of it. Several commits may be one
    event. At most once a minute, the bearer of a seat's token is told the seats of the match that
    follow such a stream. After a lost connection send the same tokens and Last-Event-ID: only
    changes since then are sent. Comments come as heartbeats. The stream ends when all matches are
    over or gone.
    """
    held_tokens = all_tokens(giornale_tokens)
    _require_tokens(held_tokens)

    watched = use_cases.MyMatches(held_tokens, last_event_id, _presence())
    headers = {
        "Cache-Control": "no-store",
        "Vary": "Authorization, Giornale-Tokens",
        "X-Accel-Buffering": "no",
    }
    if request.method == "HEAD":
        return headers_alone(headers, EVENTS)

    with ExitStack() as stack:
        permit = take_permit()
        stack.callback(permit.give_back)
        first_events = [news_event(news, watched.position) for news in watched.news(ctx())]
        if watched.are_final and not first_events:
            return nothing()
        stack.pop_all()

    events = with_beats(_my_news(first_events, watched))
    response = Response(events, headers=headers, mimetype=EVENTS)
    response.call_on_close(permit.give_back)
    return response


def _require_tokens(held_tokens: Sequence[str]) -> None:
    """Refuse a request without tokens, or with too many tokens."""
    if not held_tokens:
        raise Unauthorized("send the tokens of your matches in Authorization or Giornale-Tokens")

    most = use_cases.MOST_TOKENS
    if len(held_tokens) > most:
        detail = f"must be at most {most} tokens, the one in Authorization included"
        raise Invalid(Mistake.in_parameter(TOKENS.name, detail))


def _my_news(first_events: list[bytes], watched: use_cases.MyMatches) -> Iterator[bytes]:
    """Return the first events, then all later events."""
    following_news = use_cases.follow(
        ctx(), services().notifications, watched, config().heartbeat, news_event
    )
    # The iterator frees the list after its last event. Without `iter` the list would live as long
    # as the stream.
    return chain(iter(first_events), following_news)


def _presence() -> use_cases.Presence:
    """Return the function that notes seats as present. Without the queues no seat is present."""
    queues = services().queues

    def note(seats: Mapping[str, Sequence[int]]) -> dict[str, list[int]]:
        with suppress(RedisError):
            return queues.note_here(seats, use_cases.HERE_SECONDS)
        return {}

    return note


def news_event(news: MatchNews, position: str) -> bytes:
    """Return the news of a match as one server-sent event."""
    return b"id: %s\nevent: %s\ndata: %s\n\n" % (
        position.encode(),
        news["event"].encode(),
        orjson.dumps(news),
    )
