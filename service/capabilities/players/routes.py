"""Players over HTTP: played matches by key, and the ladders of the games."""

from dataclasses import replace

from flask import Blueprint

from service.api import links, problems
from service.api.contract.operations import UNCHANGED, AnswerSpec, operation
from service.api.contract.parameters import (
    CURSOR,
    GAME,
    IF_NONE_MATCH,
    LIMIT,
    ListCursor,
    flag,
    number,
)
from service.api.http import responses
from service.api.http.context import ctx, page_limit
from service.api.http.responses import Response
from service.capabilities.players import use_cases
from service.capabilities.players.answers import Ladder, Player
from service.record.ratings import OrderKey as PlaceOfMatch

players = Blueprint("players", __name__, url_prefix="/v1")

_FARTHEST = 1_000_000  # most places of a ladder before a page

_HEADERS = {"Cache-Control": "public, no-cache"}


@players.get("/ladder")
@operation(
    "getLadder",
    "Read the ladder of a game",
    tag="players",
    tokens="none",
    parameters=(
        replace(GAME, text="Of this game.", required=True),
        flag("humans", "Leave out bots. Places are counted without them."),
        number("after", "Only players after so many others.", 0, _FARTHEST, default=0),
        LIMIT,
        IF_NONE_MATCH,
    ),
    answers={
        200: AnswerSpec("A page of the ladder.", Ladder, headers=("Link", "ETag")),
        304: UNCHANGED,
    },
)
def get_ladder(
    game: str, humans: bool, after: int, limit: int, if_none_match: set[str]
) -> Response:
    """Read the best players of a game: public keys that have signed, and levels of bots.

    A match is rated if it is public and no fork, and has a result. It must have a clock, but no
    advice, no take-back, no known seed and no stand-in put there by the owner. Every human in it
    must have signed with a key. A match counts within about a second of its end.
    """
    limit = page_limit(limit)
    value, has_more = use_cases.ladder(ctx(), game, after, limit, bots=not humans)

    headers = dict(_HEADERS)
    value["next"] = links.next_page(headers, after=after + limit) if has_more else None
    return responses.by_content(value, headers, if_none_match)


@players.get("/players/<player:player>")
@operation(
    "getPlayer",
    "Look at a player",
    tag="players",
    tokens="none",
    parameters=(
        replace(GAME, text="Only matches of this game."),
        LIMIT,
        CURSOR,
        IF_NONE_MATCH,
    ),
    answers={
        200: AnswerSpec("The player.", Player, headers=("Link", "ETag")),
        304: UNCHANGED,
    },
    problems=(problems.NOT_FOUND,),
)
def get_player(
    player: str,
    game: str | None,
    limit: int,
    cursor: ListCursor | None,
    if_none_match: set[str],
) -> Response:
    """Look at a public key, or at a level of bots: ratings and public matches.

    The matches are revealed public matches in which the key signed after the start. For a level of
    bots, they are those with such a bot at the end, and a key of another player. A key is no
    person: a person may have several keys, and several persons may share a key.
    """
    limit = page_limit(limit)
    place = PlaceOfMatch(*cursor) if cursor else None
    value, last = use_cases.player(ctx(), player, game or "", place, limit)

    headers = dict(_HEADERS)
    value["next"] = links.next_page(headers, cursor=ListCursor(*last)) if last else None
    return responses.by_content(value, headers, if_none_match)
