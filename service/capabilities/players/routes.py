"""Players over HTTP: who has played what with a key, and the ladders of the games."""

from dataclasses import replace

from flask import Blueprint

from domain.games import GAMES
from service.api import links, problems
from service.api.contract.operations import UNCHANGED, AnswerSpec, operation
from service.api.contract.parameters import (
    GAME,
    IF_NONE_MATCH,
    LIMIT,
    Words,
    flag,
    limit_parameter,
    number,
    words,
)
from service.api.http import responses
from service.api.http.context import ctx, page_limit
from service.api.http.responses import Response
from service.base.errors import Invalid, Mistake
from service.capabilities.players import use_cases
from service.capabilities.players.answers import Ladder, Player
from service.record.commit import MATCH_ID
from service.record.ratings import OrderKey as PlaceOfMatch

players = Blueprint("players", __name__, url_prefix="/v1")

_FARTHEST = 1_000_000  # places down a ladder

_HEADERS = {"Cache-Control": "public, no-cache"}


@players.get("/ladder")
@operation(
    "getLadder",
    "Read the ladder of a game",
    tag="players",
    tokens="none",
    parameters=(
        replace(GAME, text="Of this game.", required=True),
        flag("humans", "Leave out bots; places are counted without them."),
        number("after", "Only players after so many places.", 0, _FARTHEST, default=0),
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
    """Read who plays a game best: public keys that have signed, and levels of bots.

    A match is rated if it is public and no fork, and came to its end by the rules. It had a clock,
    no advice, no take-back, no known seed and no stand-in by its owner. Every human in it signed
    with a key. It counts within about a second of its end.
    """
    if game not in GAMES:
        raise Invalid(Mistake.in_query("game", f"must be one of {', '.join(GAMES)}"))
    limit = page_limit(limit)
    shown, has_more = use_cases.ladder(ctx(), game, after, limit, bots=not humans)

    headers = dict(_HEADERS)
    if has_more:
        kept = {"humans": "true"} if humans else {}
        query = {"game": game, **kept, "limit": limit, "after": after + limit}
        headers["Link"] = links.related("next", **query)
    return responses.by_content(shown, headers, if_none_match)


def _place(given: str) -> PlaceOfMatch:
    ended, _, match = given.partition(".")
    return PlaceOfMatch(int(ended), match)


@players.get("/players/<player:player>")
@operation(
    "getPlayer",
    "Look at a player",
    tag="players",
    tokens="none",
    parameters=(
        replace(GAME, text="Only matches of this game."),
        limit_parameter(default=20),
        words(
            "cursor",
            "Where to go on, from the Link of the page before.",
            Words(
                rf"[0-9]{{1,14}}\.{MATCH_ID}",
                expected="must be a cursor from a Link of this player",
                read=_place,
            ),
        ),
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
    cursor: PlaceOfMatch | None,
    if_none_match: set[str],
) -> Response:
    """Look at a public key, or at a level of bots: its ratings, and its public matches.

    Shown are public matches that have ended, in which it signed after the start. A key is no
    person: one may have several, and several may share one.
    """
    limit = page_limit(limit)
    shown, before = use_cases.player(ctx(), player, game or "", cursor, limit)

    headers = dict(_HEADERS)
    if before is not None:
        kept = {"game": game} if game else {}
        headers["Link"] = links.related(
            "next", **kept, limit=limit, cursor=f"{before.ended}.{before.match}"
        )
    return responses.by_content(shown, headers, if_none_match)
