"""Joint entropy: humans pledge and disclose random bytes before the start of a match (M19).

Each human pledges the digest of random bytes. Once all have pledged, each discloses the bytes. So
nobody knows the draws while anybody can still choose a part of them.

    a seat is open   nothing is owed
    PLEDGE           all seats are held: each human without a pledge owes one
    DISCLOSURE       all humans have pledged: each one without a disclosure owes one
    started          in the commit of the last disclosure, or by the owner if bots hold all seats

Each change of seats, pledges or disclosures restarts the time limit.

Example: a human has pledged, and never discloses. At the end of the time limit the house gives the
command `lapse`. `lapse` opens all seats with a debt again and drops all pledges. Other humans may
have disclosed by then, so the bytes behind their pledges could be known: all pledge anew. For the
same reason all pledges are dropped if a seat changes hands while disclosures are owed
(`entailed_events`).
"""

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self

from domain.errors import MatchRuleBroken
from domain.game import Change, Message
from domain.match import messages
from domain.match.demands import open_seats, require_before_start, require_human
from domain.match.sitting import Plays, Sitting
from domain.match.state import NOTHING_OWED, AppliedCommit, Match, Owed, Seat, Stories, Term
from domain.seats import HOUSE_ACTOR
from domain.story import Names, Sentence

PLEDGE = "pledge"
DISCLOSURE = "disclosure"
HOUR_MS = 60 * 60 * 1000

_HEX = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class JointEntropy(Term):
    """The time limit of pledges and disclosures, and all pledges so far.

    patience_ms: time limit. After it the house may open the seats with a debt again.
    since: last change of seats, pledges or disclosures, in milliseconds since 1970. 0 after the
    start of the match.
    pledged: all pledges, also dropped ones, because somebody may know the bytes behind them. ()
    after the start.
    """

    name: ClassVar[str] = "joint_entropy"

    patience_ms: int
    since: int = 0
    pledged: tuple[str, ...] = ()

    @property
    def due(self) -> int:
        """The end of the time limit, in milliseconds since 1970."""
        return self.since + self.patience_ms

    @classmethod
    def from_opening(cls, event: messages.MatchOpened) -> Self | None:
        """Return the time limit and the pledges of the opening."""
        if not event.joint_entropy:
            return None
        return cls(
            patience_ms=event.clock.bank_s * 1000 if event.clock is not None else HOUR_MS,
            pledged=tuple(plan.pledge for plan in event.seats if plan.pledge),
        )

    @classmethod
    def in_words(cls, event: messages.MatchOpened) -> tuple[str, str] | None:
        """Tell that the humans draw together."""
        return ("M19", "the players draw together") if event.joint_entropy else None

    @classmethod
    def guard(cls, match: Match, command: Message) -> None:
        """Refuse a join with a repeated pledge, and a start while something is owed."""
        match command:
            case messages.Join():
                _require_new_pledge(match, command.pledge or "")
            case messages.Start() if match.owed[1]:
                detail = (
                    "Here the match starts by itself, once all humans have disclosed their entropy."
                )
                raise MatchRuleBroken("entropy_owed", "M19", detail)

    @classmethod
    def guard_result(cls, match: Match, command: Message) -> None:
        """Refuse wrong pledges of an opening or a join, and entropy in place of a pledge."""
        match command:
            case messages.Open():
                _require_pledges_fit(match, command.seats)
                _require_pledges_apart(match)
            case messages.Join():
                _require_pledges_fit(match, (command,))

    def needs_stamps(self, match: Match) -> bool:
        """Return True before the start, since debts have a time limit."""
        return match.stage == "open"

    def before_event(self, match: Match, event: Message) -> None:
        """Note each new pledge in `pledged`, and empty `pledged` at the start.

        Drop the pledge and the entropy of a seat that a bot takes before the start.
        """
        match event:
            case messages.SeatJoined() if event.pledge:
                match.put(self._with(event.pledge))
            case messages.EntropyPledged():
                match.put(self._with(event.digest))
            case messages.SeatReplaced() if match.stage == "open":
                seat = match.seats[event.seat]
                match.seats[event.seat] = replace(seat, pledge="", entropy="")
            case messages.MatchStarted():
                match.put(replace(self, since=0, pledged=()))
                # A human replaced before the start has no part in the draws, and cannot return.
                match.seats = [replace(seat, absent=False) for seat in match.seats]

    def _with(self, pledge: str) -> "JointEntropy":
        return replace(self, pledged=(*self.pledged, pledge)) if pledge else self

    def entailed_events(self, match: Match, event: Message) -> Iterable[Message]:
        """Drop all pledges if a seat passes from or to a human while disclosures are owed."""
        changes_hands = isinstance(event, messages.SeatLeft | messages.SeatRestored) or (
            isinstance(event, messages.SeatReplaced) and match.seats[event.seat].kind == "human"
        )
        if changes_hands and _pledges_are_complete(match):
            return (messages.PledgesDropped(),)
        return ()

    def after_commit(self, match: Match, commit: AppliedCommit) -> None:
        """Restart the time limit if seats, pledges or disclosures change."""
        if match.stage != "open":
            return
        if self.since == 0 or any(type(event) in _CHANGES_WHO_OWES for event in commit.own_events):
            match.put(replace(self, since=commit.stamp.at))

    def owed(self, match: Match) -> Owed:
        """Return PLEDGE or DISCLOSURE, and the seats that owe it.

        Nothing is owed while a seat is open. Disclosures are owed once all humans have pledged.
        """
        if match.stage != "open" or any(seat.kind == "open" for seat in match.seats):
            return NOTHING_OWED

        humans = [number for number, seat in enumerate(match.seats) if seat.kind == "human"]
        unpledged = tuple(number for number in humans if not match.seats[number].pledge)
        if unpledged:
            return PLEDGE, unpledged
        undisclosed = tuple(number for number in humans if not match.seats[number].entropy)
        return (DISCLOSURE, undisclosed) if undisclosed else NOTHING_OWED

    def deadline(self, match: Match) -> int | None:
        """Return the end of the time limit. None: nothing is owed."""
        return self.due if self.owed(match)[1] else None

    @classmethod
    def story(
        cls, _match: Match | None, event: Message, names: Names, actor: str | None
    ) -> Sentence | None:
        """Tell that a seat has lapsed. The usual sentence would say that its human leaves."""
        if not isinstance(event, messages.SeatLeft) or actor != HOUSE_ACTOR:
            return None
        name = names[event.seat]
        text = f"{name} has not given a part of the draws in time. The seat is open again."
        return Sentence(text, rules=("M19",))


