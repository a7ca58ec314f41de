"""The answers about players."""

from typing import Annotated, TypedDict

from service.base.answers import (
    Count,
    LadderPlace,
    MatchId,
    MatchSummary,
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


class RatingAfter(TypedDict):
    """A rating after a match."""

    match: Annotated[MatchId, "The match's id."]
    ended: Annotated[Time, "When its game ended."]
    rating: Annotated[Rating, "The rating."]


class GameRating(TypedDict):
    """The rating of a player at a game."""

    game: Annotated[str, "The game's key."]
    place: Annotated[Version, "The place on the ladder with bots."]
    rating: Annotated[Rating, "The rating."]
    history: Annotated[list[RatingAfter], "The last 100 ratings, oldest first."]


class PlayedMatch(TypedDict):
    """A match in which a player sat to the end."""

    match: Annotated[MatchSummary, "The match."]
    seat: Annotated[Count, "The player's seat."]
    ended: Annotated[Time, "When its game ended."]
    why_not_rated: Annotated[NotRated | None, "Why it is not rated; null: it is."]


class Player(TypedDict):
    """What is public of a player."""

    player: Annotated[PlayerId, "A public key, or `bot:` and a level."]
    name: Annotated[str | None, "The name last given; null: none is kept."]
    ratings: Annotated[list[GameRating], "The ratings, game by game."]
    matches: Annotated[
        list[PlayedMatch],
        "A page of public matches with this key, last ended first; the header Link leads on.",
    ]
