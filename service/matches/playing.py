"""Moves: from what a caller posts to a commit, exactly once."""

from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from itertools import pairwise
from typing import Any

from domain import game as games
from domain import wire
from domain.chance import Light
from domain.errors import BadMessage, MatchRuleBroken, RuleBroken
from domain.game import Game
from domain.match.state import Match, actors, status
from service.errors import Forbidden, Illegal, Invalid, Place, Unauthorized, pointer
from service.keys import tokens
from service.ledger.canonical import Json
from service.ledger.replay import Loaded
from service.matches import differing
from service.matches.access import enter
from service.matches.bounds import require_room
from service.matches.committing import fingerprint
from service.matches.deciding import Made, Wanted, make, stale
from service.matches.desk import Desk


def move(
    desk: Desk,
    match: str,
    token: str | None,
    data: Mapping[str, Any],
    *,
    expected: int | None = None,
    key: str = "",
) -> Made:
    """Make a seat's move. `expected`: the version it was thought up for; `key`: the same key never moves twice.

    Raises NotFound, Unauthorized, Forbidden, Invalid, Stale, KeyConflict, Busy, Illegal.
    """

    def want(loaded: Loaded, caller: tokens.Caller) -> Wanted:
        seat = _seat(caller)
        return Wanted(read_command(loaded.match, seat, data), refusal=_refusal(loaded.match, seat))

    return make(
        desk, match, token, want, expected=expected, key=key, mark=fingerprint(data) if key else ""
    )


def dry_run(
    desk: Desk, match: str, token: str | None, data: Mapping[str, Any], expected: int | None = None
) -> tuple[Loaded, tokens.Caller, list[Json]]:
    """Return the match, who asks, and the events a move would cause.

    "drawn" in an event names the fields that chance decides, "changes" says what the event changes in the state as the
    seat sees it. The first event that chance decides, and whatever follows it, have no "changes".
    """
    loaded, caller = enter(desk, match, token)
    seat = _seat(caller)
    command = read_command(loaded.match, seat, data)
    if expected is not None and expected != loaded.version:
        raise stale(desk, match, token, expected)

    game = loaded.match.game
    state = loaded.match.state
    refusal = _refusal(loaded.match, seat)
    try:
        if refusal is not None:
            raise refusal
        require_room(loaded.version, command)
        previewed = games.preview(game, state, command, Light(0))
    except RuleBroken as error:
        raise Illegal(error, loaded.version, game.key) from None

    events = [_foretold(event, drawn, seat) for event, drawn in previewed]
    views = games.foreseen(game, state, previewed, seat)
    for event, (before, after) in zip(events, pairwise(views), strict=False):
        event["changes"] = list(differing.changes(before, after))
    return loaded, caller, events


def _foretold(event: wire.Message, drawn: tuple[str, ...], seat: int) -> Json:
    """Return a previewed event as the seat may see it, with the names of what chance decides in it."""
    told = wire.encode(wire.redact(event, seat))
    return {**told, "drawn": list(drawn)} if drawn else told


def legal_moves(loaded: Loaded, seat: int) -> list[Json]:
    """Return a seat's legal moves as they may be posted."""
    match = loaded.match
    if not _may_act(match, seat):
        return []
    moves = [wire.encode(command) for command in match.game.legal_moves(match.state, seat)]
    return [{name: value for name, value in one.items() if name != "seat"} for one in moves]


def beyond(loaded: Loaded, seat: int) -> Mapping[str, Any]:
    """Return the descriptions of a seat's legal moves that are too many to be listed, by command."""
    return (
        loaded.match.game.unlisted(loaded.match.state, seat) if _may_act(loaded.match, seat) else {}
    )


def _may_act(match: Match, seat: int) -> bool:
    return (
        status(match) == "running" and seat in actors(match) and match.seats[seat].kind == "human"
    )


def read_command(match: Match, seat: int, data: Mapping[str, Any]) -> Any:
    """Return a posted move as a command of the match's game, stamped with the seat; raises Invalid."""
    if "seat" in data:
        raise Invalid(Place("/seat", "unknown field; the token says whose move it is"))
    playable = player_commands(match.game)
    kind = data.get("type")
    if not isinstance(kind, str) or kind not in playable:
        raise Invalid(Place("/type", f"must be one of {', '.join(playable)}"))
    try:
        return wire.decode(playable, data, seat=seat)
    except BadMessage as error:
        places = [Place(pointer(one.path), one.detail) for one in error.all]
        raise Invalid(*places, more=error.untold) from None


def player_commands(game: Game[Any]) -> dict[str, type]:
    """Return the commands that seats post, by tag: those that carry a seat; the others are the house's."""
    return _with_a_seat(tuple(game.commands.items()))


@cache
def _with_a_seat(commands: tuple[tuple[str, type], ...]) -> dict[str, type]:
    return {tag: cls for tag, cls in commands if any(f.name == "seat" for f in fields(cls))}


def _seat(caller: tokens.Caller) -> int:
    if caller.seat is None:
        if caller.role == "public":
            raise Unauthorized("a move needs the token of a seat: Authorization: Bearer gio_...")
        raise Forbidden(f"the {caller.role}'s token moves no seat; use the token of a seat")
    return caller.seat


def _refusal(match: Match, seat: int) -> RuleBroken | None:
    """Return why the seat may make no move at all now, if so."""
    if match.stage == "open":
        return MatchRuleBroken(
            "not_started",
            "M4",
            "The match has not started; its owner starts it once no seat is open.",
        )
    if (now := status(match)) != "running":
        return MatchRuleBroken(
            "match_over", "M5", f"The match is {now}; no more moves can be made."
        )
    if match.seats[seat].kind == "bot":
        return MatchRuleBroken(
            "seat_held_by_bot",
            "M6",
            f"A bot holds seat {seat} now; its owner can give the seat back.",
        )
    return None
