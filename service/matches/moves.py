"""Moves: the legal ones of a seat, what one would cause, and making it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from functools import cache
from itertools import pairwise
from typing import Any

from domain import game as games, wire
from domain.chance import FastChance
from domain.errors import BadMessage, RuleBroken
from domain.game import AnyGame, Game, StateT
from domain.games import RULES
from domain.match.state import Match
from domain.seats import PUBLIC
from domain.wire import Message
from service.base.errors import Forbidden, Illegal, Invalid, Mistake, Unauthorized, pointer
from service.matches import command_handler, history, stories
from service.matches.access import enter
from service.matches.command_handler import Act, Committed, Submission
from service.matches.context import Context
from service.matches.repository import load_head
from service.record.commit import Json
from service.record.replay import Loaded
from service.store.keys.tokens import Caller


def move(ctx: Context, submission: Submission, posted: Mapping[str, object]) -> Committed:
    """Make the move of a seat that was posted.

    Raises NotFound, Unauthorized, Forbidden, Invalid, Stale, KeyConflict, Busy, Illegal.
    """
    # Only a key makes it matter whether the same move is posted again.
    move_fingerprint = command_handler.fingerprint(posted) if submission.key else ""

    def propose(loaded: Loaded, caller: Caller) -> Act:
        seat = seat_of(caller)
        command = read_command(loaded.match, seat, posted)
        refusal = loaded.match.why_no_moves_of(seat, loaded.status)
        return Act(caller.name, command, refusal, fingerprint=move_fingerprint)

    return command_handler.submit(ctx, submission, propose)


def dry_run(
    ctx: Context, submission: Submission, posted: Mapping[str, object]
) -> tuple[Loaded, Caller, list[Json]]:
    """Return the match, who asks, and the events that a move would cause.

    In an event, "drawn" names the fields that chance decides, "sentence" says it, "changes" is
    what the event changes in the state as the seat sees it. The first event that chance decides,
    and whatever follows it, have no "changes". Raises what `move` raises but KeyConflict and Busy.
    """
    access = enter(ctx, submission.match, submission.token)
    seat = seat_of(access.caller)
    loaded = load_head(ctx, access)
    command = read_command(loaded.match, seat, posted)
    if submission.expected is not None and not submission.fits(loaded):
        raise command_handler.stale(ctx, submission, submission.expected)

    game = loaded.match.game
    state = loaded.match.state
    try:
        refusal = loaded.match.why_no_moves_of(seat, loaded.status)
        if refusal is not None:
            raise refusal
        command_handler.require_room(loaded.version, command)
        previewed = games.preview(game, state, command, FastChance(0))
    except RuleBroken as error:
        raise Illegal(error, loaded.version, game.key) from None

    events = _foretold(game, state, previewed, seat)
    names = stories.names_of(ctx, loaded)
    sentences = stories.foretell(loaded.match, seat, command, names)
    for event, sentence in zip(events, sentences, strict=True):
        event["sentence"] = sentence
    return loaded, access.caller, events


def _foretold(
    game: Game[StateT], state: StateT, previewed: Sequence[games.Previewed], seat: int
) -> list[Json]:
    """Return previewed events as the seat may see them, with what they change in its view."""
    events = [_redacted(event, drawn, seat) for event, drawn in previewed]
    views = games.foreseen(game, state, previewed, seat)
    for event, (before, after) in zip(events, pairwise(views), strict=False):
        event["changes"] = list(history.changes(before, after))
    return events


def _redacted(event: Message, drawn: Sequence[str], seat: int) -> Json:
    """Return a previewed event as the seat may see it.

    drawn: the names of the fields that chance decides, shown under "drawn".
    """
    shown = wire.encode(wire.redact(event, seat))
    return {**shown, "drawn": list(drawn)} if drawn else shown


def legal_moves(loaded: Loaded, seat: int) -> list[Json]:
    """Return a seat's legal moves as they may be posted."""
    match = loaded.match
    if not may_move(loaded, seat):
        return []

    return [posted(command) for command in match.game.legal_moves(match.state, seat)]


def posted(command: Message) -> Json:
    """Return a move as it may be posted: the token says whose it is."""
    move = wire.encode(command)
    move.pop("seat", None)
    return move


def unlisted(loaded: Loaded, seat: int) -> Mapping[str, Any]:
    """Return descriptions of a seat's legal moves, by command, where they are too many to list."""
    match = loaded.match
    return match.game.unlisted(match.state, seat) if may_move(loaded, seat) else {}


def may_move(loaded: Loaded, seat: int) -> bool:
    """Return whether a human may move a seat now."""
    if loaded.match.state is None:
        return False
    is_human = loaded.match.seats[seat].kind == "human"
    return is_human and seat in loaded.status.seats


def read_command(match: Match, seat: int, posted: Mapping[str, object]) -> Message:
    """Return a posted move as a command of the match's game, stamped with the seat.

    Raises Invalid.
    """
    if "seat" in posted:
        raise Invalid(Mistake("/seat", "unknown field; the token says whose move it is"))

    playable = _playable(match.rules)
    tag = posted.get("type")
    if not isinstance(tag, str) or tag not in playable:
        raise Invalid(Mistake("/type", f"must be one of {', '.join(playable)}"))

    try:
        command: Message = wire.decode(playable, posted, seat=seat)
    except BadMessage as error:
        places = [Mistake(pointer(one.path), one.detail) for one in error.all]
        raise Invalid(*places, more=error.unnamed) from None
    return command


def player_commands(game: AnyGame) -> dict[str, type]:
    """Return the commands that seats post, by tag.

    They carry a seat; the others are the house's.
    """
    return {
        tag: command
        for tag, command in game.commands.items()
        if any(field.name == "seat" for field in fields(command))
    }


@cache  # as many as there are versions of rules
def _playable(rules: str) -> dict[str, type]:
    return player_commands(RULES[rules])


def seat_of(caller: Caller) -> int:
    """Return the caller's seat; raises Unauthorized, Forbidden."""
    if caller.seat is not None:
        return caller.seat
    if caller.role == PUBLIC:
        raise Unauthorized("a move needs the token of a seat: Authorization: Bearer gio_...")
    raise Forbidden(f"the {caller.role}'s token moves no seat; use the token of a seat")


def submit_of_seat(
    ctx: Context, submission: Submission, command_of: Callable[[int], Message]
) -> Committed:
    """Submit a command of the caller's seat; raises what `move` raises but Invalid."""

    def propose(_loaded: Loaded, caller: Caller) -> Act:
        command = command_of(seat_of(caller))
        request = command_handler.fingerprint(wire.encode(command))
        return Act(caller.name, command, fingerprint=request)

    return command_handler.submit(ctx, submission, propose)
