"""What each command of a match demands and causes; other commands are its game's."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from domain.chance import Chance
from domain.errors import MatchRuleBroken
from domain.game import Draft, ReplayDraft
from domain.games import RULES
from domain.match import messages
from domain.match.evolve import evolve, new_match
from domain.match.state import Match, Seat, Status
from domain.seats import INVITATION, OWNER, SPECTATOR, seat_actor
from domain.wire import Message


@dataclass(slots=True)
class Sitting:
    """A match under a command and the events so far.

    recorded: the events that a record says the command caused; the game's draws are then taken over
    from them.
    """

    match: Match
    chance: Chance
    events: list[Message] = field(default_factory=list)
    recorded: Sequence[Message] | None = None

    def emit(self, event: Message) -> None:
        """Apply an event and keep it."""
        evolve(self.match, event)
        self.events.append(event)

    def play_game(self, command: Message) -> None:
        """Let the game play one of its commands."""
        game = RULES[self.match.rules]
        state = self.match.state
        if self.recorded is None:
            draft = Draft(state, game.evolve, self.chance, self.events)
        else:
            draft = ReplayDraft(state, game.evolve, self.chance, self.events, self.recorded)
        game.play(draft, command)


def open_match(
    command: messages.Open, chance: Chance, recorded: Sequence[Message] | None = None
) -> tuple[Match, list[Message]]:
    """Return the match that `open` makes, and its events.

    It starts at once when no seat is open (M1). recorded: events to take the draws over from, in
    place of those of `chance`.
    """
    event = messages.MatchOpened(
        game=command.game,
        rules=command.rules,
        views=command.views,
        options=command.options,
        seats=command.seats,
        visibility=command.visibility,
        commitment=command.commitment,
        secret=command.secret,
        match=command.match,
        advice=command.advice,
    )
    sitting = Sitting(new_match(event), chance, [event], recorded)

    if not _open_seats(sitting.match):
        _start(sitting)
    return sitting.match, sitting.events


def decide(
    match: Match,
    command: Message,
    chance: Chance,
    recorded: Sequence[Message] | None = None,
    status: Status | None = None,
) -> tuple[Match, list[Message]]:
    """Return the match after a command, and the events it caused; the match given is left alone.

    recorded: events to take the draws over from, in place of those of `chance`.
    status: that of the match, where the caller knows it. Raises RuleBroken.
    """
    sitting = Sitting(match.copy(), chance, recorded=recorded)
    play = _PLAYS.get(type(command))
    if play is not None:
        play(sitting, command)
        return sitting.match, sitting.events

    # Every other command is a move of the game.
    status_before = status or match.status
    if status_before.name != "running":
        raise status_before.why_no_moves()
    sitting.play_game(command)
    return sitting.match, sitting.events


def _start(sitting: Sitting) -> None:
    sitting.emit(messages.MatchStarted())
    sitting.play_game(sitting.match.game.opening)


def _open_seats(match: Match) -> list[str]:
    """Return the numbers of the open seats, as text."""
    return [str(number) for number, seat in enumerate(match.seats) if seat.kind == "open"]


def _play_join(sitting: Sitting, command: messages.Join) -> None:
    seat = require_seat(sitting.match, command.seat)
    require_before_start(sitting.match, "M2", "a seat is joined")
    if seat.kind != "open":
        free = ", ".join(_open_seats(sitting.match)) or "none"
        detail = f"Seat {command.seat} is taken; open seats: {free}."
        raise MatchRuleBroken("seat_taken", "M2", detail)

    event = messages.SeatJoined(
        seat=command.seat,
        name=command.name,
        entropy=command.entropy,
    )
    sitting.emit(event)


def _play_leave(sitting: Sitting, command: messages.Leave) -> None:
    seat = require_seat(sitting.match, command.seat)
    require_before_start(sitting.match, "M3", "a seat is left")
    if seat.kind != "human":
        detail = f"No human holds seat {command.seat}; only a held seat can be left."
        raise MatchRuleBroken("not_held", "M3", detail)

    sitting.emit(messages.SeatLeft(command.seat))


def _play_start(sitting: Sitting, command: messages.Start) -> None:
    require_before_start(sitting.match, "M4", "a match is started")
    free = _open_seats(sitting.match)
    if free:
        numbers = ", ".join(free)
        detail = f"Seats {numbers} are open; let humans join them or put bots there first."
        raise MatchRuleBroken("seats_open", "M4", detail)

    _start(sitting)


def _play_abort(sitting: Sitting, command: messages.Abort) -> None:
    require_unended(sitting.match, "M7", "only an unended match is aborted")
    sitting.emit(messages.MatchAborted())


def _play_expire(sitting: Sitting, command: messages.Expire) -> None:
    require_unended(sitting.match, "M11", "only an unended match expires")
    sitting.emit(messages.MatchExpired())


def _play_replace(sitting: Sitting, command: messages.Replace) -> None:
    seat = require_seat(sitting.match, command.seat)
    require_seats_changeable(sitting.match)
    if seat.kind == "bot" and seat.level == command.level:
        detail = f"A {seat.level} bot holds seat {command.seat} already; name another level."
        raise MatchRuleBroken("already_bot", "M8", detail)

    sitting.emit(messages.SeatReplaced(command.seat, command.level))


def _play_restore(sitting: Sitting, command: messages.Restore) -> None:
    seat = require_seat(sitting.match, command.seat)
    require_seats_changeable(sitting.match)
    if not seat.absent:
        detail = f"No bot stands in for a human at seat {command.seat}."
        raise MatchRuleBroken("not_replaced", "M8", detail)

    sitting.emit(messages.SeatRestored(command.seat))


def _play_reveal(sitting: Sitting, command: messages.Reveal) -> None:
    has_ended = sitting.match.status.name in ("finished", "aborted")
    if not has_ended or sitting.match.revealed:
        raise MatchRuleBroken("not_over", "M9", "Secrets are revealed once, after the end.")

    sitting.emit(messages.SecretsRevealed(command.secret, command.parts))


def _play_replace_token(sitting: Sitting, command: messages.ReplaceToken) -> None:
    require_unrevealed(sitting.match, "a token is replaced")
    require_holder(sitting.match, command.holder)
    sitting.emit(messages.TokenReplaced(command.holder))


def _play_revoke_token(sitting: Sitting, command: messages.RevokeToken) -> None:
    require_unrevealed(sitting.match, "a token is revoked")
    require_holder(sitting.match, command.holder)
    sitting.emit(messages.TokenRevoked(command.holder))


def _play_erase_name(sitting: Sitting, command: messages.EraseName) -> None:
    require_unrevealed(sitting.match, "a name is erased")
    require_seat(sitting.match, command.seat)
    sitting.emit(messages.NameErased(command.seat))


_PLAYS: dict[type, Callable[[Sitting, Any], None]] = {
    messages.Join: _play_join,
    messages.Leave: _play_leave,
    messages.Start: _play_start,
    messages.Abort: _play_abort,
    messages.Expire: _play_expire,
    messages.Replace: _play_replace,
    messages.Restore: _play_restore,
    messages.Reveal: _play_reveal,
    messages.ReplaceToken: _play_replace_token,
    messages.RevokeToken: _play_revoke_token,
    messages.EraseName: _play_erase_name,
}


# ---- what the rules of a match refuse, each with its number and what would be right --------------


def require_seat(match: Match, number: int) -> Seat:
    """Return a seat; refuse a number that no seat has (M1)."""
    if not 0 <= number < len(match.seats):
        last = len(match.seats) - 1
        raise MatchRuleBroken("no_such_seat", "M1", f"The match has the seats 0 to {last}.")
    return match.seats[number]


def require_before_start(match: Match, rule: str, what: str) -> None:
    """Refuse, by a rule, what is done only before the start; `what`: "a seat is joined"."""
    if match.stage != "open":
        detail = f"The match is {match.status.name}; {what} only before the start."
        raise MatchRuleBroken("already_started", rule, detail)


def require_unended(match: Match, rule: str, what: str) -> None:
    """Refuse, by a rule, what is done only before the end.

    what: "only an unended match is aborted".
    """
    status = match.status.name
    if status not in ("open", "running"):
        raise MatchRuleBroken("match_over", rule, f"The match is {status}; {what}.")


def require_seats_changeable(match: Match) -> None:
    """Refuse to change who holds a seat after the end (M8)."""
    if match.status.name not in ("open", "running"):
        detail = "The match has ended; seats change hands only before its end."
        raise MatchRuleBroken("match_over", "M8", detail)


def require_unrevealed(match: Match, what: str) -> None:
    """Refuse a commit after the revelation, which is the last of all (M9, M13).

    what: "a token is replaced".
    """
    if match.revealed:
        detail = f"The secrets are revealed and the history is complete; {what} only beside it."
        raise MatchRuleBroken("already_revealed", "M13", detail)


def require_holder(match: Match, holder: str) -> None:
    """Refuse the name of a holder of tokens that the match does not have (M13)."""
    seats = [seat_actor(number) for number in range(len(match.seats))]
    holders = [OWNER, SPECTATOR, INVITATION, *seats]
    if holder not in holders:
        detail = f"Nobody in the match is called so; tokens are held by {', '.join(holders)}."
        raise MatchRuleBroken("no_such_holder", "M13", detail)
