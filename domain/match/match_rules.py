"""The rules of a match by number: rules that have changed since the first release (decision 0082).

A match keeps the match rules that it was opened with, since audits decide its commands again. So
the properties of a released number never change.
"""

from dataclasses import dataclass

from domain.errors import RulesUnknown

FIRST = 1
NEWEST = 2


class UnknownMatchRules(RulesUnknown):
    """A match names match rules that this release does not have, such as a later release's."""

    def __init__(self, number: int) -> None:
        super().__init__(f"match_rules {number}")


@dataclass(frozen=True, slots=True)
class MatchRules:
    """The match rules of one match. Each property stands for one changed rule."""

    number: int

    @property
    def takes_each_pledge_once(self) -> bool:
        """True if a pledge is refused that was made before in the match (M19)."""
        return self.number > FIRST

    @property
    def takes_proven_keys(self) -> bool:
        """True if a join with a key needs a proof, too: a signature by the key (M18)."""
        return self.number > FIRST

    @property
    def tells_hiding_commands(self) -> bool:
        """True if the opening lists the commands that hide something from other seats (M18)."""
        return self.number > FIRST

    @property
    def limits_replacement(self) -> bool:
        """True if the owner may replace seats of a running match only under conditions (M8)."""
        return self.number > FIRST

    @property
    def ranks_resigned_last(self) -> bool:
        """True if resigned seats rank below all others in the result (M16)."""
        return self.number > FIRST

    @property
    def returns_time_of_others(self) -> bool:
        """True if others get time back after a take-back that nobody had to agree to (M17)."""
        return self.number > FIRST

    @property
    def counts_moves_to_take_back(self) -> bool:
        """True if the reach of a take-back is counted in moves, not in commits (M17)."""
        return self.number > FIRST

    @property
    def takes_back_to_choices_alone(self) -> bool:
        """True if no take-back leads to a version with the house to act (M17)."""
        return self.number > FIRST

    @property
    def respects_refusals(self) -> bool:
        """True if a refused seat asks others again only after the next move of the game (M17)."""
        return self.number > FIRST


FIRST_RULES = MatchRules(FIRST)


def read_match_rules(number: int | None) -> MatchRules:
    """Return the match rules named by an opening. None: those of the first release.

    Raises UnknownMatchRules.
    """
    if number is None:
        return FIRST_RULES
    if not FIRST <= number <= NEWEST:
        raise UnknownMatchRules(number)
    return MatchRules(number)
