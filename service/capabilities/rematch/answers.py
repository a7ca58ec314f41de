"""The answer about a rematch."""

from typing import Annotated, TypedDict

from service.base.answers import MatchId, MatchStatus, TextByName


class Rematch(TypedDict):
    """A rematch (M20), with the caller's seat and tokens in the new match."""

    match: Annotated[MatchId, "The new match's id."]
    status: Annotated[MatchStatus, "Phase of the new match. `running` once all humans have come."]
    seat: Annotated[int | None, "The caller's seat. Null for the owner."]
    tokens: Annotated[
        TextByName,
        "The caller's bearer tokens by holder: the seat, or owner and invitation.",
    ]
