"""The tools of a player: view, moves, move, wait."""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Annotated, TypedDict

from marshmallow import fields, validate

from domain.json_types import Json, JsonMapping
from service.api.contract.parameters import SIGNATURE_FORM, Expected
from service.api.contract.submissions import held_submission
from service.api.http.context import ctx
from service.api.routes.streams import wait_until
from service.base import answers
from service.base.errors import ServiceError
from service.capabilities.agents.tools.arguments import (
    ABOUT_KEYS,
    OfMatch,
    key_field,
    number_field,
    text_field,
)
from service.capabilities.agents.tools.standing import (
    More,
    News,
    Standing,
    enter_at_head,
    standing,
    story_lines,
)
from service.capabilities.agents.tools.tool import tool
from service.matches import moves as match_moves, seats, stories, views
from service.matches.access import Access
from service.matches.views import Range
from service.record.replay import Loaded
from service.store.journal.errors import JournalError
from service.store.journal.values import ENDED, Head

# So much is in one answer; more is asked for.
MOST_MOVES = 50
MOST_NEWS = 20  # commits that are told after a wait

LONGEST_WAIT = 25  # seconds; agents give a tool up after a minute, some after half of that


class ViewSchema(OfMatch):
    """Which match, and when."""

    version = number_field(
        "As it was at this version; left out: as it is.", 1, load_default=lambda: None
    )


class Seen(Standing):
    """A match at a version, as you may see it."""

    seats: Annotated[list[answers.Seat], "Who holds each seat now."]
    state: Annotated[answers.View | None, "The board; null before the start."]
    known: Annotated[
        answers.View | None, "What everybody knows who has followed the match, and no board shows."
    ]
    clock: Annotated[
        answers.Clock | None, "How much time is left (M15); null: as much as one likes."
    ]
    take_back: Annotated[answers.TakeBackAsk | None, "What is asked to be taken back (M17)."]


@tool("view", "Look at a match", ViewSchema)
def view_match(match: str, version: int | None) -> Seen:
    """Look at the board as your seat may see it, now or at an earlier version. Without a token you
    see what everybody may see.
    """
    access, latest = enter_at_head(match)
    loaded = latest if version is None else views.load_at(ctx(), access, version)
    view = views.view(loaded, access.caller)

    return {
        **standing(loaded, access.caller),
        "seats": seats.seat_holders(latest.match, stories.names_of(ctx(), latest).given),
        "state": view["state"],
        "known": view["known"],
        "clock": view.get("clock"),
        "take_back": view.get("take_back"),
    }


class MovesSchema(OfMatch):
    """Which moves."""

    type = fields.String(
        validate=validate.Length(max=60),
        load_default=str,
        metadata={"description": "Only moves of this type."},
    )
    skip = number_field("Leave out so many of the first.", 0, load_default=0)


class LegalMove(TypedDict):
    """A legal move."""

    move: Annotated[Json, "The move, as `move` takes it."]
    text: Annotated[str, "What it does."]


class LegalMoves(TypedDict):
    """The legal moves of a seat."""

    match: Annotated[answers.MatchId, "The match's id."]
    version: Annotated[answers.Version, "The version of the match."]
    seat: Annotated[answers.Count, "Your seat."]
    types: Annotated[dict[str, int], "How many legal moves there are of each type."]
    moves: Annotated[list[LegalMove], "The moves; none when it is not your turn."]
    beyond: Annotated[
        JsonMapping, "By type: moves that have too many forms to be listed, described."
    ]
    more: More


