"""The agenda: a stack of open tasks. The top task is settled next."""

from dataclasses import dataclass

from domain.wire import Named


class Step(Named):
    """A step to be settled by a seat or the house."""

    SET_UP = 0
    CHOOSE = 1
    BUILD = 2
    FULFIL = 3
    ANSWER = 4
    RESOLVE = 5
    DISCARD = 6
    SCORE = 7


# The steps of a turn. The other steps of seats come while an event is settled.
TURN_STEPS = (Step.CHOOSE, Step.BUILD, Step.FULFIL)


@dataclass(frozen=True, slots=True)
class Task:
    """One entry of the agenda: a step, and the seat (or the house) to settle it."""

    step: Step
    seat: int
