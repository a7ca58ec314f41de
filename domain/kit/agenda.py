"""The refusals that come from the agenda, with the same codes in every game.

An agenda is the stack in a state of what is to be settled next. Its items differ from game to
game. A game says what the top item awaits as an `Awaited`; its `Refusals` chooses code, rule and
sentence.

| code | when |
|---|---|
| `match_over` | the agenda is empty |
| `house_not_awaited` | the house acts, but this is not what it is awaited for |
| `house_must_act` | a seat acts while the house must |
| `not_your_turn` | a seat acts while another one is awaited |
| `wrong_phase` | the seat is awaited, but for something else |
"""

from dataclasses import dataclass

from domain.errors import RuleBroken
from domain.wire import HOUSE


@dataclass(frozen=True, slots=True)
class Awaited:
    """What the top of an agenda awaits.

    seat: who is to act: a seat, HOUSE, or None for every seat that has not done so yet.
    rule: the number of the rule that asks for it; a refusal because of the house names another one.
    task: what is to be done, in words that complete "Seat 1 is to": "place a disc (place_disc)".
    """

    seat: int | None
    rule: str
    task: str

    @property
    def who(self) -> str:
        """Return which seat is to act, in the words that begin a sentence."""
        if self.seat is None:
            return "Every seat that has not done so yet"
        return f"Seat {self.seat}"

    @property
    def whats_next(self) -> str:
        """Return who is to do what, as a sentence without its full stop."""
        if self.seat == HOUSE:
            return f"The house must first {self.task}"
        return f"{self.who} is to {self.task}"


@dataclass(frozen=True, slots=True)
class Refusals:
    """What is one game's own in these refusals: the numbers of its rules and some of its sentences.

    house_rule: while the house must act nobody else may, and at no other time may it act.
    over_rule, over: a match that has ended takes no more commands, and the sentence that says so.
    turn_rule: seats take turns; None to name the rule of what is awaited instead.
    wrong_phase: the sentence for a seat that is awaited for something else. It may hold {who} and
    {task} of what is awaited, and {command}, the tag of the refused command.
    """

    house_rule: str
    over_rule: str
    over: str
    turn_rule: str | None = None
    wrong_phase: str = "{who} is to {task}."

    def refusal(self, awaited: Awaited | None, seat: int, command: str) -> RuleBroken:
        """Return why a command is refused that is not what is awaited.

        awaited: None when the match is over. seat: who acts, a seat or HOUSE. command: its tag.
        """
        if awaited is None:
            return RuleBroken("match_over", self.over_rule, self.over)
        if seat == HOUSE:
            detail = f"{awaited.whats_next}."
            return RuleBroken("house_not_awaited", self.house_rule, detail)

        if awaited.seat == HOUSE:
            detail = f"{awaited.whats_next}; then play goes on."
            return RuleBroken("house_must_act", self.house_rule, detail)
        if awaited.seat is not None and awaited.seat != seat:
            rule = self.turn_rule or awaited.rule
            return RuleBroken("not_your_turn", rule, f"{awaited.whats_next}.")

        detail = self.wrong_phase.format(
            who=awaited.who,
            task=awaited.task,
            command=command,
        )
        return RuleBroken("wrong_phase", awaited.rule, detail)
