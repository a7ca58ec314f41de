"""The tools for a seat: open a match, or join one."""

from typing import Annotated, Any, TypedDict

from service.api import links
from service.api.contract import schemas
from service.api.contract.fields import whole_number
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
)
from service.capabilities.agents.tools.standing import enter_at_head
from service.capabilities.agents.tools.tool import tool
from service.matches import lobby
from service.matches.opening import open_new, read_request, require_proofs
from service.record.replay import Loaded
from service.record.terms.joint_entropy import draws_together
from service.store import seat_holders


class OpenSchema(OpenMatchSchema):
    """A match to be opened."""

    class Meta:
        """Leaves out fields that an agent does not need, or cannot use without tools (M19)."""

        exclude = ("fork", "joint_entropy", "seed")

    idempotency_key = key_field(f"{ABOUT_KEYS} Keep it secret.")


class Opened(TypedDict):
    """A match with its tokens. Only a repeat with the same `idempotency_key` shows them again."""

    match: Annotated[answers.MatchId, "The match's id."]
    game: Annotated[str, "The game's key."]
    version: Annotated[answers.Version, "Number of commits of the match."]
    status: Annotated[answers.MatchStatus, "Phase of the match."]
    seats: Annotated[list[answers.Seat], "The seats and their holders."]
    tokens: Annotated[answers.TextByName, "Secret tokens by holder: owner, seat:0, seat:1, ..."]
    page: Annotated[str, "Address of the match's page for people, on this server."]


@tool("open", "Open a match", OpenSchema, changes=True)
def open_match(idempotency_key: str, **terms: Any) -> Opened:
    """Open a match. A seat is a `human`'s (you, or a companion of yours), a bot's (`bot:greedy`),
    or `open` for others to join. The answer has a token for each human's seat: keep them. A match
    without open seats starts at once. The owner starts any other match over the API.
    """
    require_proofs(terms, idempotency_key)
    count_opening()
    with idempotency_lock("", None, idempotency_key):
        opened = open_new(ctx(), read_request(**terms), idempotency_key)

    loaded = opened.loaded
    state().match = loaded.id
    return {
        "match": loaded.id,
        "game": loaded.match.game.key,
        "version": loaded.version,
        "status": loaded.status.name,
        "seats": seat_holders.seat_holders(loaded.match, opened.names),
        "tokens": dict(opened.tokens),
        "page": links.table(loaded.id),
    }


class TakeSeatSchema(OfMatch, schemas.JoinSchema):
    """The joining human."""

    class Meta:
        """Leaves out a field that an agent cannot use without tools (M19)."""

        exclude = ("pledge",)

    seat = whole_number(
        "The seat's number. Left out: the first open one.",
        0,
        schemas.MOST_SEATS - 1,
        load_default=lambda: None,
    )
    idempotency_key = key_field(f"{ABOUT_KEYS} Keep it secret, and name the seat with it.")


class TakenSeat(TypedDict):
    """A seat and its token. Only a repeat with the same `idempotency_key` shows it again."""

    match: Annotated[answers.MatchId, "The match's id."]
    seat: Annotated[answers.Count, "The number of the seat."]
    token: Annotated[str, "The secret token of the seat."]
    version: Annotated[answers.Version, "Version after the join."]


@tool("join", "Join a match", TakeSeatSchema, changes=True)
def join_match(match: str, seat: int | None, idempotency_key: str, **holder: str) -> TakenSeat:
    """Take an open seat before the start (M2) and get its token: keep it. A private match, or a
    rematch (M20), is joined with the invitation token or the owner's token.
    """
    _, loaded = enter_at_head(match)
    if draws_together(loaded.match):
        raise Forbidden(_DRAWN_TOGETHER)
    if seat is None:
        if idempotency_key:
            # A repeat of the call would take another seat: the first one that is open by then.
            raise Invalid(Mistake("/seat", "must be said with an idempotency_key"))
        seat = _first_open_seat(loaded)
    with held_submission(match, Expected(), idempotency_key) as submission:
        result, token = lobby.join(ctx(), submission, seat, holder)
    return {"match": match, "seat": seat, "token": token, "version": result.version}


_DRAWN_TOGETHER = (
    "the players of this match draw together (M19), and what they owe before its start no tool "
    "sends; join another match, or join this one over the API, with a pledge"
)


def _first_open_seat(loaded: Loaded) -> int:
    """Return the first open seat. Without an open seat return 0: the use case refuses it."""
    kinds = [seat.kind for seat in loaded.match.seats]
    return kinds.index("open") if "open" in kinds else 0
