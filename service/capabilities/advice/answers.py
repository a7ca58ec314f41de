"""The answer about advice."""

from typing import Annotated, Literal, TypedDict

from service.base.answers import BotLevel, Candidate, Count, MatchId, Version


class Advice(TypedDict):
    """What a strong bot would do on the caller's seat; it thinks until `status` is ready."""

    match: Annotated[MatchId, "The match's id."]
    version: Annotated[Version, "The version that it is for."]
    seat: Annotated[Count, "Whose advice it is."]
    level: Annotated[BotLevel, "The level of the bot."]
    status: Annotated[Literal["thinking", "ready"], "How far it is."]
    iterations: Annotated[Count, "How often the bot has played on in its head."]
    best: Annotated[list[Candidate], "The best moves, the one to make first; [] until ready."]
