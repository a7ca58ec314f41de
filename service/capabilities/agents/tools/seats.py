"""The tools for a seat: open a match, or join one."""

from typing import Annotated, Any, TypedDict

from service.api import links
from service.api.contract import schemas
from service.api.contract.parameters import Expected
from service.api.contract.schemas import OpenMatchSchema
from service.api.contract.submissions import held_submission
from service.api.http.context import count_opening, ctx, state
from service.api.http.requests import idempotency_lock
from service.base import answers
from service.base.errors import Forbidden, Invalid, Mistake
from service.capabilities.agents.tools.arguments import (
    ABOUT_KEYS,
    OfMatch,
    key_field,
    number_field,
)
from service.capabilities.agents.tools.standing import enter_at_head
from service.capabilities.agents.tools.tool import tool
from service.matches import lobby, seats
from service.matches.opening import open_new, read_request, require_proofs
from service.record.replay import Loaded
from service.record.terms.joint_entropy import draws_together


class OpenSchema(OpenMatchSchema):
    """A match to be opened."""

    class Meta:
        """Left out is what an agent at the table does not need, or has no tools for (M19)."""

        exclude = ("fork", "joint_entropy", "seed")

    idempotency_key = key_field(16, f"{ABOUT_KEYS} Keep it secret.")


class Opened(TypedDict):
    """A new match with its tokens, which no later answer shows."""

    match: Annotated[answers.MatchId, "The match's id."]
    game: Annotated[str, "The game's key."]
    version: Annotated[answers.Version, "How many commits the match has."]
    status: Annotated[answers.MatchStatus, "Where the match stands."]
    seats: Annotated[list[answers.Seat], "Who holds each seat."]
    tokens: Annotated[
        answers.TextByName, "Secret tokens by whose they are: owner, seat:0, seat:1, ..."
    ]
    page: Annotated[str, "Where people watch it, on this server."]


@tool("open", "Open a match", OpenSchema, changes=True)
def open_match(idempotency_key: str, **asked: Any) -> Opened:
    """Open a match. Of the seats say which are a `human`'s (you, or who plays with you), which a
    `bot`'s, and which are `open` for others to join. The answer has a token for each human's seat:
    it is shown once. A match without open seats starts at once; any other is started by its owner
    over the API.
    """
    require_proofs(asked, idempotency_key)
    count_opening()
    with idempotency_lock("", None, idempotency_key):
        opened = open_new(ctx(), read_request(**asked), idempotency_key)

    loaded = opened.loaded
    state().match = loaded.id
    return {
        "match": loaded.id,
        "game": loaded.match.game.key,
        "version": loaded.version,
        "status": loaded.status.name,
        "seats": seats.seat_holders(loaded.match, opened.names),
        "tokens": dict(opened.tokens),
        "page": links.table(loaded.id),
    }


class TakeSeatSchema(OfMatch, schemas.JoinSchema):
    """Who takes a seat."""

    class Meta:
        """Left out is what an agent at the table has no tools for (M19)."""

        exclude = ("pledge",)

    seat = number_field(
        "The seat's number; left out: the first open one.",
        0,
        schemas.MOST_SEATS - 1,
        load_default=lambda: None,
    )
    idempotency_key = key_field(16, f"{ABOUT_KEYS} Keep it secret, and name the seat with it.")


class TakenSeat(TypedDict):
    """A seat, and its token, which no later answer shows."""

    match: Annotated[answers.MatchId, "The match's id."]
    seat: Annotated[answers.Count, "The number of the seat."]
    token: Annotated[str, "The secret token of the seat."]
    version: Annotated[answers.Version, "The version that it made."]


@tool("join", "Join a match", TakeSeatSchema, changes=True)
def join_match(match: str, seat: int | None, idempotency_key: str, **holder: str) -> TakenSeat:
    """Take an open seat before the start (M2) and get its token, which is shown once. A private
    match is joined with the token of its invitation.
    """
    _, loaded = enter_at_head(match)
    if draws_together(loaded.match):
        raise Forbidden(_DRAWN_TOGETHER)
    if seat is None:
        if idempotency_key:
            # The same call again would ask for the seat that is the first open one by then.
            raise Invalid(Mistake("/seat", "must be said with an idempotency_key"))
        seat = _first_open_seat(loaded)
    with held_submission(match, Expected(), idempotency_key) as submission:
        made, token = lobby.join(ctx(), submission, seat, holder)
    return {"match": match, "seat": seat, "token": token, "version": made.version}


_DRAWN_TOGETHER = (
    "the players of this match draw together (M19), and what they owe before its start no tool "
    "sends; join another match, or join this one over the API, with a pledge"
)


def _first_open_seat(loaded: Loaded) -> int:
    """Return the first open seat, or 0, which is refused then."""
    kinds = [seat.kind for seat in loaded.match.seats]
    return kinds.index("open") if "open" in kinds else 0
