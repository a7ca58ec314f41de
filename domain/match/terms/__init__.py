"""All terms of matches, in the order of the calls of their hooks.

Take-back comes after the clock, because take-back stores the banks of the clock after each commit.
"""

from domain.match.state import Term
from domain.match.terms import clock, fork, joint_entropy, take_back
from domain.match.terms.clock import clock_of
from domain.match.terms.fork import base_of
from domain.match.terms.joint_entropy import joint_entropy_of
from domain.match.terms.take_back import ask_of, take_back_of, taken_back

__all__ = [
    "CHANGES",
    "PLAYS",
    "STORIES",
    "TERMS",
    "ask_of",
    "base_of",
    "clock_of",
    "joint_entropy_of",
    "take_back_of",
    "taken_back",
]

TERMS: tuple[type[Term], ...] = (
    joint_entropy.JointEntropy,
    clock.Clock,
    take_back.TakeBack,
    fork.Fork,
)

# The commands of all terms, the changes by their events, and the sentences about these events.
PLAYS = {**joint_entropy.PLAYS, **clock.PLAYS, **take_back.PLAYS}
CHANGES = {**joint_entropy.CHANGES, **clock.CHANGES, **take_back.CHANGES, **fork.CHANGES}
STORIES = {**joint_entropy.STORIES, **clock.STORIES, **take_back.STORIES, **fork.STORIES}
