"""The answers about players."""

from typing import Annotated, TypedDict

from service.base.answers import (
    Count,
    LadderPlace,
    MatchId,
    MatchSummary,
    NextPage,
    NotRated,
    PlayerId,
    Rating,
    Time,
    Version,
)


class Ladder(TypedDict):
    """Part of the ladder of a game, the best players first."""

    game: Annotated[str, "The game's key."]
    model: Annotated[str, "The name of the rating model."]
    model_version: Annotated[str, "The library of the model, with its version."]
    players: Annotated[list[LadderPlace], "The players."]
    next: NextPage


class RatingAfter(TypedDict):
    """A rating after a match."""

    match: Annotated[MatchId, "The match's id."]
    ended: Annotated[Time, "Time of the end of the match's game."]
    rating: Annotated[Rating, "The rating."]


class GameRating(TypedDict):
    """The rating of a player at a game."""

    game: Annotated[str, "The game's key."]
    place: Annotated[Version, "The place on the ladder with bots."]
    rating: Annotated[Rating, "The rating."]
    history: Annotated[list[RatingAfter], "The last 100 ratings, oldest first."]


class PlayedMatch(MatchSummary):
    """A match with the player on a seat to the end."""

    seat: Annotated[Count, "The player's seat."]
    ended: Annotated[Time, "Time of the end of the match's game."]
    why_not_rated: Annotated[NotRated | None, "Reason against a rating. Null: the match is rated."]


class Player(TypedDict):
    """Public facts about a player."""

    player: Annotated[PlayerId, "A public key, or `bot:` and a level."]
    name: Annotated[str | None, "The latest name. Null: none is stored."]
    ratings: Annotated[list[GameRating], "The ratings, game by game."]
    matches: Annotated[
        list[PlayedMatch],
        "A page of public matches with this key, last ended first.",
    ]
    next: NextPage
