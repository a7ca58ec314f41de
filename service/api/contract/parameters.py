"""Parameters of queries and headers: what the contract says of them, and how they are read."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple
from wsgiref.types import WSGIEnvironment

from flask import request
from marshmallow import ValidationError, validate

from domain.json_types import Json
from service.base.errors import Invalid, Mistake, echoed
from service.matches.server_log import LOG_ID
from service.matches.views import Position
from service.record.commit import timestamp
from service.store.keys.tokens import FORM

BIGGEST = 2**53 - 1
MOST_ON_A_PAGE = 1000  # items: so that an answer costs bounded time and memory
_WHOLE_NUMBER = re.compile("0|[1-9][0-9]{0,15}")
_HASH = re.compile("[0-9a-f]{16}")  # the beginning of a commit's hash, as an ETag has it


def whole(pattern: str) -> str:
    """Return the pattern of the contract for a text that as a whole matches a regular expression.

    It has no lookaround, which RE2 and the regex crate of Rust refuse.
    """
    return f"^(?:{pattern})$"


class WholeText(validate.Validator):
    """A text that as a whole matches a regular expression.

    Python's $ also matches before a line feed at the end, so `fullmatch` decides.
    """

    def __init__(self, pattern: str, error: str) -> None:
        self.regex = re.compile(whole(pattern))  # apispec reads the pattern here
        self.detail = error

    def __call__(self, value: str) -> str:
        """Return the text; raises ValidationError."""
        if self.regex.fullmatch(value) is None:
            raise ValidationError(self.detail)
        return value


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of an operation."""

    name: str
    text: str
    # Takes the parameter's text; returns its value or raises ValueError saying what would be right.
    read: Callable[[str], Any]
    # Its JSON Schema.
    schema: Json
    # "query" or "header".
    place: str = "query"
    default: object = None
    example: object = None
    required: bool = False
    # The name of the view's argument.
    keyword: str = field(init=False, default="")
    # Where a header lies in the WSGI environment.
    header_key: str = field(init=False, default="")

    def __post_init__(self) -> None:
        keyword = self.name.lower().replace("-", "_")
        object.__setattr__(self, "keyword", keyword)
        object.__setattr__(self, "header_key", f"HTTP_{keyword.upper()}")


@dataclass(frozen=True, slots=True)
class Words:
    """What the text of a parameter must look like."""

    # A regular expression that the whole text matches.
    pattern: str
    # What is said of any other text.
    expected: str
    # Makes something else of the text, such as a number.
    read: Callable[[str], object] = str

    def checked(self, given: str) -> object:
        """Return the value of a text; raises ValueError."""
        if not re.fullmatch(self.pattern, given):
            raise ValueError(self.expected)
        return self.read(given)

    def schema(self) -> Json:
        """Return the JSON Schema of the text."""
        return {"type": "string", "pattern": whole(self.pattern)}


def number(
    name: str,
    text: str,
    least: int,
    most: int = BIGGEST,
    default: int | None = None,
) -> Parameter:
    """Return a parameter that is a whole number from `least` to `most`."""

    def read(given: str) -> int:
        is_number = _WHOLE_NUMBER.fullmatch(given) is not None
        if not is_number or not least <= int(given) <= most:
            raise ValueError(f"must be a whole number from {least} to {most}")
        return int(given)

    schema: Json = {
        "type": "integer",
        "minimum": least,
        "maximum": most,
    }
    if default is not None:
        schema["default"] = default
    return Parameter(name, text, read, schema, default=default)


def choice(name: str, text: str, choices: Sequence[str], default: str | None = None) -> Parameter:
    """Return a parameter that is one of some words."""

    def read(given: str) -> str:
        if given not in choices:
            raise ValueError(f"must be one of {', '.join(choices)}")
        return given

    schema: Json = {"type": "string", "enum": list(choices)}
    if default is not None:
        schema["default"] = default
    return Parameter(name, text, read, schema, default=default)


def flag(name: str, text: str) -> Parameter:
    """Return a parameter that is true or false, false by default."""

    def read(given: str) -> bool:
        if given not in ("true", "false"):
            raise ValueError("must be true or false")
        return given == "true"

    return Parameter(name, text, read, {"type": "boolean", "default": False}, default=False)