@tool("moves", "List the legal moves", MovesSchema)
def list_moves(match: str, type: str, skip: int) -> LegalMoves:  # noqa: A002 - as agents name it
    """List the legal moves of your seat, each with a sentence that says it; none when it is not
    your turn.
    """
    access, loaded = enter_at_head(match)
    seat = match_moves.seat_of(access.caller)
    game = loaded.match.game
    may_move = match_moves.may_move(loaded, seat)
    commands = game.legal_moves(loaded.match.state, seat) if may_move else ()

    wanted = [command for command in commands if type in ("", command.tag)]
    shown = wanted[skip : skip + MOST_MOVES]
    names = stories.names_of(ctx(), loaded)
    texts = stories.captions(loaded.match, seat, shown, names) if shown else []
    listed_moves: list[LegalMove] = [
        {"move": match_moves.posted(command), "text": text}
        for command, text in zip(shown, texts, strict=True)
    ]
    left = len(wanted) - skip - len(shown)
    more = f"{left} more: ask with skip={skip + len(shown)}, or for one type." if left > 0 else ""
    return {
        "match": match,
        "version": loaded.version,
        "seat": seat,
        "types": dict(Counter(command.tag for command in commands)),
        "moves": listed_moves,
        "beyond": match_moves.unlisted(loaded, seat),
        "more": more,
    }


class MoveSchema(OfMatch):
    """A move."""

    move = fields.Dict(
        keys=fields.String(),
        required=True,
        metadata={"description": "A legal move, as `moves` lists it."},
    )
    version = number_field(
        "The version that you thought of; if the match has moved on, nothing is done.",
        1,
        load_default=lambda: None,
    )
    idempotency_key = key_field(1, ABOUT_KEYS)
    signature = text_field(
        SIGNATURE_FORM,
        "Only of a seat with a key (M18), with `version`; a refusal says what to sign.",
        load_default=str,
    )


@tool("move", "Make a move", MoveSchema, changes=True)
def make_move(
    match: str,
    move: Mapping[str, object],
    version: int | None,
    idempotency_key: str,
    signature: str,
) -> News:
    """Make a move of your seat. The answer says what it caused and whom the match waits for now. A
    refused move changes nothing; the refusal names the rule.
    """
    thought_of = Expected(version)
    with held_submission(match, thought_of, idempotency_key, signature) as submission:
        made = match_moves.move(ctx(), submission, move)

    own_commit = Range(made.version - 1, made.version, closed=True)
    more = ""
    try:
        _, loaded = enter_at_head(match)
        story = story_lines(loaded, made.maker, own_commit)
    except (ServiceError, JournalError):
        # An error would say that the move was not made, and the agent would make another one.
        if made.after is None:
            raise
        loaded, story = made.after, []
        more = f"The move is made. What it caused: story with after={own_commit.after}."
    return {**standing(loaded, made.maker), "story": story, "more": more}


class WaitSchema(OfMatch):
    """What is waited for."""

    seconds = number_field("How long at most.", 0, LONGEST_WAIT, load_default=LONGEST_WAIT)
    after = number_field(
        "Tell all that happened after this version; left out: what happens meanwhile.",
        0,
        load_default=lambda: None,
    )


@tool("wait", "Wait for your turn", WaitSchema)
def wait_for_turn(match: str, seconds: int, after: int | None) -> News:
    """Wait until it is your seat's turn or the match is over, and read what has happened. Without
    a seat's token it waits for the next commit. When the time is up, call it again.
    """
    access, loaded = enter_at_head(match)
    known = loaded.version if after is None else min(after, loaded.version)
    reached = _reached(access, loaded, known)
    if seconds and not reached(access.head):
        wait_until(access, reached, seconds)
        access, loaded = enter_at_head(match)

    return _news(access, loaded, known)


def _reached(access: Access, loaded: Loaded, known: int) -> Callable[[Head], bool]:
    """Return what says of a head whether a caller who knows a version need not wait."""
    seat = access.caller.seat
    if seat is None or loaded.match.seats[seat].kind != "human":
        return lambda head: head.version > known or head.status in ENDED
    # Before the start heads name the seats that owe entropy (M19), not those that may move.
    return lambda head: (head.status != "open" and seat in head.waiting) or head.status in ENDED


def _news(access: Access, loaded: Loaded, known: int) -> News:
    """Return where a match stands and the last of what happened after a version."""
    first = max(known, loaded.version - MOST_NEWS)
    return {
        **standing(loaded, access.caller),
        "story": story_lines(loaded, access.caller, Range(first, loaded.version, closed=True)),
        "more": f"What happened before: story with after={known}." if first > known else "",
    }
