"""What each command of a match demands and causes; other commands are its game's."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from domain import wire
from domain.chance import Chance
from domain.errors import BadMessage, MatchRuleBroken
from domain.game import Draft, ReplayDraft
from domain.games import RULES
from domain.match import messages
from domain.match.clock import Clock, Stamp
from domain.match.evolve import end_commit, evolve, new_match
from domain.match.joint_entropy import DISCLOSURE, PLEDGE, JointEntropy, is_hex, pledge_of
from domain.match.match_rules import read_match_rules
from domain.match.state import Match, Seat, Status
from domain.match.take_back import CONSENT, Ask, TakeBack
from domain.seats import INVITATION, OWNER, SPECTATOR, seat_actor
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

    if not _open_seats(sitting.match) and sitting.match.joint_entropy is None:
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
    free = _open_seats(sitting.match)
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


# ---- what the rules of a match refuse, each with its number and what would be right --------------


def require_seat(match: Match, number: int) -> Seat:
    """Return a seat; refuse a number that no seat has (M1)."""
    if not 0 <= number < len(match.seats):
        last = len(match.seats) - 1
        raise MatchRuleBroken("no_such_seat", "M1", f"The match has the seats 0 to {last}.")
    return match.seats[number]


def require_key_of_proof(command: messages.Join) -> None:
    """Refuse a proof without a key (M18). If the proof is right, the ledger tells."""
    if command.proof is not None and command.key is None:
        detail = "A proof is a signature by a key. Send the key, too."
        raise MatchRuleBroken("no_key", "M18", detail)


def require_keys_apart(match: Match) -> None:
    """Refuse a key that holds two seats (M18)."""
    holders: dict[str, int] = {}
    for number, seat in enumerate(match.seats):
        if not seat.key:
            continue
        if seat.key in holders:
            detail = (
                f"One key cannot hold both seat {holders[seat.key]} and seat {number}; "
                "each seat needs a key of its own."
            )
            raise MatchRuleBroken("key_taken", "M18", detail)
        holders[seat.key] = number


def require_joint_entropy(match: Match) -> JointEntropy:
    """Return how humans draw together; refuse where they do not (M19)."""
    if match.joint_entropy is None:
        detail = "The match was opened without joint entropy; nobody pledges or discloses any."
        raise MatchRuleBroken("no_joint_entropy", "M19", detail)
    return match.joint_entropy


def require_human_to_disclose(match: Match, number: int, what: str) -> Seat:
    """Return the seat of a human who pledges or discloses; refuse where nobody does that (M19).

    what: "entropy is pledged".
    """
    require_joint_entropy(match)
    require_human(match, number, "M19")
    require_before_start(match, "M19", what)
    return match.seats[number]


def require_all_pledged(match: Match) -> None:
    """Refuse a disclosure as long as somebody may still choose a pledge (M19)."""
    free = _open_seats(match)
    if free:
        detail = f"Seats {', '.join(free)} are open; disclose once all are held and have pledged."
        raise MatchRuleBroken("too_early", "M19", detail)

    what, seats = match.owed
    if what == PLEDGE:
        numbers = ", ".join(map(str, seats))
        detail = f"The pledges of seats {numbers} are awaited; disclose once all have pledged."
        raise MatchRuleBroken("too_early", "M19", detail)


def require_pledges_fit(match: Match, holders: Sequence[messages.SeatPlan | messages.Join]) -> None:
    """Refuse pledges that are no digests or have no place here, and entropy where it is pledged.

    holders: what has just been said of seats (M19).
    """
    if match.joint_entropy is None:
        if any(holder.pledge is not None for holder in holders):
            require_joint_entropy(match)
        return

    if match.only_bots:
        detail = "Bots alone draw nothing together; open the match without joint entropy."
        raise MatchRuleBroken("no_humans", "M19", detail)
    if any(holder.entropy for holder in holders):
        detail = "In this match entropy is pledged first; send a pledge in its place."
        raise MatchRuleBroken("entropy_not_pledged", "M19", detail)
    if not all(is_hex(seat.pledge) for seat in match.seats if seat.pledge):
        detail = "A pledge is a SHA-256: 64 digits in lower-case hex."
        raise MatchRuleBroken("no_pledge", "M19", detail)


def require_new_pledge(match: Match, pledge: str) -> None:
    """Refuse a pledge that was made before in the match (M19)."""
    joint = match.joint_entropy
    if joint is not None and pledge in joint.pledged and match.match_rules.takes_each_pledge_once:
        raise _pledge_repeated()


def require_pledges_apart(match: Match) -> None:
    """Refuse an opening in which two seats make the same pledge (M19)."""
    pledges = [seat.pledge for seat in match.seats if seat.pledge]
    if len(set(pledges)) < len(pledges) and match.match_rules.takes_each_pledge_once:
        raise _pledge_repeated()


def _pledge_repeated() -> MatchRuleBroken:
    detail = "This pledge was made before in this match. Draw new bytes and pledge those."
    return MatchRuleBroken("pledge_repeated", "M19", detail)


def require_base(match: Match, base: messages.Base) -> None:
    """Refuse a base whose state is none of the game, or one in which nobody has to act (M21)."""
    game = match.game
    try:
        state = wire.load(game.state, base.state)
    except BadMessage as error:
        detail = f"What the base is said to have been is no state of {game.title}: {error}."
        raise MatchRuleBroken("no_such_state", "M21", detail) from None

    if not game.actors(state):
        detail = (
            f"At version {base.version} nobody has to act in the base any more; "
            "fork an earlier version."
        )
        raise MatchRuleBroken("nothing_to_play", "M21", detail)


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


def require_replaceable(match: Match, command: messages.Replace) -> None:
    """Refuse the owner a seat of a running match that is not theirs to replace (M8).

    The owner may play, too, and could weaken an opponent in this way.
    """
    if match.status.name != "running" or not match.match_rules.limits_replacement:
        return
    away = match.seats[command.seat].away
    if away == "resigned":
        detail = f"Seat {command.seat} has resigned. The bot there plays it to the end."
        raise MatchRuleBroken("resigned", "M16", detail)
    if match.clock is None:
        return
    if away != "time":
        detail = f"Seat {command.seat} has time left. A bot plays it only once its time runs out."
        raise MatchRuleBroken("time_left", "M8", detail)
    if command.level != match.clock.level:
        detail = f"In this match {match.clock.level} bots stand in; name no other level."
        raise MatchRuleBroken("wrong_level", "M8", detail)


def require_running(match: Match, rule: str, what: str) -> None:
    """Refuse, by a rule, what is done only between start and end; what: "a seat resigns"."""
    status = match.status.name
    if status != "running":
        code = "not_started" if status == "open" else "match_over"
        detail = f"The match is {status}; {what} only between its start and its end."
        raise MatchRuleBroken(code, rule, detail)


def require_human(match: Match, number: int, rule: str) -> None:
    """Refuse, by a rule, what only the human at a seat does."""
    if require_seat(match, number).kind != "human":
        detail = f"No human holds seat {number} now; only who holds a seat can do that."
        raise MatchRuleBroken("seat_held_by_bot", rule, detail)


def require_clock(match: Match) -> Clock:
    """Return the clock of a match; refuse where it has none (M15)."""
    if match.clock is None:
        detail = "The match was opened without a clock; everybody has all the time there is."
        raise MatchRuleBroken("no_clock", "M15", detail)
    return match.clock


def require_way_back(match: Match, number: int) -> None:
    """Refuse that a human comes back who has resigned (M16), or who would have no time (M15)."""
    away = match.seats[number].away
    if away == "resigned":
        detail = f"Seat {number} has resigned; a bot plays it to the end."
        raise MatchRuleBroken("resigned", "M16", detail)

    if away == "time" and match.clock is not None and match.clock.move_ms == 0:
        detail = (
            f"The time of seat {number} has run out, and this clock adds none; "
            "a bot plays it to the end."
        )
        raise MatchRuleBroken("no_time_left", "M15", detail)


def require_take_back(match: Match, seat: int) -> TakeBack:
    """Return what can be taken back; refuse where a seat can ask or answer nothing (M17)."""
    require_human(match, seat, "M17")
    if match.take_back is None:
        detail = "The match was opened without take-back; every move stands."
        raise MatchRuleBroken("no_take_back", "M17", detail)
    require_running(match, "M17", "moves are taken back")
    return match.take_back


def require_ask(take_back: TakeBack) -> Ask:
    """Return what is asked for; refuse where nothing is (M17)."""
    if take_back.ask is None:
        detail = "Nobody asks to take moves back now; a move ends what was asked before."
        raise MatchRuleBroken("nothing_asked", "M17", detail)
    return take_back.ask


_BARRIERS = {
    "start": "At version {version} the game began",
    "draw": "Version {version} has drawn from chance",
    "reveal": "Version {version} has laid a secret open",
    "length": "Version {version} is as far back as a hundred moves go",
}


def require_reachable(take_back: TakeBack, to: int) -> None:
    """Refuse to go back to a version that cannot be gone back to (M17)."""
    versions = take_back.versions
    farthest = take_back.farthest
    is_gone = farthest <= to < versions[-1] and to not in versions
    if to in take_back.gone or is_gone:
        detail = f"Version {to} was taken back itself; go back to one that still stands."
        raise MatchRuleBroken("taken_back", "M17", detail)
    if to < farthest:
        reason = "length" if farthest > take_back.version else take_back.reason
        why = _BARRIERS[reason].format(version=farthest)
        detail = f"{why}, and nothing goes back over that; name that version or a later one."
        raise MatchRuleBroken("too_far_back", "M17", detail)
    if not take_back.moves_after(to):
        detail = f"No move that stands was made after version {to}; name an earlier one."
        raise MatchRuleBroken("nothing_to_take_back", "M17", detail)
    if take_back.is_house_at(to):
        detail = f"At version {to} the match itself acts, and would act again. Name another one."
        raise MatchRuleBroken("house_awaited", "M17", detail)


def require_unrefused(take_back: TakeBack, seat: int) -> None:
    """Refuse an ask by a seat that others have refused since the last move of the game (M17)."""
    if seat in take_back.barred_seats:
        detail = f"The ask of seat {seat} was refused. Ask again after the next move."
        raise MatchRuleBroken("take_back_refused", "M17", detail)


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