_CHANGES_WHO_OWES = (
    messages.SeatJoined,
    messages.SeatLeft,
    messages.SeatReplaced,
    messages.SeatRestored,
    messages.EntropyPledged,
    messages.EntropyDisclosed,
    messages.PledgesDropped,
)


def _pledges_are_complete(match: Match) -> bool:
    """Return True if all humans have pledged and one at least has yet to disclose.

    Once all have pledged, any disclosure may be known to the server, even without a commit: the
    server may have read and refused it. So if one pledge is dropped, all are.
    """
    return match.owed[0] == DISCLOSURE


def joint_entropy_of(match: Match) -> JointEntropy | None:
    """Return the joint entropy of a match, None for none."""
    return match.term(JointEntropy)


def is_hex(text: str) -> bool:
    """Return True for 32 bytes in lower-case hex: the form of a pledge, and of pledged entropy."""
    return _HEX.fullmatch(text) is not None


def pledge_of(entropy: str, seat: int) -> str:
    """Return the pledge of a seat's entropy: SHA-256 of canonical JSON.

    The pledge names the seat, so nobody can repeat another seat's pledge and disclosure.
    """
    text = f'{{"entropy":"{entropy}","seat":{seat}}}'
    return hashlib.sha256(text.encode()).hexdigest()


# ---- commands ------------------------------------------------------------------------------------


def _play_pledge(sitting: Sitting, command: messages.Pledge) -> None:
    seat = _require_human_to_disclose(sitting.match, command.seat, "entropy is pledged")
    if seat.pledge:
        detail = f"Seat {command.seat} has pledged. A pledge stands until all pledge anew."
        raise MatchRuleBroken("pledged_already", "M19", detail)
    _require_new_pledge(sitting.match, command.digest)

    sitting.emit(messages.EntropyPledged(command.seat, command.digest))
    _require_pledges_fit(sitting.match, ())


def _play_disclose(sitting: Sitting, command: messages.Disclose) -> None:
    match = sitting.match
    seat = _require_human_to_disclose(match, command.seat, "entropy is disclosed")
    _require_all_pledged(match)
    if seat.entropy:
        detail = f"Seat {command.seat} has disclosed. The others are awaited."
        raise MatchRuleBroken("disclosed_already", "M19", detail)
    if not is_hex(command.entropy) or pledge_of(command.entropy, command.seat) != seat.pledge:
        detail = f"This is not the entropy that seat {command.seat} has pledged."
        raise MatchRuleBroken("pledge_wrong", "M19", detail)

    sitting.emit(messages.EntropyDisclosed(command.seat, command.entropy))
    if not match.owed[1]:
        sitting.start()


def _play_lapse(sitting: Sitting, command: messages.Lapse) -> None:
    joint = _require_joint_entropy(sitting.match)
    what, seats = sitting.match.owed
    if not seats:
        detail = "No seat owes a pledge or a disclosure now."
        raise MatchRuleBroken("nothing_owed", "M19", detail)

    assert sitting.stamp is not None, "a debt has a time"
    if command.due != joint.due or sitting.stamp.at < joint.due:
        detail = f"A {what} is awaited until {joint.due}. No seat lapses before."
        raise MatchRuleBroken("not_due", "M19", detail)

    drops_pledges = any(seat.pledge for seat in sitting.match.seats)
    for seat in seats:
        sitting.emit_alone(messages.SeatLeft(seat))
    if drops_pledges:
        sitting.emit_alone(messages.PledgesDropped())


