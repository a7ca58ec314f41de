"""The tools of a player: view, moves, move, wait."""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Annotated, TypedDict

from marshmallow import fields

from domain.json_types import Json, JsonMapping
from service.api.contract.fields import characters, whole_number
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
from service.matches import moves as match_moves, stories, views
from service.matches.access import Access
from service.record.replay import Loaded
from service.store import seat_holders
from service.store.journal.errors import JournalError
from service.store.journal.values import ENDED, Head, Range

# Limits of one answer.
MOST_MOVES = 50
MOST_NEWS = 20  # commits, after a wait

LONGEST_WAIT = 25  # seconds. Agents give a tool up after a minute, some after half a minute.


class ViewSchema(OfMatch):
    """A match at a version."""

    version = whole_number(
        "Version of the board. Left out: the present one.", 1, load_default=lambda: None
    )


class Seen(Standing):
    """A match at a version, as you may see it."""

    seats: Annotated[list[answers.Seat], "The seats and their present holders."]
    state: Annotated[answers.View | None, "The board. Null before the start."]
    known: Annotated[
        answers.View | None, "Public facts from the past of the match that no board shows."
    ]
    clock: Annotated[answers.Clock | None, "The clock (M15). Null: no time limit."]
    take_back_ask: Annotated[
        answers.TakeBackAsk | None, "The pending request to take moves back (M17). Null: none."
    ]


@tool("view", "Look at a match", ViewSchema)
def view_match(match: str, version: int | None) -> Seen:
    """Look at the board as your seat may see it, now or at an earlier version. Without a token you
    have the view of the public.
    """
    access, latest = enter_at_head(match)
    loaded = latest if version is None else views.load_at(ctx(), access, version)
    view = views.view(loaded, access.caller)

    return {
        **standing(loaded, access.caller),
        "seats": seat_holders.seat_holders(latest.match, stories.names_of(ctx(), latest).by_seat),
        "state": view["state"],
        "known": view["known"],
        "clock": view.get("clock"),
        "take_back_ask": view.get("take_back_ask"),
    }


class MovesSchema(OfMatch):
    """A part of the legal moves."""

    type = fields.String(
        validate=characters(0, 60),
        load_default=str,
        metadata={"description": "Only moves of this type."},
    )
    skip = whole_number("Number of moves to skip.", 0, load_default=0)


class LegalMove(TypedDict):
    """A legal move."""

    move: Annotated[Json, "The move, as `move` takes it."]
    text: Annotated[str, "The move in words."]


class LegalMoves(TypedDict):
    """The legal moves of a seat."""

    match: Annotated[answers.MatchId, "The match's id."]
    version: Annotated[answers.Version, "The version of the match."]
    seat: Annotated[answers.Count, "Your seat."]
    types: Annotated[dict[str, int], "Number of legal moves of each type."]
    moves: Annotated[list[LegalMove], "The moves. [] when it is not your turn."]
    beyond: Annotated[JsonMapping, "Descriptions by type of moves with too many forms to list."]
    more: More


@tool("moves", "List the legal moves", MovesSchema)
def list_moves(match: str, type: str, skip: int) -> LegalMoves:  # noqa: A002 - as agents name it
    """List the legal moves of your seat, each with a sentence. There are none when it is not your
    turn.
    """
    access, loaded = enter_at_head(match)
    seat = match_moves.seat_of(access.caller)
    game = loaded.match.game
    may_move = match_moves.may_move(loaded, seat)
    commands = game.legal_moves(loaded.match.state, seat) if may_move else ()

    of_type = [command for command in commands if type in ("", command.tag)]
    page = of_type[skip : skip + MOST_MOVES]
    names = stories.names_of(ctx(), loaded)
    texts = stories.captions(loaded.match, seat, page, names) if page else []
    listed_moves: list[LegalMove] = [
        {"move": match_moves.posted(command), "text": text}
        for command, text in zip(page, texts, strict=True)
    ]
    rest = len(of_type) - skip - len(page)
    more = f"{rest} more: ask with skip={skip + len(page)}, or for one type." if rest > 0 else ""
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
    version = whole_number(
        "The version seen before your move. If the match has moved on, nothing is done.",
        1,
        load_default=lambda: None,
    )
    idempotency_key = key_field(ABOUT_KEYS)
    signature = text_field(
        SIGNATURE_FORM,
        "Only of a seat with a key (M18), with `version`. A refusal has the text to sign.",
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
    """Make a move of your seat. The answer has its consequences and the parties awaited now. A
    refused move changes nothing. The refusal names the rule.
    """
    thought_of = Expected(version)
    with held_submission(match, thought_of, idempotency_key, signature) as submission:
        result = match_moves.move(ctx(), submission, move)

    own_commit = Range(result.version - 1, result.version, closed=True)
    more = ""
    try:
        _, loaded = enter_at_head(match)
        story = story_lines(loaded, result.maker, own_commit)
    except (ServiceError, JournalError):
        # Answer although the match cannot be read: after an error the agent would make another
        # move.
        if result.after is None:
            raise
        loaded, story = result.after, []
        more = f"The move is made. What it caused: story with after={own_commit.after}."
    return {**standing(loaded, result.maker), "story": story, "more": more}


class WaitSchema(OfMatch):
    """The length of the wait."""

    seconds = whole_number("Longest wait, in seconds.", 0, LONGEST_WAIT, load_default=LONGEST_WAIT)
    after = whole_number(
        "Tell the story after this version. Left out: the story during the wait.",
        0,
        load_default=lambda: None,
    )


@tool("wait", "Wait for your turn", WaitSchema)
def wait_for_turn(match: str, seconds: int, after: int | None) -> News:
    """Wait until it is your seat's turn or the match is over, and read the story since. Without a
    seat's token, wait for the next commit. When the time is up, call the tool again.
    """
    access, loaded = enter_at_head(match)
    last_version = loaded.version if after is None else min(after, loaded.version)
    reached = _reached(access, loaded, last_version)
    if seconds and not reached(access.head):
        wait_until(access, reached, seconds)
        access, loaded = enter_at_head(match)

    return _news(access, loaded, last_version)


def _reached(access: Access, loaded: Loaded, last_version: int) -> Callable[[Head], bool]:
    """Return the condition that ends a wait, as a function of the head.

    last_version: last version that the caller knows.
    """
    seat = access.caller.seat
    if seat is None or loaded.match.seats[seat].kind != "human":
        return lambda head: head.version > last_version or head.status in ENDED
    # Before the start, heads name seats that owe entropy (M19), and no seat may move.
    return lambda head: (head.status != "open" and seat in head.waiting) or head.status in ENDED


def _news(access: Access, loaded: Loaded, last_version: int) -> News:
    """Return the standing of a match, and the last part of its story after a version."""
    first = max(last_version, loaded.version - MOST_NEWS)
    return {
        **standing(loaded, access.caller),
        "story": story_lines(loaded, access.caller, Range(first, loaded.version, closed=True)),
        "more": (
            f"What happened before: story with after={last_version}."
            if first > last_version
            else ""
        ),
    }
