"""The answers with thoughts."""

from typing import Annotated, TypedDict

from service.base.answers import BotLevel, Candidate, Count, Version


class Thought(TypedDict):
    """What a bot has thought before a move."""

    version: Annotated[Version, "The version that the move made."]
    seat: Annotated[Count, "Whose move it was."]
    level: Annotated[BotLevel, "The level of the bot."]
    iterations: Annotated[Count, "How often the bot has played on in its head."]
    best: Annotated[list[Candidate], "The best moves that it weighed, the one it made first."]


class ThoughtList(TypedDict):
    """A page of thoughts, oldest first; the header Link leads on."""

    thoughts: Annotated[list[Thought], "The thoughts."]