PLAYS: Plays = {
    messages.Pledge: _play_pledge,
    messages.Disclose: _play_disclose,
    messages.Lapse: _play_lapse,
}


def _require_joint_entropy(match: Match) -> JointEntropy:
    """Return the joint entropy. Refuse a match without it (M19)."""
    joint = joint_entropy_of(match)
    if joint is None:
        detail = "The match was opened without joint entropy. Nobody pledges or discloses any."
        raise MatchRuleBroken("no_joint_entropy", "M19", detail)
    return joint


def _require_human_to_disclose(match: Match, number: int, what: str) -> Seat:
    """Return the seat of a human in an unstarted match with joint entropy. Refuse others (M19).

    what: the deed, such as "entropy is pledged".
    """
    _require_joint_entropy(match)
    require_human(match, number, "M19")
    require_before_start(match, "M19", what)
    return match.seats[number]


def _require_all_pledged(match: Match) -> None:
    """Refuse a disclosure before all seats are held and all humans have pledged (M19)."""
    free = open_seats(match)
    if free:
        detail = f"Open seats: {', '.join(free)}. Disclose once all are held and have pledged."
        raise MatchRuleBroken("too_early", "M19", detail)

    what, seats = match.owed
    if what == PLEDGE:
        numbers = ", ".join(map(str, seats))
        detail = f"The pledges of seats {numbers} are awaited. Disclose once all have pledged."
        raise MatchRuleBroken("too_early", "M19", detail)


def _require_pledges_fit(
    match: Match, holders: Sequence[messages.SeatPlan | messages.Join]
) -> None:
    """Refuse malformed pledges, and entropy in place of a pledge (M19).

    Also refuse joint entropy for bots alone, and pledges in a match without joint entropy.
    holders: the seats of the opening, the join, or nothing.
    """
    if joint_entropy_of(match) is None:
        if any(holder.pledge is not None for holder in holders):
            _require_joint_entropy(match)
        return

    if match.only_bots:
        detail = "Bots alone draw nothing together. Open the match without joint entropy."
        raise MatchRuleBroken("no_humans", "M19", detail)
    if any(holder.entropy for holder in holders):
        detail = "In this match entropy is pledged first. Send a pledge in its place."
        raise MatchRuleBroken("entropy_not_pledged", "M19", detail)
    if not all(is_hex(seat.pledge) for seat in match.seats if seat.pledge):
        detail = "A pledge is a SHA-256: 64 digits in lower-case hex."
        raise MatchRuleBroken("no_pledge", "M19", detail)


def _require_new_pledge(match: Match, pledge: str) -> None:
    """Refuse a repeated pledge (M19). Match rules 1 allow it."""
    joint = joint_entropy_of(match)
    if joint is not None and pledge in joint.pledged and match.match_rules.takes_each_pledge_once:
        raise _pledge_repeated()


def _require_pledges_apart(match: Match) -> None:
    """Refuse an opening with the same pledge at two seats (M19). Match rules 1 allow it."""
    pledges = [seat.pledge for seat in match.seats if seat.pledge]
    if len(set(pledges)) < len(pledges) and match.match_rules.takes_each_pledge_once:
        raise _pledge_repeated()


def _pledge_repeated() -> MatchRuleBroken:
    detail = "This pledge was made before in this match. Draw new bytes and pledge those."
    return MatchRuleBroken("pledge_repeated", "M19", detail)


# ---- changes by events ---------------------------------------------------------------------------


def _on_pledged(match: Match, event: messages.EntropyPledged) -> None:
    match.seats[event.seat] = replace(match.seats[event.seat], pledge=event.digest)


def _on_disclosed(match: Match, event: messages.EntropyDisclosed) -> None:
    match.seats[event.seat] = replace(match.seats[event.seat], entropy=event.entropy)


def _on_pledges_dropped(match: Match, event: messages.PledgesDropped) -> None:
    match.seats = [replace(seat, pledge="", entropy="") for seat in match.seats]


CHANGES: dict[type, Change[Match]] = {
    messages.EntropyPledged: _on_pledged,
    messages.EntropyDisclosed: _on_disclosed,
    messages.PledgesDropped: _on_pledges_dropped,
}


# ---- the story -----------------------------------------------------------------------------------


def _pledged(_match: Match | None, event: messages.EntropyPledged, names: Names) -> Sentence:
    name = names[event.seat]
    return Sentence(f"{name} pledges a part of the draws.")


def _disclosed(_match: Match | None, event: messages.EntropyDisclosed, names: Names) -> Sentence:
    name = names[event.seat]
    return Sentence(f"{name} discloses the pledged part of the draws.")


def _pledges_dropped(
    _match: Match | None, _event: messages.PledgesDropped, _names: Names
) -> Sentence:
    return Sentence("No pledge counts any more. All humans pledge again.", rules=("M19",))


STORIES: Stories = {
    messages.EntropyPledged: _pledged,
    messages.EntropyDisclosed: _disclosed,
    messages.PledgesDropped: _pledges_dropped,
}