def words(
    name: str,
    text: str,
    form: Words,
    default: object = None,
    example: object = None,
) -> Parameter:
    """Return a parameter of the query whose text has a form."""
    return Parameter(name, text, form.checked, form.schema(), default=default, example=example)


def header(
    name: str,
    text: str,
    form: Words,
    default: object = None,
    example: object = None,
) -> Parameter:
    """Return a header of the request whose text has a form."""
    return replace(words(name, text, form, default, example), place="header")


def read_all(parameters: Sequence[Parameter], environ: WSGIEnvironment) -> Json:
    """Return the value of every parameter of a request by its keyword.

    Raises Invalid, which names the wrong, the unknown and those given more than once.
    """
    query = request.args if environ.get("QUERY_STRING") else {}
    wrong: list[Mistake] = []
    if query:
        wrong += _unknown_or_doubled([one.name for one in parameters if one.place == "query"])

    values = {}
    for parameter in parameters:
        in_query = parameter.place == "query"
        given = query.get(parameter.name) if in_query else environ.get(parameter.header_key)
        if given is None and not parameter.required:
            values[parameter.keyword] = parameter.default
            continue

        try:
            values[parameter.keyword] = _value(parameter, given)
        except ValueError as error:
            place = Mistake.in_query if in_query else Mistake.in_header
            wrong.append(place(parameter.name, str(error)))

    if wrong:
        raise Invalid(*wrong)
    return values


def _value(parameter: Parameter, given: str | None) -> object:
    """Return the value of a parameter that is given or needed; raises ValueError."""
    if given is None:
        raise ValueError("is missing")
    return parameter.read(given)


def _unknown_or_doubled(known: Sequence[str]) -> list[Mistake]:
    """Return the places of query parameters that are not known, then of those given twice."""
    unknown = sorted(name for name in request.args if name not in known)
    doubled = [name for name, values in request.args.lists() if len(values) > 1]

    detail = f"unknown parameter; known are {', '.join(known) or 'none'}"
    wrong = [Mistake.in_query(echoed(name), detail) for name in unknown]
    wrong += [Mistake.in_query(echoed(name), "is given more than once") for name in doubled]
    return wrong


# ---- parameters that many operations share -------------------------------------------------


class Expected(NamedTuple):
    """What an ETag in If-Match names: a version (None: any), and how its commit's hash begins.

    hash: "" where the ETag names none, as those of the releases before did.
    """

    version: int | None = None
    hash: str = ""


def _expected(given: str) -> Expected:
    """Return what an ETag names; every version fits *."""
    if given == "*":
        return Expected()
    version, *more = given.removeprefix("W/").strip('"').split(";")
    named_hash = more[1] if len(more) > 1 and _HASH.fullmatch(more[1]) else ""
    return Expected(int(version), named_hash)


def _etags(given: str) -> set[str]:
    return {tag.strip().removeprefix("W/") for tag in given.split(",")}


_ONE_ETAG = Words(
    pattern=r'(?:W/)?"?[0-9]{1,15}(;[a-z0-9:;]*)?"?|\*',
    expected='must be one ETag of this match, such as "17", or *',
    read=_expected,
)
IF_MATCH = header(
    "If-Match",
    "The ETag of the state that the request was thought up for; if the match has moved on: 412.",
    _ONE_ETAG,
    default=Expected(),
    example='"17;seat:0;5df6e0e2761359d3"',
)
IF_NONE_MATCH = Parameter(
    name="If-None-Match",
    text="ETags that the caller has; if one of them still holds: 304.",
    read=_etags,
    schema={"type": "string"},
    place="header",
    default=frozenset(),
    example='"17;seat:0;5df6e0e2761359d3"',
)


def bare_key(least: int) -> Words:
    """Return the form of an idempotency key without quotes around it."""
    return Words(
        pattern=rf"[!#-+\--~]{{{least},255}}",
        expected=f"must be {least} to 255 visible ASCII characters without quotes or commas",
    )


def _idempotency_key(text: str, least: int) -> Parameter:
    """Return the header of the key, which has so many characters at least."""
    bare = bare_key(least)
    form = Words(
        pattern=rf'"[!#-~]{{{least},255}}"|{bare.pattern}',
        expected=f"{bare.expected}, such as a UUID",
        read=lambda given: given.strip('"'),
    )
    return header("Idempotency-Key", text, form, default="")


