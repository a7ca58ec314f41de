"""The answer about advice."""

from typing import Annotated, Literal, TypedDict

from service.base.answers import BotLevel, Candidate, Count, MatchId, Version


class Advice(TypedDict):
    """A strong bot's advice for the caller's seat. The bot thinks until `status` is `ready`."""

    match: Annotated[MatchId, "The match's id."]
    version: Annotated[Version, "Version of the match at which the advice applies."]
    seat: Annotated[Count, "The advised seat."]
    level: Annotated[BotLevel, "The level of the bot."]
    status: Annotated[Literal["thinking", "ready"], "`ready` once the bot has thought."]
    iterations: Annotated[Count, "Number of rollouts of the bot's search."]
    best: Annotated[list[Candidate], "The best moves, the advised one first. [] until ready."]
