"""The answers with thoughts."""

from typing import Annotated, TypedDict

from service.base.answers import BotLevel, Candidate, Count, NextPage, Version


class Thought(TypedDict):
    """The thoughts of a bot before a move."""

    version: Annotated[Version, "Version of the match after the move."]
    seat: Annotated[Count, "Seat of the move."]
    level: Annotated[BotLevel, "The level of the bot."]
    iterations: Annotated[Count, "Number of rollouts of the bot's search."]
    best: Annotated[list[Candidate], "The best weighed moves. The chosen move comes first."]


class ThoughtList(TypedDict):
    """A page of thoughts, oldest first."""

    thoughts: Annotated[list[Thought], "The thoughts."]
    next: NextPage
