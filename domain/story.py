"""What a story is made of: each event of a match told in English.

The games and the match tell their events; see `tell` of `domain.game.Game`.
"""

import enum
from dataclasses import dataclass


class Part(enum.Enum):
    """The parts of a match that a reader looks for."""

    SETUP = "setup"
    TURN = "turn"
    SCORING = "scoring"
    END = "end"


@dataclass(frozen=True, slots=True)
class Heading:
    """The heading over the sentences from here on, such as "Turn 7: Ada".

    part: which part of the match begins.
    title: the heading itself, without a full stop.
    """

    part: Part
    title: str


@dataclass(frozen=True, slots=True)
class Sentence:
    """An event in an English sentence, or in several where one would be too long.

    text: the sentences, each with its full stop.
    rules: the numbers of the rules that decided what happened, such as ("C37",); () where the event
        is what somebody chose.
    heading: what the event begins; None where it goes on with what was there.
    """

    text: str
    rules: tuple[str, ...] = ()
    heading: Heading | None = None
