"""Joint entropy in the service (M19).

joint_entropy   "true" if the humans of the match draw together
"""

from collections.abc import Mapping, Sequence

from domain.match.messages import Lapse
from domain.match.state import Match
from domain.match.terms import joint_entropy_of
from domain.match.terms.joint_entropy import JointEntropy
from service.base import answers
from service.base.errors import Invalid, Mistake
from service.base.metadata_fields import JOINT_ENTROPY
from service.record.commit import Json, timestamp
from service.record.terms.side import Deadline, Plans, Side


class JointEntropySide(Side[JointEntropy, bool]):
    """The side of joint entropy. True requests it."""

    kind = JointEntropy
    name = JointEntropy.name
    fields = (JOINT_ENTROPY,)
    has_deadline = True
    may_open_seats = True

    def stored_fields(self, _term: JointEntropy) -> dict[str, str]:
        """Return the field."""
        return {JOINT_ENTROPY: "true"}

    def deadline(self, match: Match, term: JointEntropy, without_gaps: Match) -> Deadline | None:
        """Return the next lapse, None if nothing is owed."""
        if not match.owed[1]:
            return None
        return Deadline(Lapse(term.due), (joint_entropy_of(without_gaps) or term).due)

    def document(self, match: Match, term: JointEntropy, answer: answers.Match) -> None:
        """Add the mark of joint entropy, and the deadline of debts."""
        answer["joint_entropy"] = True
        if match.owed[1]:
            answer["deadline"] = timestamp(term.due)

    def summary(self, metadata: Mapping[str, str], answer: answers.MatchSummary) -> None:
        """Add the mark of joint entropy."""
        if JOINT_ENTROPY in metadata:
            answer["joint_entropy"] = True

    def request_for(self, _term: JointEntropy) -> bool:
        """Return True, the value of such a request."""
        return True

    def fingerprint(self, _value: bool) -> object:
        """Return a constant."""
        return "joint entropy"

    def open_members(self, _value: bool, plans: Plans, _levels: Sequence[str]) -> Json:
        """Return the member. Raises Invalid for entropy at a seat, and without humans."""
        places = _without_place(plans, "entropy", "a pledge")
        if all(plan["kind"] == "bot" for plan in plans):
            detail = "bots alone draw nothing together; leave it out (M19)"
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
    """Return faults for the seats with a misplaced member. instead: the right one."""
    detail = f"has no place in this match; give {instead}, or leave it out (M19)"
    return [
        Mistake(f"/seats/{seat}/{member}", detail)
        for seat, plan in enumerate(plans)
        if plan.get(member)
    ]
