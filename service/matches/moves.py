"""Moves of a seat: listed, previewed and made."""

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
from service.base.json_patch import changes
from service.matches import command_handler, stories
from service.matches.access import enter
from service.matches.command_handler import Act, Committed, Submission
from service.matches.context import Context
from service.matches.repository import load_head
from service.record.commit import Json
from service.record.replay import Loaded
from service.store.journal.values import fingerprint
from service.store.keys.tokens import Caller


def move(ctx: Context, submission: Submission, posted: Mapping[str, object]) -> Committed:
    """Make the posted move of a seat.

    Raises Invalid, Unauthorized, Forbidden, and the errors of `submit`.
    """
    # Only a repeat with a key needs the fingerprint.
    move_fingerprint = fingerprint(posted) if submission.key else ""

    def propose(loaded: Loaded, caller: Caller) -> Act:
        seat = seat_of(caller)
        command = read_command(loaded.match, seat, posted)
        refusal = loaded.match.why_no_moves_of(seat, loaded.status)
        return Act(caller.name, command, refusal, fingerprint=move_fingerprint)

    return command_handler.submit(ctx, submission, propose)


def dry_run(
    ctx: Context, submission: Submission, posted: Mapping[str, object]
) -> tuple[Loaded, Caller, list[Json]]:
    """Return the match, the caller, and the events of a move without making it.

    In an event, "drawn" names the fields decided by chance, "sentence" tells the event, and
    "changes" are the changes of the state as the seat sees it. The first event with a draw, and all
    events after it, have no "changes". Raises Invalid, Unauthorized, Forbidden, Stale, Illegal, and
    the errors of `enter`.
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

    events = _preview_events(game, state, previewed, seat)
    names = stories.names_of(ctx, loaded)
    sentences = stories.foretell(loaded.match, seat, command, names)
    for event, sentence in zip(events, sentences, strict=True):
        event["sentence"] = sentence
    return loaded, access.caller, events


def _preview_events(
    game: Game[StateT], state: StateT, previewed: Sequence[games.Previewed], seat: int
) -> list[Json]:
    """Return previewed events as the seat may see them, with the changes in its view."""
    events = [_redact_preview(event, drawn, seat) for event, drawn in previewed]
    views = games.foreseen(game, state, previewed, seat)
    for event, (before, after) in zip(events, pairwise(views), strict=False):
        event["changes"] = list(changes(before, after))
    return events


def _redact_preview(event: Message, drawn: Sequence[str], seat: int) -> Json:
    """Return a previewed event as the seat may see it.

    drawn: the names of the fields decided by chance, shown under "drawn".
    """
    answer = wire.encode(wire.redact(event, seat))
    return {**answer, "drawn": list(drawn)} if drawn else answer


def legal_moves(loaded: Loaded, seat: int) -> list[Json]:
    """Return a seat's legal moves in their posted form."""
    match = loaded.match
    if not may_move(loaded, seat):
        return []

    return [posted(command) for command in match.game.legal_moves(match.state, seat)]


def posted(command: Message) -> Json:
    """Return a move in its posted form, without the seat. The token names the seat."""
    move = wire.encode(command)
    move.pop("seat", None)
    return move


def unlisted(loaded: Loaded, seat: int) -> Mapping[str, Any]:
    """Return descriptions of a seat's legal moves, by command, if they are too many to list."""
    match = loaded.match
    return match.game.unlisted(match.state, seat) if may_move(loaded, seat) else {}


def may_move(loaded: Loaded, seat: int) -> bool:
    """Return True if a human holds a seat that must act in the game now."""
    if loaded.match.state is None:
        return False
    is_human = loaded.match.seats[seat].kind == "human"
    return is_human and seat in loaded.status.seats


def read_command(match: Match, seat: int, posted: Mapping[str, object]) -> Message:
    """Return a posted move as a command of the match's game, with the seat.

    Raises Invalid.
    """
    if "seat" in posted:
        raise Invalid(Mistake("/seat", "unknown field: the token determines the seat"))

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

    These are the commands with a field `seat`. The house gives the others.
    """
    return {
        tag: command
        for tag, command in game.commands.items()
        if any(field.name == "seat" for field in fields(command))
    }


@cache  # one for each version of rules
def _playable(rules: str) -> dict[str, type]:
    return player_commands(RULES[rules])


def seat_of(caller: Caller) -> int:
    """Return the caller's seat. Raises Unauthorized, Forbidden."""
    if caller.seat is not None:
        return caller.seat
    if caller.role == PUBLIC:
        raise Unauthorized("a move needs the token of a seat: `Authorization: Bearer gio_...`")
    raise Forbidden(f"the token of the {caller.role} moves no seat. Use the token of a seat")


def submit_of_seat(
    ctx: Context, submission: Submission, command_of: Callable[[int], Message]
) -> Committed:
    """Submit a command of the caller's seat. Raises the errors of `seat_of` and `submit`."""

    def propose(_loaded: Loaded, caller: Caller) -> Act:
        command = command_of(seat_of(caller))
        request = fingerprint(wire.encode(command))
        return Act(caller.name, command, fingerprint=request)

    return command_handler.submit(ctx, submission, propose)
