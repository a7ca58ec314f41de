"""What each command of a match demands and causes; other commands are its game's."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from domain.chance import Chance
from domain.errors import MatchRuleBroken
from domain.game import Draft, ReplayDraft
from domain.games import RULES
from domain.match import messages
from domain.match.clock import Stamp
from domain.match.demands import (
    open_seats,
    require_all_pledged,
    require_ask,
    require_base,
    require_before_start,
    require_clock,
    require_holder,
    require_human,
    require_human_to_disclose,
    require_joint_entropy,
    require_key_of_proof,
    require_keys_apart,
    require_new_pledge,
    require_pledges_apart,
    require_pledges_fit,
    require_reachable,
    require_replaceable,
    require_running,
    require_seat,
    require_seats_changeable,
    require_take_back,
    require_unended,
    require_unrefused,
    require_unrevealed,
    require_way_back,
)
from domain.match.evolve import end_commit, evolve, new_match
from domain.match.joint_entropy import DISCLOSURE, is_hex, pledge_of
from domain.match.match_rules import read_match_rules
from domain.match.state import Match, Status
from domain.match.take_back import CONSENT
from domain.wire import Message


@dataclass(slots=True)
class Sitting:
    """A match under a command and the events so far.

    recorded: the events that a record says the command caused; the game's draws are then taken over
    from them.
    stamp: what the commit says beside the events; needed where the match needs stamps.
    """

    match: Match
    chance: Chance
    events: list[Message] = field(default_factory=list)
    recorded: Sequence[Message] | None = None
    stamp: Stamp | None = None

    def emit(self, event: Message) -> None:
        """Apply an event and keep it."""
        evolve(self.match, event)
        self.events.append(event)

    def play_game(self, command: Message) -> None:
        """Let the game play one of its commands: of a commit one at most, and so it is counted."""
        game = RULES[self.match.rules]
        state = self.match.state
        if self.recorded is None:
            draft = Draft(state, game.evolve, self.chance, self.events)
        else:
            draft = ReplayDraft(state, game.evolve, self.chance, self.events, self.recorded)
        game.play(draft, command)
        if self.match.moves is not None:
            self.match.moves += 1

    def end(self) -> None:
        """Note the end of the commit, in a match that needs stamps."""
        if self.match.needs_stamps:
            assert self.stamp is not None, "a clock, take-back and joint entropy need to know it"
            end_commit(self.match, self.events, self.stamp)


def open_match(
    command: messages.Open,
    chance: Chance,
    recorded: Sequence[Message] | None = None,
    stamp: Stamp | None = None,
) -> tuple[Match, list[Message]]:
    """Return the match that `open` makes, and its events.

    It starts at once when no seat is open (M1). recorded: events to take the draws over from, in
    place of those of `chance`. stamp: needed where the match needs stamps.
    Raises RuleBroken where two seats have one key (M18), pledges have no place (M19), or the base
    is none (M21).
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
        clock=command.clock,
        take_back=command.take_back,
        draws=command.draws,
        joint_entropy=command.joint_entropy,
        match_rules=command.match_rules,
    )
    if read_match_rules(command.match_rules).tells_hiding_commands:
        event = replace(event, hides=RULES[command.rules].hides)
    sitting = Sitting(new_match(event), chance, [event], recorded, stamp)
    require_keys_apart(sitting.match)
    require_pledges_fit(sitting.match, command.seats)
    require_pledges_apart(sitting.match)
    if command.base is not None:
        require_base(sitting.match, command.base)
        sitting.emit(messages.Forked(command.base))

    if not open_seats(sitting.match) and sitting.match.joint_entropy is None:
        _start(sitting)
    sitting.end()
    return sitting.match, sitting.events


def decide(  # noqa: PLR0913 - the last three are given only where they are known
    match: Match,
    command: Message,
    chance: Chance,
    recorded: Sequence[Message] | None = None,
    status: Status | None = None,
    stamp: Stamp | None = None,
) -> tuple[Match, list[Message]]:
    """Return the match after a command, and the events it caused; the match given is left alone.

    recorded: events to take the draws over from, in place of those of `chance`.
    status: that of the match, where the caller knows it.
    stamp: needed where the match needs stamps. Raises RuleBroken.
    """
    sitting = Sitting(match.copy(), chance, recorded=recorded, stamp=stamp)
    play = _PLAYS.get(type(command))
    if play is not None:
        play(sitting, command)
    else:
        # Every other command is a move of the game.
        status_before = status or match.status
        if status_before.name != "running":
            raise status_before.why_no_moves()
        sitting.play_game(command)

    # Spelled out, since this is the way of every move: the match may need stamps.
    if match.clock is not None or match.take_back is not None or match.joint_entropy is not None:
        sitting.end()
    return sitting.match, sitting.events


def _start(sitting: Sitting) -> None:
    sitting.emit(messages.MatchStarted())
    if sitting.match.base is None:
        sitting.play_game(sitting.match.game.opening)


