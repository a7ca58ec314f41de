"""Stories: the types of their sentences and headings, and helpers for plain English.

`domain.match` and the games write the sentences. See `story` of `domain.game.Game`.
"""

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

Names = Sequence[str]
"""The names of the seats in sentences, by seat."""


class Part(enum.Enum):
    """The parts of a match that a reader looks for."""

    SETUP = "setup"
    TURN = "turn"
    SCORING = "scoring"
    END = "end"


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading over sentences of a story, such as "Turn 7: Ada".

    part: the part of the match that begins.
    title: the heading itself, without a full stop.
    """

    part: Part
    title: str


@dataclass(frozen=True, slots=True)
class Sentence:
    """The English text of one event: one sentence, or several if one would be too long.

    text: the sentences, each with its full stop.
    rules: numbers of rules that explain the event, such as ("C37",).
    heading: the heading over this sentence and the next ones. None: the last heading goes on.
    """

    text: str
    rules: tuple[str, ...] = ()
    heading: Heading | None = None


# ---- plain English: names, lists and numbers as people say them ----------------------------------


_SMALL_WORDS = ("del", "della", "di", "of", "the")
_NUMBERS = (
    *("no", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)
_TIMES = ("not at all", "once", "twice")
_VOWELS = "aeiou"


@cache
def worded(wire_name: str) -> str:
    """Return a name on the wire as plain words: "trade house" for "trade_house"."""
    return wire_name.replace("_", " ")


@cache
def titled(wire_name: str) -> str:
    """Return a name on the wire as a proper name: "Santa Maria del Fiore"."""
    words = wire_name.split("_")
    return " ".join(word if word in _SMALL_WORDS else word.capitalize() for word in words)


def listed(parts: Sequence[str], last: str = "and") -> str:
    """Return the parts as a sentence lists them: "wood, brick and marble", or "" for none.

    last: the word before the last part.
    """
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} {last} {parts[-1]}"


def spoken(number: int) -> str:
    """Return a number of things as people say it: "three". Digits above twelve, "no" for 0."""
    return _NUMBERS[number] if 0 <= number < len(_NUMBERS) else str(number)


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number of things: "one card", "two cards".

    plural: needed if it is not the noun with an "s".
    """
    return f"{spoken(number)} {noun if number == 1 else plural or noun + 's'}"


def times(number: int) -> str:
    """Return a number of times: "once", "twice", "three times"."""
    return _TIMES[number] if 0 <= number < len(_TIMES) else f"{spoken(number)} times"


_UNITS = ((24 * 60 * 60, "day"), (60 * 60, "hour"), (60, "minute"), (1, "second"))


def in_time(seconds: int) -> str:
    """Return a duration as people say it: "one minute and 30 seconds"."""
    parts = []
    for length, noun in _UNITS:
        number, seconds = divmod(seconds, length)
        if number:
            parts.append(counted(number, noun))
    return listed(parts) or counted(0, "second")


def one(noun: str) -> str:
    """Return a noun with the indefinite article: "a card", "an artwork"."""
    return f"an {noun}" if noun[0].lower() in _VOWELS else f"a {noun}"


def upper_first(text: str) -> str:
    """Return the text with a capital letter at its beginning. All else stays as it is."""
    return text[:1].upper() + text[1:]
