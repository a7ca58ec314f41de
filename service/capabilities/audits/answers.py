"""The answer about an audit."""

from typing import Annotated, TypedDict

from service.base.answers import Count, MatchId, Report, Version


class Audit(TypedDict):
    """An audit, done or under way."""

    match: Annotated[MatchId, "The match's id."]
    version: Annotated[Version, "Last audited version."]
    done: Annotated[Count, "Number of commits checked so far."]
    report: Annotated[Report | None, "Report of the audit. Null while the audit is under way."]