def _play_join(sitting: Sitting, command: messages.Join) -> None:
    seat = require_seat(sitting.match, command.seat)
    require_before_start(sitting.match, "M2", "a seat is joined")
    if seat.kind != "open":
        free = ", ".join(open_seats(sitting.match)) or "none"
        detail = f"Seat {command.seat} is taken; open seats: {free}."
        raise MatchRuleBroken("seat_taken", "M2", detail)
    require_new_pledge(sitting.match, command.pledge or "")

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
    require_pledges_fit(sitting.match, (command,))


def _play_leave(sitting: Sitting, command: messages.Leave) -> None:
    seat = require_seat(sitting.match, command.seat)
    require_before_start(sitting.match, "M3", "a seat is left")
    if seat.kind != "human":
        detail = f"No human holds seat {command.seat}; only a held seat can be left."
        raise MatchRuleBroken("not_held", "M3", detail)

    drops_pledges = _pledges_are_complete(sitting.match)
    sitting.emit(messages.SeatLeft(command.seat))
    if drops_pledges:
        sitting.emit(messages.PledgesDropped())


def _pledges_are_complete(match: Match) -> bool:
    """Return whether all humans have pledged, and the match has not started (M19).

    From then on each of them may have sent what is disclosed, though no commit says so: the server
    may have read it and refused it. So no pledge may change but with all others.
    """
    return match.owed[0] == DISCLOSURE


def _play_pledge(sitting: Sitting, command: messages.Pledge) -> None:
    seat = require_human_to_disclose(sitting.match, command.seat, "entropy is pledged")
    if seat.pledge:
        detail = f"Seat {command.seat} has pledged; a pledge is kept until all pledge anew."
        raise MatchRuleBroken("pledged_already", "M19", detail)
    require_new_pledge(sitting.match, command.digest)

    sitting.emit(messages.EntropyPledged(command.seat, command.digest))
    require_pledges_fit(sitting.match, ())


def _play_disclose(sitting: Sitting, command: messages.Disclose) -> None:
    match = sitting.match
    seat = require_human_to_disclose(match, command.seat, "entropy is disclosed")
    require_all_pledged(match)
    if seat.entropy:
        detail = f"Seat {command.seat} has disclosed; the others are awaited."
        raise MatchRuleBroken("disclosed_already", "M19", detail)
    if not is_hex(command.entropy) or pledge_of(command.entropy, command.seat) != seat.pledge:
        detail = f"This is not the entropy that seat {command.seat} has pledged."
        raise MatchRuleBroken("pledge_wrong", "M19", detail)

    sitting.emit(messages.EntropyDisclosed(command.seat, command.entropy))
    if not match.owed[1]:
        _start(sitting)


def _play_lapse(sitting: Sitting, command: messages.Lapse) -> None:
    joint = require_joint_entropy(sitting.match)
    what, seats = sitting.match.owed
    if not seats:
        detail = "No seat owes a pledge or a disclosure now."
        raise MatchRuleBroken("nothing_owed", "M19", detail)

    assert sitting.stamp is not None, "what is owed has a time"
    if command.due != joint.due or sitting.stamp.at < joint.due:
        detail = f"A {what} is awaited until {joint.due}; no seat lapses before."
        raise MatchRuleBroken("not_due", "M19", detail)

    drops_pledges = any(seat.pledge for seat in sitting.match.seats)
    for seat in seats:
        sitting.emit(messages.SeatLeft(seat))
    if drops_pledges:
        sitting.emit(messages.PledgesDropped())


def _play_start(sitting: Sitting, command: messages.Start) -> None:
    require_before_start(sitting.match, "M4", "a match is started")
    free = open_seats(sitting.match)
    if free:
        numbers = ", ".join(free)
        detail = f"Seats {numbers} are open; let humans join them or put bots there first."
        raise MatchRuleBroken("seats_open", "M4", detail)
    if sitting.match.owed[1]:
        detail = "Here the match starts by itself, once all humans have disclosed their entropy."
        raise MatchRuleBroken("entropy_owed", "M19", detail)

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
    require_replaceable(sitting.match, command)

    drops_pledges = seat.kind == "human" and _pledges_are_complete(sitting.match)
    sitting.emit(messages.SeatReplaced(command.seat, command.level))
    if drops_pledges:
        sitting.emit(messages.PledgesDropped())


def _play_restore(sitting: Sitting, command: messages.Restore) -> None:
    seat = require_seat(sitting.match, command.seat)
    require_seats_changeable(sitting.match)
    if not seat.absent:
        detail = f"No bot stands in for a human at seat {command.seat}."
        raise MatchRuleBroken("not_replaced", "M8", detail)
    require_way_back(sitting.match, command.seat)

    drops_pledges = _pledges_are_complete(sitting.match)
    sitting.emit(messages.SeatRestored(command.seat))
    if drops_pledges:
        sitting.emit(messages.PledgesDropped())


