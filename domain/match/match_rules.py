"""The rules of a match by number: rules that have changed since the first release (decision 0082).

A match keeps the match rules that it was opened with, since audits decide its commands again. The
numbers here are never reused, and the answers for a released number never change.
"""

from dataclasses import dataclass

from domain.errors import RulesUnknown

FIRST = 1
NEWEST = 2


class UnknownMatchRules(RulesUnknown):
    """A match was opened by match rules of a later release."""

    def __init__(self, number: int) -> None:
        super().__init__(f"match_rules {number}")


@dataclass(frozen=True, slots=True)
class MatchRules:
    """The match rules of one match. Each property is one question about a rule that has changed."""

    number: int

    @property
    def takes_each_pledge_once(self) -> bool:
        """A pledge that was made before in the match is refused (M19)."""
        return self.number > FIRST

    @property
    def takes_proven_keys(self) -> bool:
        """True if a join with a key has a proof, too: a signature by the key (M18)."""
        return self.number > FIRST

    @property
    def tells_hiding_commands(self) -> bool:
        """True if the opening tells the commands that hide something from other seats."""
        return self.number > FIRST

    @property
    def limits_replacement(self) -> bool:
        """The owner may not replace seats of a running match at will (M8)."""
        return self.number > FIRST

    @property
    def ranks_resigned_last(self) -> bool:
        """Seats that have resigned rank below all others in the result (M16)."""
        return self.number > FIRST

    @property
    def returns_time_of_others(self) -> bool:
        """A take-back that nobody agreed to gives the others their time back (M17)."""
        return self.number > FIRST

    @property
    def counts_moves_to_take_back(self) -> bool:
        """A take-back reaches over so many moves of the game, not over so many commits (M17)."""
        return self.number > FIRST

    @property
    def takes_back_to_choices_alone(self) -> bool:
        """No take-back leads to a version with the house to act: it would act again (M17)."""
        return self.number > FIRST

    @property
    def respects_refusals(self) -> bool:
        """After a refusal a seat asks others again only after the next move of the game (M17)."""
        return self.number > FIRST


FIRST_RULES = MatchRules(FIRST)


def read_match_rules(number: int | None) -> MatchRules:
    """Return the match rules that an opening names. None: the first.

    Raises UnknownMatchRules.
    """
    if number is None:
        return FIRST_RULES
    if not FIRST <= number <= NEWEST:
        raise UnknownMatchRules(number)
    return MatchRules(number)
