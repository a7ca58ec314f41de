"""Parameters that tell a moment of a match's past: a version, or a time as in RFC 3339."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

from service.api.contract.parameters import BIGGEST, Parameter, whole
from service.matches.moments import Moment

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

# A day of the calendar, so that the contract refuses what is none. Years begin with 1, since
# Python knows no year 0.
_OF_FOUR = "0[48]|[2468][048]|[13579][26]"  # two digits that four divides, but not 00
_LEAP_YEAR = f"[0-9]{{2}}({_OF_FOUR})|({_OF_FOUR})00"
_YEAR = "[0-9]{3}[1-9]|[0-9]{2}[1-9]0|[0-9][1-9]00|[1-9]000"
_DAY_OF_YEAR = (
    "(0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])"
    "|(0[469]|11)-(0[1-9]|[12][0-9]|30)"
    "|02-(0[1-9]|1[0-9]|2[0-8])"
)
_DAY = f"(({_YEAR})-({_DAY_OF_YEAR})|({_LEAP_YEAR})-02-29)"

_HOUR_AND_MINUTE = "([01][0-9]|2[0-3]):[0-5][0-9]"
_SECOND = r"([0-5][0-9]|60)(\.[0-9]{1,9})?"  # 60 is a leap second
_ZONE = f"[Zz]|[+-]{_HOUR_AND_MINUTE}"
_TIME = f"{_DAY}[Tt]{_HOUR_AND_MINUTE}:{_SECOND}({_ZONE})"

_EXPECTED = (
    "must be a version (a whole number from 1) or a time as in RFC 3339, "
    "such as 2026-03-01T18:30:00Z (in a query + is written %2B)"
)
# The component `Moment` of the contract.
SCHEMA: dict[str, Any] = {
    "description": "A version, or a time (RFC 3339).",
    "anyOf": [
        {"type": "integer", "minimum": 1, "maximum": BIGGEST},
        {"type": "string", "pattern": whole(_TIME)},
    ],
}
_REFERENCE = {"$ref": "#/components/schemas/Moment"}


def moment(name: str, text: str, *, required: bool = False, example: Any = None) -> Parameter:
    """Return a parameter that is a version or a time."""
    return Parameter(name, text, read_moment, _REFERENCE, example=example, required=required)


def read_moment(given: str) -> Moment:
    """Return the moment that a text tells; raises ValueError."""
    if re.fullmatch("[1-9][0-9]{0,15}", given) and int(given) <= BIGGEST:
        return Moment(version=int(given))
    if re.fullmatch(_TIME, given):
        return Moment(time=_milliseconds(given))
    raise ValueError(_EXPECTED)


def _milliseconds(given: str) -> int:
    """Return the milliseconds since the epoch that have passed at a time of the form _TIME.

    A leap second, which Python does not know, counts as the second after it.
    """
    text = given.upper().replace("Z", "+00:00")
    seconds = text[17:19]
    is_leap_second = seconds == "60"
    if is_leap_second:
        text = f"{text[:17]}59{text[19:]}"

    passed = datetime.fromisoformat(text) - _EPOCH
    if is_leap_second:
        passed += timedelta(seconds=1)
    return passed // timedelta(milliseconds=1)


AT = moment(
    "at",
    "Show the match as it was at this moment: a version, or a time (RFC 3339).",
    example="2026-03-01T18:30:00Z",
)


FROM = moment(
    "from", "Only commits from this moment on: a version, or a time (RFC 3339).", example=1
)
TO = moment(
    "to",
    "Only commits up to this moment, alike, and with it.",
    example="2026-03-01T18:30:00Z",
)