def _play_run_out(sitting: Sitting, command: messages.RunOut) -> None:
    require_seat(sitting.match, command.seat)
    clock = require_clock(sitting.match)
    if command.seat not in clock.paying:
        detail = f"The time of seat {command.seat} does not run now; only time that runs runs out."
        raise MatchRuleBroken("not_paying", "M15", detail)

    due = clock.due(command.seat)
    assert sitting.stamp is not None, "a clock needs to know of each commit"
    if command.due != due or sitting.stamp.at < due:
        detail = f"The time of seat {command.seat} runs out at {due}; no bot stands in before."
        raise MatchRuleBroken("not_due", "M15", detail)

    sitting.emit(messages.TimeRanOut(command.seat, due))
    sitting.emit(messages.SeatReplaced(command.seat, clock.level))


def _play_return(sitting: Sitting, command: messages.Return) -> None:
    seat = require_seat(sitting.match, command.seat)
    require_running(sitting.match, "M15", "a seat is played on")
    require_way_back(sitting.match, command.seat)
    if not seat.absent:
        detail = f"No bot stands in for a human at seat {command.seat}; its human plays."
        raise MatchRuleBroken("not_replaced", "M8", detail)

    sitting.emit(messages.SeatRestored(command.seat))


def _play_resign(sitting: Sitting, command: messages.Resign) -> None:
    require_running(sitting.match, "M16", "a seat resigns")
    require_human(sitting.match, command.seat, "M16")
    clock = sitting.match.clock
    if clock is not None and command.level != clock.level:
        detail = f"In this match {clock.level} bots stand in; name no other level."
        raise MatchRuleBroken("wrong_level", "M16", detail)

    sitting.emit(messages.SeatResigned(command.seat))
    sitting.emit(messages.SeatReplaced(command.seat, command.level))


def _play_ask_take_back(sitting: Sitting, command: messages.AskTakeBack) -> None:
    match = sitting.match
    take_back = require_take_back(match, command.seat)
    if take_back.ask is not None:
        detail = (
            f"Seat {take_back.ask.seat} asks already to go back to version {take_back.ask.to}; "
            "that is agreed to or refused first."
        )
        raise MatchRuleBroken("take_back_asked", "M17", detail)
    require_reachable(take_back, command.to)

    needs_nobody = take_back.is_own(command.seat, command.to)
    if not needs_nobody and take_back.option != CONSENT:
        detail = (
            "In this match a seat takes back its own moves of one turn alone, "
            "and only as long as nobody else has moved."
        )
        raise MatchRuleBroken("not_your_moves", "M17", detail)
    if not needs_nobody:
        require_unrefused(take_back, command.seat)

    sitting.emit(messages.TakeBackAsked(command.seat, command.to))
    if needs_nobody or not _others(match, command.seat):
        sitting.emit(messages.TakenBack(command.to))


def _play_agree_take_back(sitting: Sitting, command: messages.AgreeTakeBack) -> None:
    match = sitting.match
    take_back = require_take_back(match, command.seat)
    ask = require_ask(take_back)
    if command.seat == ask.seat or command.seat in ask.agreed:
        detail = f"Seat {command.seat} agrees already; the others are to answer."
        raise MatchRuleBroken("agreed_already", "M17", detail)
    require_reachable(take_back, ask.to)

    sitting.emit(messages.TakeBackAgreed(command.seat))
    if _others(match, ask.seat) <= {*ask.agreed, command.seat}:
        sitting.emit(messages.TakenBack(ask.to))


def _play_refuse_take_back(sitting: Sitting, command: messages.RefuseTakeBack) -> None:
    take_back = require_take_back(sitting.match, command.seat)
    require_ask(take_back)
    sitting.emit(messages.TakeBackRefused(command.seat))


def _others(match: Match, asker: int) -> set[int]:
    """Return the seats that humans hold, but for the one that asks (M17)."""
    return {number for number, seat in enumerate(match.seats) if seat.kind == "human"} - {asker}


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
    messages.Pledge: _play_pledge,
    messages.Disclose: _play_disclose,
    messages.Lapse: _play_lapse,
    messages.Start: _play_start,
    messages.Abort: _play_abort,
    messages.Expire: _play_expire,
    messages.Replace: _play_replace,
    messages.Restore: _play_restore,
    messages.RunOut: _play_run_out,
    messages.Return: _play_return,
    messages.Resign: _play_resign,
    messages.AskTakeBack: _play_ask_take_back,
    messages.AgreeTakeBack: _play_agree_take_back,
    messages.RefuseTakeBack: _play_refuse_take_back,
    messages.Reveal: _play_reveal,
    messages.ReplaceToken: _play_replace_token,
    messages.RevokeToken: _play_revoke_token,
    messages.EraseName: _play_erase_name,
}
