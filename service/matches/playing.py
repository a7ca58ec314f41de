"""Moves: from what a caller posts to a commit, exactly once."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from domain import game as games
from domain import wire
from domain.chance import Light
from domain.errors import BadMessage, RuleBroken
from domain.game import Game
from domain.match.state import Match, actors, status
from service import tokens
from service.errors import Busy, Forbidden, Invalid, KeyConflict, NotFound, Place, Stale, Unauthorized, pointer
from service.journal import codec
from service.journal.port import Conflict, KeyReused
from service.matches.committing import commit, fingerprint
from service.matches.desk import Desk, Loaded, load

TRIES = 8


@dataclass(frozen=True, slots=True)
class Made:
    """A commit as its maker may see it; `after` is the match then, None for a repeat."""

    entry: codec.Json
    after: Loaded | None
    repeated: bool


def enter(desk: Desk, match: str, token: str | None) -> tuple[Loaded, tokens.Caller]:
    """Return a match and who the token's bearer is in it. Raises NotFound, Unauthorized."""
    if token is None:
        loaded, _ = load(desk, match)
        caller = tokens.Caller()
    else:
        loaded, name = load(desk, match, tokens.field(token))
        if name is None:
            raise Unauthorized("this token is not, or no longer, a token of this match")
        caller = tokens.caller(name)
    if loaded.match.visibility == "private" and caller.role == "public":
        raise NotFound(f"there is no match {match}")
    return loaded, caller


def move(
    desk: Desk, match: str, token: str | None, data: Mapping[str, Any], *, expected: int | None = None, key: str = ""
) -> Made:
    """Make a seat's move. `expected`: the version it was thought up for; `key`: the same key never moves twice.

    Raises NotFound, Unauthorized, Forbidden, Invalid, Stale, KeyConflict, Busy, RuleBroken.
    """
    for _ in range(TRIES):
        loaded, caller = enter(desk, match, token)
        seat = _seat(caller)
        command = read_command(loaded.match, seat, data)
        command_id = f"{caller.name}:{key}" if key else ""
        mark = fingerprint(data) if key else ""
        try:
            if expected is not None and expected != loaded.version:
                raise Conflict(loaded.version)  # noqa: TRY301 (one way to answer the stale: as the journal would)
            _may_move(loaded.match, seat)
            after, appended, written = commit(
                desk, loaded, caller.name, command, command_id=command_id, fingerprint=mark
            )
        except (Conflict, RuleBroken, KeyReused) as error:
            done = _made_before(desk, match, command_id, mark)
            if done is not None:
                return _repeat(desk, match, done)
            if isinstance(error, RuleBroken):
                raise
            if isinstance(error, Conflict) and expected is not None:
                raise Stale(expected, error.version) from None
            continue
        if appended.repeated:
            return _repeat(desk, match, appended.version)
        return Made({"commit": written.content, "hash": written.hash, "secrets": written.secrets}, after, False)
    raise Busy("the match moved on too often while the move was made; send it again with the version you expect")


def dry_run(
    desk: Desk, match: str, token: str | None, data: Mapping[str, Any], expected: int | None = None
) -> tuple[Loaded, list[codec.Json]]:
    """Return the match and the events a move would cause; fields that chance decides are named under "drawn"."""
    loaded, caller = enter(desk, match, token)
    seat = _seat(caller)
    command = read_command(loaded.match, seat, data)
    if expected is not None and expected != loaded.version:
        raise Stale(expected, loaded.version)
    _may_move(loaded.match, seat)
    previewed = games.preview(loaded.match.game, loaded.match.state, command, Light(0))
    return loaded, [
        {**wire.encode(wire.redact(event, seat)), **({"drawn": list(drawn)} if drawn else {})}
        for event, drawn in previewed
    ]


def legal_moves(loaded: Loaded, seat: int) -> list[codec.Json]:
    """Return a seat's legal moves as they may be posted."""
    match = loaded.match
    if status(match) != "running" or seat not in actors(match) or match.seats[seat].kind != "human":
        return []
    moves = [wire.encode(command) for command in match.game.legal_moves(match.state, seat)]
    return [{name: value for name, value in one.items() if name != "seat"} for one in moves]


def read_command(match: Match, seat: int, data: Mapping[str, Any]) -> Any:
    """Return a posted move as a command of the match's game, stamped with the seat; raises Invalid."""
    if "seat" in data:
        raise Invalid(Place("/seat", "unknown field; the token says whose move it is"))
    playable = player_commands(match.game)
    kind = data.get("type")
    if not isinstance(kind, str) or kind not in playable:
        raise Invalid(Place("/type", f"must be one of {', '.join(playable)}"))
    try:
        return wire.decode(playable, {**data, "seat": seat})
    except BadMessage as error:
        raise Invalid(Place(pointer(error.path), error.detail)) from None


def player_commands(game: Game[Any]) -> dict[str, type]:
    """Return the commands that seats post, by tag: those that carry a seat; the others are the house's."""
    return {tag: cls for tag, cls in game.commands.items() if any(f.name == "seat" for f in fields(cls))}


def _seat(caller: tokens.Caller) -> int:
    if caller.seat is None:
        if caller.role == "public":
            raise Unauthorized("a move needs the token of a seat: Authorization: Bearer gio_...")
        raise Forbidden(f"the {caller.role}'s token moves no seat; use the token of a seat")
    return caller.seat


def _may_move(match: Match, seat: int) -> None:
    if match.stage == "running" and match.seats[seat].kind == "bot":
        raise RuleBroken("seat_held_by_bot", "M6", f"A bot holds seat {seat} now; its owner can give the seat back.")
    if match.stage == "open":
        raise RuleBroken("not_started", "M4", "The match has not started; its owner starts it once no seat is open.")
    if (now := status(match)) != "running":
        raise RuleBroken("match_over", "M5", f"The match is {now}; no more moves can be made.")


def _made_before(desk: Desk, match: str, command_id: str, mark: str) -> int | None:
    if not command_id:
        return None
    try:
        return desk.journal.made(match, command_id, mark)
    except KeyReused:
        raise KeyConflict("this idempotency key was used for another move; send a new key") from None


def _repeat(desk: Desk, match: str, version: int) -> Made:
    return Made(codec.parse(desk.journal.read(match, version - 1, 1)[0]), None, True)
