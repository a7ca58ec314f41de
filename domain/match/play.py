"""May I? The commands of a match; a command that is not one of these is its game's."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from domain.chance import Chance
from domain.errors import MatchRuleBroken
from domain.game import Draft, Guided
from domain.match.messages import (
    Abort,
    EraseName,
    Expire,
    Join,
    Leave,
    MatchAborted,
    MatchExpired,
    MatchOpened,
    MatchStarted,
    NameErased,
    Open,
    Replace,
    ReplaceToken,
    Restore,
    Reveal,
    RevokeToken,
    SeatJoined,
    SeatLeft,
    SeatReplaced,
    SeatRestored,
    SecretsRevealed,
    Start,
    TokenReplaced,
    TokenRevoked,
)
from domain.match.state import Match, Seat, evolve, opened, status


@dataclass(slots=True)
class Sitting:
    """A match under a command and the events so far.

    recorded: the events that a record says the command caused; the game's draws are then taken over from them.
    """

    match: Match
    chance: Chance
    events: list[Any] = field(default_factory=list)
    recorded: Sequence[Any] | None = None

    def emit(self, event: Any) -> None:
        """Apply an event and keep it."""
        evolve(self.match, event)
        self.events.append(event)

    def play_game(self, command: Any) -> None:
        """Let the game play one of its commands."""
        game, state = self.match.game, self.match.state
        if self.recorded is None:
            draft = Draft(state, game.evolve, self.chance, self.events)
        else:
            draft = Guided(state, game.evolve, self.chance, self.events, self.recorded)
        game.play(draft, command)


def open_match(
    command: Open, chance: Chance, recorded: Sequence[Any] | None = None
) -> tuple[Match, list[Any]]:
    """Return the match that `open` makes and its events; it starts at once when no seat is open (M1).

    recorded: events to take the draws over from, in place of those of `chance`.
    """
    event = MatchOpened(
        game=command.game,
        rules=command.rules,
        views=command.views,
        options=command.options,
        seats=command.seats,
        visibility=command.visibility,
        commitment=command.commitment,
        secret=command.secret,
        match=command.match,
    )
    sitting = Sitting(opened(event), chance, [event], recorded)
    if all(seat.kind != "open" for seat in sitting.match.seats):
        _start(sitting)
    return sitting.match, sitting.events


def decide(
    match: Match, command: Any, chance: Chance, recorded: Sequence[Any] | None = None
) -> tuple[Match, list[Any]]:
    """Return the match after a command and the events it caused; the match handed in is left alone.

    recorded: events to take the draws over from, in place of those of `chance`. Raises RuleBroken.
    """
    sitting = Sitting(match.copy(), chance, recorded=recorded)
    lobby = _LOBBY.get(type(command))
    if lobby is None:
        _play_move(sitting, command)
    else:
        lobby(sitting, command)
    return sitting.match, sitting.events


def _play_move(sitting: Sitting, command: Any) -> None:
    match = sitting.match
    if match.stage == "open":
        raise MatchRuleBroken(
            "not_started",
            "M4",
            "The match has not started; its owner starts it once no seat is open.",
        )
    if status(match) != "running":
        raise MatchRuleBroken(
            "match_over", "M5", f"The match is {status(match)}; no more moves can be made."
        )
    sitting.play_game(command)


def _seat(match: Match, number: int) -> Seat:
    if not 0 <= number < len(match.seats):
        raise MatchRuleBroken(
            "no_such_seat", "M1", f"The match has the seats 0 to {len(match.seats) - 1}."
        )
    return match.seats[number]


def _require_open(match: Match, rule: str, what: str) -> None:
    if match.stage != "open":
        raise MatchRuleBroken(
            "already_started", rule, f"The match is {status(match)}; {what} only before the start."
        )


def _start(sitting: Sitting) -> None:
    sitting.emit(MatchStarted())
    sitting.play_game(sitting.match.game.opening)


def _play_join(sitting: Sitting, command: Join) -> None:
    seat = _seat(sitting.match, command.seat)
    _require_open(sitting.match, "M2", "a seat is joined")
    if seat.kind != "open":
        free = [str(i) for i, other in enumerate(sitting.match.seats) if other.kind == "open"]
        raise MatchRuleBroken(
            "seat_taken",
            "M2",
            f"Seat {command.seat} is taken; open seats: {', '.join(free) or 'none'}.",
        )
    sitting.emit(SeatJoined(command.seat, command.name, command.entropy))


def _play_leave(sitting: Sitting, command: Leave) -> None:
    seat = _seat(sitting.match, command.seat)
    _require_open(sitting.match, "M3", "a seat is left")
    if seat.kind != "human":
        raise MatchRuleBroken(
            "not_held", "M3", f"No human holds seat {command.seat}; only a held seat can be left."
        )
    sitting.emit(SeatLeft(command.seat))


def _play_start(sitting: Sitting, command: Start) -> None:
    _require_open(sitting.match, "M4", "a match is started")
    free = [str(i) for i, seat in enumerate(sitting.match.seats) if seat.kind == "open"]
    if free:
        raise MatchRuleBroken(
            "seats_open",
            "M4",
            f"Seats {', '.join(free)} are open; let humans join them or put bots there first.",
        )
    _start(sitting)


def _play_abort(sitting: Sitting, command: Abort) -> None:
    if status(sitting.match) not in ("open", "running"):
        raise MatchRuleBroken(
            "match_over",
            "M7",
            f"The match is {status(sitting.match)}; only an unended match is aborted.",
        )
    sitting.emit(MatchAborted())


def _play_expire(sitting: Sitting, command: Expire) -> None:
    if status(sitting.match) not in ("open", "running"):
        detail = f"The match is {status(sitting.match)}; only an unended match expires."
        raise MatchRuleBroken("match_over", "M11", detail)
    sitting.emit(MatchExpired())


def _play_replace(sitting: Sitting, command: Replace) -> None:
    seat = _seat(sitting.match, command.seat)
    if status(sitting.match) not in ("open", "running"):
        raise MatchRuleBroken(
            "match_over", "M8", "The match has ended; seats change hands only before its end."
        )
    if seat.kind == "bot" and seat.level == command.level:
        detail = f"A {seat.level} bot holds seat {command.seat} already; name another level."
        raise MatchRuleBroken("already_bot", "M8", detail)
    sitting.emit(SeatReplaced(command.seat, command.level))


def _play_restore(sitting: Sitting, command: Restore) -> None:
    seat = _seat(sitting.match, command.seat)
    if status(sitting.match) not in ("open", "running"):
        raise MatchRuleBroken(
            "match_over", "M8", "The match has ended; seats change hands only before its end."
        )
    if not seat.absent:
        raise MatchRuleBroken(
            "not_replaced", "M8", f"No bot stands in for a human at seat {command.seat}."
        )
    sitting.emit(SeatRestored(command.seat))


def _play_reveal(sitting: Sitting, command: Reveal) -> None:
    if status(sitting.match) not in ("finished", "aborted") or sitting.match.revealed:
        raise MatchRuleBroken("not_over", "M9", "Secrets are revealed once, after the end.")
    sitting.emit(SecretsRevealed(command.secret, command.parts))


def _require_sealed(match: Match, what: str) -> None:
    """Refuse a commit after the revelation, which is the last of all (M9)."""
    if match.revealed:
        detail = f"The secrets are revealed and the history is complete; {what} only beside it."
        raise MatchRuleBroken("already_revealed", "M13", detail)


def _require_holder(match: Match, holder: str) -> None:
    holders = [
        "owner",
        "spectator",
        "invitation",
        *(f"seat:{number}" for number in range(len(match.seats))),
    ]
    if holder not in holders:
        detail = f"Nobody in the match is called so; tokens are held by {', '.join(holders)}."
        raise MatchRuleBroken("no_such_holder", "M13", detail)


def _play_replace_token(sitting: Sitting, command: ReplaceToken) -> None:
    _require_sealed(sitting.match, "a token is replaced")
    _require_holder(sitting.match, command.holder)
    sitting.emit(TokenReplaced(command.holder))


def _play_revoke_token(sitting: Sitting, command: RevokeToken) -> None:
    _require_sealed(sitting.match, "a token is revoked")
    _require_holder(sitting.match, command.holder)
    sitting.emit(TokenRevoked(command.holder))


def _play_erase_name(sitting: Sitting, command: EraseName) -> None:
    _require_sealed(sitting.match, "a name is erased")
    _seat(sitting.match, command.seat)
    sitting.emit(NameErased(command.seat))


_LOBBY: dict[type, Any] = {
    Join: _play_join,
    Leave: _play_leave,
    Start: _play_start,
    Abort: _play_abort,
    Expire: _play_expire,
    Replace: _play_replace,
    Restore: _play_restore,
    Reveal: _play_reveal,
    ReplaceToken: _play_replace_token,
    RevokeToken: _play_revoke_token,
    EraseName: _play_erase_name,
}
