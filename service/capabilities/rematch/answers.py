"""The answer about a rematch."""

from typing import Annotated, TypedDict

from service.base.answers import MatchId, MatchStatus, TextByName


class Rematch(TypedDict):
    """The match that follows another one (M20), and what its caller holds there."""

    match: Annotated[MatchId, "The new match's id."]
    status: Annotated[MatchStatus, "Where it stands: running once all humans have come."]
    seat: Annotated[int | None, "The caller's seat; null for the owner."]
    tokens: Annotated[
        TextByName,
        "The caller's bearer tokens by whose they are: the seat's; or owner and invitation.",
    ]
