"""Shared parts of the games: refusals from the agenda, dispatch, draws, names, ranks, tables."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, TypeVar

from domain.chance import Chance, pick
from domain.errors import RuleBroken
from domain.wire import HOUSE, Named

Entry = TypeVar("Entry")
Item = TypeVar("Item")
Score = TypeVar("Score", int, tuple[int, int])


# ---- from the class of a message to what a game does with it -------------------------------------


def one_for_each(by_tag: Mapping[str, type], entries: Mapping[type, Entry]) -> dict[type, Entry]:
    """Return the entries by message class, such as a function for each command.

    by_tag: the classes by tag (`COMMANDS`, `EVENTS`).
    Raises TypeError unless there is an entry for each of these classes and for no other. So a
    forgotten class shows at the first import.
    """
    classes = set(by_tag.values())
    wrong = classes.symmetric_difference(entries)
    if wrong:
        names = ", ".join(sorted(cls.__name__ for cls in wrong))
        raise TypeError(f"there must be one entry for each message: look at {names}")
    return dict(entries)


# ---- refusals that come from the agenda, with the same codes in every game -----------------------

# An agenda is the stack of open items in a state. Each game has items of its own. A game describes
# the top item as an `Awaited`. From it, the `Refusals` of the game make code, rule and sentence.
#
# | code | when |
# |---|---|
# | `match_over` | the agenda is empty |
# | `house_not_awaited` | the house acts, but it is not awaited for this |
# | `house_must_act` | a seat acts while the house must |
# | `not_your_turn` | a seat acts while another one is awaited |
# | `wrong_phase` | the seat is awaited, but for something else |


@dataclass(frozen=True, slots=True)
class Awaited:
    """The actor and the task at the top of an agenda.

    seat: the actor: a seat, HOUSE, or None for every seat that has not done the task yet.
    rule: the number of the rule behind the task. If the house acts or must act, a refusal names
    `house_rule`.
    task: words to complete "Seat 1 is to": "place a disc (place_disc)".
    """

    seat: int | None
    rule: str
    task: str

    @property
    def who(self) -> str:
        """The awaited seat, in words to begin a sentence."""
        if self.seat is None:
            return "Every seat that has not done so yet"
        return f"Seat {self.seat}"

    @property
    def whats_next(self) -> str:
        """The actor and the task, as a sentence without its full stop."""
        if self.seat == HOUSE:
            return f"The house must first {self.task}"
        return f"{self.who} is to {self.task}"


@dataclass(frozen=True, slots=True)
class Refusals:
    """The rule numbers and sentences of one game in refusals from the agenda.

    house_rule: number of the rule that either the house or a seat acts.
    over_rule, over: rule and sentence after the end of a match.
    turn_rule: number of the rule that seats take turns. None: the rule of the awaited task.
    wrong_phase: the sentence for a seat that is awaited for something else. Placeholders: {who} and
    {task} of the awaited task, and {command}, the tag of the refused command.
    """

    house_rule: str
    over_rule: str
    over: str
    turn_rule: str | None = None
    wrong_phase: str = "{who} is to {task}."

    def refusal(self, awaited: Awaited | None, seat: int, command: str) -> RuleBroken:
        """Return the refusal of a command that is not awaited.

        awaited: None after the end of the match. seat: the actor, a seat or HOUSE.
        command: the tag of the command.
        """
        if awaited is None:
            return RuleBroken("match_over", self.over_rule, self.over)
        if seat == HOUSE:
            detail = f"{awaited.whats_next}."
            return RuleBroken("house_not_awaited", self.house_rule, detail)

        if awaited.seat == HOUSE:
            detail = f"{awaited.whats_next}. Then play goes on."
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


# ---- what games draw, from the draws of `domain.chance` ------------------------------------------


def one_of(chance: Chance, items: Sequence[Item]) -> Item:
    """Return one of the items, each with the same chance. At least one is needed. One draw."""
    return items[chance.below(len(items))]


def take_from(chance: Chance, pile: list[int]) -> int:
    """Take one thing at random out of a pile, in place, and return its kind. One draw.

    pile: the number of things of each kind, by the number of the kind. Not all are zero.
    """
    kind = pick(chance, pile)
    pile[kind] -= 1
    return kind


# ---- names of enum members on the wire -----------------------------------------------------------


def wire_names(members: Iterable[Named]) -> tuple[str, ...]:
    """Return the names of the members in their order. An enum class stands for its members."""
    return tuple(member.wire for member in members)


def in_a_row(members: Iterable[Named]) -> str:
    """Return the names of the members as a sentence lists them: "wood, brick", or "" for none."""
    return ", ".join(member.wire for member in members)


def counts_by_name(names: Sequence[str], counts: Sequence[int]) -> dict[str, int]:
    """Return the count of each name, without the zeros.

    names and counts are equally long: counts[i] belongs to names[i].
    """
    return {name: count for name, count in zip(names, counts, strict=True) if count}


# ---- ranks at the end ----------------------------------------------------------------------------


def competition_ranks(scores: Sequence[Score]) -> tuple[int, ...]:
    """Return the rank of each seat from the scores by seat. 1 is best, equal scores share a rank.

    After a shared rank the next ranks are left out: scores 7, 9, 9, 3 give the ranks 3, 1, 1, 4. A
    score is a number, or a pair of points and a tie-break.
    """
    return tuple(1 + _better(scores, score) for score in scores)


def winners(ranks: Sequence[int], names: Sequence[str]) -> list[str]:
    """Return the names with rank 1. Both arguments are by seat."""
    return [name for name, rank in zip(names, ranks, strict=True) if rank == 1]


def _better(scores: Sequence[Score], than: Score) -> int:
    return sum(score > than for score in scores)


# ---- tables of numbers that lie beside the code, as JSON -----------------------------------------


def read_table(package: str, name: str) -> Any:
    """Return the JSON value of a file in a package: `read_table(__package__, "board.json")`."""
    return json.loads(files(package).joinpath(name).read_text(encoding="utf-8"))
