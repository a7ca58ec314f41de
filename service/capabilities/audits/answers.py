"""The answer about an audit."""

from typing import Annotated, TypedDict

from service.base.answers import Count, MatchId, Report, Version


class Audit(TypedDict):
    """An audit, done or under way."""

    match: Annotated[MatchId, "The match's id."]
    version: Annotated[Version, "Up to which version."]
    done: Annotated[Count, "How many commits have been checked."]
    report: Annotated[Report | None, "What it found; null: it is under way."]
