"""The checks and the events of most commands. Commands that are not the match's go to its game."""

from collections.abc import Sequence
from dataclasses import replace

from domain.chance import Chance
from domain.errors import MatchRuleBroken
from domain.games import RULES
from domain.match import messages
from domain.match.demands import (
    open_seats,
    require_before_start,
    require_holder,
    require_human,
    require_key_of_proof,
    require_keys_apart,
    require_replaceable,
    require_running,
    require_seat,
    require_seats_changeable,
    require_unended,
    require_unrevealed,
    require_way_back,
)
from domain.match.evolve import end_commit, evolve, new_match
from domain.match.match_rules import read_match_rules
from domain.match.sitting import Plays, Sitting
from domain.match.state import Match, Stamp, Status
from domain.match.terms import PLAYS, TERMS
from domain.wire import Message


def open_match(
    command: messages.Open,
    chance: Chance,
    recorded: Sequence[Message] | None = None,
    stamp: Stamp | None = None,
) -> tuple[Match, list[Message]]:
    """Return the match after `open`, and its events.

    The match starts at once if no seat is open and nothing is owed (M1, M19).
    recorded: events to copy draws from, in place of `chance`.
    stamp: of the commit. Needed if `Match.needs_stamps`.
    Raises RuleBroken for two seats with one key (M18), wrong pledges (M19) or a wrong base (M21),
    and UnknownMatchRules.
    """
    event = messages.opened_by(command)
    if read_match_rules(command.match_rules).tells_hiding_commands:
        event = replace(event, hides=RULES[command.rules].hides)
    sitting = Sitting(new_match(event), chance, evolve, [event], recorded, stamp)
    require_keys_apart(sitting.match)
    _guard_result(sitting.match, command)
    for term in TERMS:
        for first_event in term.first_events(command):
            sitting.emit(first_event)

    if not open_seats(sitting.match) and not sitting.match.owed[1]:
        sitting.start()
    _end(sitting)
    return sitting.match, sitting.events


def decide(  # noqa: PLR0913 - callers give the last three only if they have them
    match: Match,
    command: Message,
    chance: Chance,
    recorded: Sequence[Message] | None = None,
    status: Status | None = None,
    stamp: Stamp | None = None,
) -> tuple[Match, list[Message]]:
    """Return the match after a command, and the events of the command. `match` stays unchanged.

    recorded: events to copy draws from, in place of `chance`.
    status: of `match`. None: computed here.
    stamp: of the commit. Needed if `Match.needs_stamps`.
    Raises RuleBroken.
    """
    sitting = Sitting(match.copy(), chance, evolve, recorded=recorded, stamp=stamp)
    play = _PLAYS.get(type(command))
    if play is not None:
        play(sitting, command)
    else:
        # Every other command is a move of the game.
        status_before = status or match.status
        if status_before.name != "running":
            raise status_before.why_no_moves()
        sitting.play_game(command)

    if match.terms:
        _end(sitting)
    return sitting.match, sitting.events


def _end(sitting: Sitting) -> None:
    """Let the terms note the end of the commit, if `Match.needs_stamps`."""
    if sitting.match.needs_stamps:
        assert sitting.stamp is not None, "a term needs to know it"
        end_commit(sitting.match, sitting.events, sitting.stamp)


def _guard(match: Match, command: Message) -> None:
    """Let the terms refuse a command. Most rules of the match itself are checked before."""
    for term in TERMS:
        term.guard(match, command)


def _guard_result(match: Match, command: Message) -> None:
    """Let the terms refuse a command because of the match after it."""
    for term in TERMS:
        term.guard_result(match, command)


def _play_join(sitting: Sitting, command: messages.Join) -> None:
    seat = require_seat(sitting.match, command.seat)
    require_before_start(sitting.match, "M2", "a seat is joined")
    if seat.kind != "open":
        free = ", ".join(open_seats(sitting.match)) or "none"
        detail = f"Seat {command.seat} is taken. Open seats: {free}."
        raise MatchRuleBroken("seat_taken", "M2", detail)
    _guard(sitting.match, command)

    event = messages.SeatJoined(
        seat=command.seat,
        name=command.name,
        entropy=command.entropy,
        key=command.key,
        pledge=command.pledge,
        proof=command.proof,
    )
    sitting.emit(event)
    require_keys_apart(sitting.match)
    require_key_of_proof(command)
    _guard_result(sitting.match, command)


def _play_leave(sitting: Sitting, command: messages.Leave) -> None:
    seat = require_seat(sitting.match, command.seat)
    require_before_start(sitting.match, "M3", "a seat is left")
    if seat.kind != "human":
        detail = f"No human holds seat {command.seat}. Only a held seat can be left."
        raise MatchRuleBroken("not_held", "M3", detail)

    sitting.emit(messages.SeatLeft(command.seat))


def _play_start(sitting: Sitting, command: messages.Start) -> None:
    require_before_start(sitting.match, "M4", "a match is started")
    free = open_seats(sitting.match)
    if free:
        numbers = ", ".join(free)
        detail = f"Open seats: {numbers}. Let humans join or put bots there first."
        raise MatchRuleBroken("seats_open", "M4", detail)
    _guard(sitting.match, command)

    sitting.start()


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
        detail = f"A {seat.level} bot holds seat {command.seat} already. Name another level."
        raise MatchRuleBroken("already_bot", "M8", detail)
    require_replaceable(sitting.match, command)
    _guard(sitting.match, command)

    sitting.emit(messages.SeatReplaced(command.seat, command.level))


def _play_restore(sitting: Sitting, command: messages.Restore) -> None:
    seat = require_seat(sitting.match, command.seat)
    require_seats_changeable(sitting.match)
    if not seat.absent:
        detail = f"No bot stands in for a human at seat {command.seat}."
        raise MatchRuleBroken("not_replaced", "M8", detail)
    require_way_back(sitting.match, command.seat)
    _guard(sitting.match, command)

    sitting.emit(messages.SeatRestored(command.seat))


def _play_return(sitting: Sitting, command: messages.Return) -> None:
    seat = require_seat(sitting.match, command.seat)
    require_running(sitting.match, "M15", "a seat is played on")
    require_way_back(sitting.match, command.seat)
    _guard(sitting.match, command)
    if not seat.absent:
        detail = f"No bot stands in for a human at seat {command.seat}. Its human plays."
        raise MatchRuleBroken("not_replaced", "M8", detail)

    sitting.emit(messages.SeatRestored(command.seat))


def _play_resign(sitting: Sitting, command: messages.Resign) -> None:
    require_running(sitting.match, "M16", "a seat resigns")
    require_human(sitting.match, command.seat, "M16")
    _guard(sitting.match, command)

    sitting.emit(messages.SeatResigned(command.seat))
    sitting.emit(messages.SeatReplaced(command.seat, command.level))


def _play_reveal(sitting: Sitting, command: messages.Reveal) -> None:
    has_ended = sitting.match.status.name in ("ended", "aborted")
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


_PLAYS: Plays = {
    **PLAYS,
    messages.Join: _play_join,
    messages.Leave: _play_leave,
    messages.Start: _play_start,
    messages.Abort: _play_abort,
    messages.Expire: _play_expire,
    messages.Replace: _play_replace,
    messages.Restore: _play_restore,
    messages.Return: _play_return,
    messages.Resign: _play_resign,
    messages.Reveal: _play_reveal,
    messages.ReplaceToken: _play_replace_token,
    messages.RevokeToken: _play_revoke_token,
    messages.EraseName: _play_erase_name,
}
