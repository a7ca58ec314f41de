"""Joint entropy in the service (M19). `domain.match.terms.joint_entropy` has its model.

The metadata field `joint_entropy` is "true" if the humans of the match draw together.

The service adds a deadline for owed pledges and disclosures:

    opening   `open_members` takes pledges at seats, no entropy
    commit    stores the deadline, and sets the timer of the match to it
    timer     `service.capabilities.clock` commits `lapse` at the deadline. This commit drops the
              tokens and names of the seats that owe something

A late pledge or disclosure may race with the lapse. Both expect the same version, so the journal
takes only the first. If the lapse comes first, the token of the seat no longer counts.

A crash: a scheduler dies with the claimed timer, before the lapse. The timer is due again after its
lease, and the next scheduler loads the match again. If no scheduler beats for longer than
`timers.LONGEST_PAUSE_MS`, the pause is a gap and does not count.
"""

from collections.abc import Mapping, Sequence

from domain.match.messages import Lapse
from domain.match.state import Match
from domain.match.terms import joint_entropy_of
from domain.match.terms.joint_entropy import JointEntropy
from service.base import answers
from service.base.errors import Invalid, Mistake
from service.base.metadata_fields import JOINT_ENTROPY
from service.record.commit import Json
from service.record.terms.side import Deadline, Plans, Side


class JointEntropySide(Side[JointEntropy, bool]):
    """The side of joint entropy. True requests it."""

    kind = JointEntropy
    name = JointEntropy.name
    fields = (JOINT_ENTROPY,)
    has_deadline = True
    may_open_seats = True

    def stored_fields(self, _term: JointEntropy) -> dict[str, str]:
        """Return the field `joint_entropy`."""
        return {JOINT_ENTROPY: "true"}

    def deadline(self, match: Match, term: JointEntropy, without_gaps: Match) -> Deadline | None:
        """Return the next lapse, None if nothing is owed."""
        if not match.owed[1]:
            return None
        return Deadline(Lapse(term.due), (joint_entropy_of(without_gaps) or term).due)

    def document(self, _match: Match, _term: JointEntropy, answer: answers.Match) -> None:
        """Add the mark of joint entropy."""
        answer["joint_entropy"] = True

    def summary(self, metadata: Mapping[str, str], answer: answers.MatchSummary) -> None:
        """Add the mark of joint entropy."""
        if JOINT_ENTROPY in metadata:
            answer["joint_entropy"] = True

    def request_for(self, _term: JointEntropy) -> bool:
        """Return True, the value that requests joint entropy."""
        return True

    def fingerprint(self, _value: bool) -> object:
        """Return a constant."""
        return "joint entropy"

    def open_members(self, _value: bool, plans: Plans, _levels: Sequence[str]) -> Json:
        """Return the member. Raises Invalid for entropy at a seat, and for bots alone."""
        places = _without_place(plans, "entropy", "a pledge")
        if all(plan["kind"] == "bot" for plan in plans):
            detail = "bots alone draw nothing together. Leave it out (M19)"
            places.append(Mistake("/joint_entropy", detail))
        if places:
            raise Invalid(*places)
        return {"joint_entropy": True}

    def check_seats_without(self, plans: Plans) -> None:
        """Raise Invalid for pledges."""
        places = _without_place(plans, "pledge", "entropy")
        if places:
            raise Invalid(*places)


def draws_together(match: Match) -> bool:
    """Return True if the humans of a match pledge and disclose before it starts."""
    return joint_entropy_of(match) is not None


def _without_place(plans: Plans, member: str, instead: str) -> list[Mistake]:
    """Return faults for the seats with a misplaced member. instead: name of the right member."""
    detail = f"has no place in this match. Give {instead}, or leave it out (M19)"
    return [
        Mistake(f"/seats/{seat}/{member}", detail)
        for seat, plan in enumerate(plans)
        if plan.get(member)
    ]