_KEY_TEXT = (
    "A fresh random value, such as a UUID. "
    "The same request with the same key is answered with the first answer, "
    "and `Idempotent-Replayed: true`, for the life of the match."
)
_SECRET_KEY_TEXT = (
    f"{_KEY_TEXT} Keep it secret: whoever knows it can ask for the tokens of the answer again."
)
IDEMPOTENCY_KEY = _idempotency_key(_KEY_TEXT, least=1)
SECRET_KEY = _idempotency_key(_SECRET_KEY_TEXT, least=16)

SIGNATURE_FORM = Words("[0-9a-f]{128}", "must be 128 digits of lower-case hex")
SIGNATURE = header(
    "Giornale-Signature",
    "The signature of a seat that has a key (M18), 64 bytes in hex.",
    SIGNATURE_FORM,
    default="",
)

WAIT = number(
    "wait",
    "Wait up to so many seconds for something new, rather than answer that nothing is.",
    least=0,
    most=60,
    default=0,
)
SEAT = number(
    "seat",
    "The seat to see with. Another seat than one's own only after the revelation.",
    least=0,
    most=15,
)
AFTER = number("after", "Only commits after this version.", 0, default=0)
LOG = words(
    "log",
    "ID of the log that `after` counts in, as the page before names it. Another log: 409.",
    Words(LOG_ID, "must be the ID of a log, 8 hex digits"),
    default="",
)
GAME = words("game", "Only of this game.", Words("[a-z0-9_]{1,40}", "must be the key of a game"))


def limit_parameter(default: int, text: str = "Number of items on a page, at most.") -> Parameter:
    """Return the parameter `limit` of a page. All pages have the same maximum.

    A larger value is refused. A setting may shorten pages further, and `next` then leads on.
    """
    return number("limit", f"{text} The server may give fewer.", 1, MOST_ON_A_PAGE, default)


LIMIT = limit_parameter(default=100)


# ---- positions in a match's past: a version, or a time as in RFC 3339 ------------------------

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
SCHEMA: Json = {
    "description": "A version, or a time (RFC 3339).",
    "anyOf": [
        {"type": "integer", "minimum": 1, "maximum": BIGGEST},
        {"type": "string", "pattern": whole(_TIME)},
    ],
}
_REFERENCE = {"$ref": "#/components/schemas/Moment"}


def moment(name: str, text: str, *, required: bool = False, example: object = None) -> Parameter:
    """Return a parameter that is a version or a time."""
    return Parameter(name, text, read_moment, _REFERENCE, example=example, required=required)


def time_(name: str, text: str) -> Parameter:
    """Return a parameter that is a time; what is read of it is written as commits tell theirs."""
    schema: Json = {"type": "string", "format": "date-time"}
    return Parameter(name, text, _read_time, schema, example="2026-03-01T18:30:00Z")


def _read_time(given: str) -> str:
    if re.fullmatch(_TIME, given):
        return timestamp(_milliseconds(given))
    raise ValueError(
        "must be a time as in RFC 3339, such as 2026-03-01T18:30:00Z (in a query + is written %2B)"
    )


def read_moment(given: str) -> Position:
    """Return the moment that a text tells; raises ValueError."""
    if re.fullmatch("[1-9][0-9]{0,15}", given) and int(given) <= BIGGEST:
        return Position(version=int(given))
    if re.fullmatch(_TIME, given):
        return Position(time=_milliseconds(given))
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


_MOST_TOKENS = 50
_EXPECTED_TOKENS = f"must be 1 to {_MOST_TOKENS} tokens separated by commas"


def _read_tokens(given: str) -> list[str]:
    tokens = re.split(r"\s*,\s*", given)
    if len(tokens) > _MOST_TOKENS:
        raise ValueError(_EXPECTED_TOKENS)
    return tokens


TOKENS = header(
    "Giornale-Tokens",
    "More tokens of the caller's, separated by commas; 50 at most.",
    Words(
        # Without the number of tokens: RE2 repeats nothing more than 1,000 times, and a token is
        # 43 repetitions by itself.
        rf"{FORM}(\s*,\s*{FORM})*",
        expected=_EXPECTED_TOKENS,
        read=_read_tokens,
    ),
    default=(),
)

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
