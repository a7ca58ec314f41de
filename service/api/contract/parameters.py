"""Parameters in queries and headers: their texts in the contract, and functions that read them."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple
from wsgiref.types import WSGIEnvironment

from flask import request
from marshmallow import ValidationError, validate
from werkzeug.http import parse_list_header

from domain.games import GAMES
from domain.json_types import Json
from service.base.errors import Invalid, Mistake, echoed
from service.matches.server_log import LOG_ID
from service.matches.views import Position
from service.record.commit import MATCH_ID, timestamp
from service.store.keys.tokens import FORM

BIGGEST = 2**53 - 1
MOST_ON_A_PAGE = 1000  # items: bounds the time and memory of an answer
_WHOLE_NUMBER = re.compile("0|[1-9][0-9]{0,15}")
_HASH = re.compile("[0-9a-f]{16}")  # the beginning of a commit's hash, as in an ETag


def whole(pattern: str) -> str:
    """Return the pattern of the contract for a whole text.

    The pattern has no lookaround, since RE2 and the regex crate of Rust refuse it.
    """
    return f"^(?:{pattern})$"


class WholeText(validate.Validator):
    """The check that a whole text matches a regular expression.

    Python's $ also matches before a line feed at the end, so `fullmatch` decides.
    """

    def __init__(self, pattern: str, error: str) -> None:
        self.regex = re.compile(whole(pattern))  # apispec reads the pattern here
        self.detail = error

    def __call__(self, value: str) -> str:
        """Return the text. Raises ValidationError."""
        if self.regex.fullmatch(value) is None:
            raise ValidationError(self.detail)
        return value


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of an operation."""

    name: str
    text: str
    # Returns the value of a parameter's text. Raises ValueError with the right form.
    read: Callable[[str], Any]
    # JSON Schema of the value.
    schema: Json
    # "query" or "header".
    place: str = "query"
    default: object = None
    example: object = None
    required: bool = False
    # The name of the view's argument.
    keyword: str = field(init=False, default="")
    # Key of a header in the WSGI environment.
    header_key: str = field(init=False, default="")

    def __post_init__(self) -> None:
        keyword = self.name.lower().replace("-", "_")
        object.__setattr__(self, "keyword", keyword)
        object.__setattr__(self, "header_key", f"HTTP_{keyword.upper()}")


@dataclass(frozen=True, slots=True)
class Words:
    """The form of a parameter's text."""

    # Regular expression for the whole text.
    pattern: str
    # Refusal of any other text.
    expected: str
    # Returns the value of a text, such as a number.
    read: Callable[[str], object] = str

    def checked(self, raw: str) -> object:
        """Return the value of a text. Raises ValueError."""
        if not re.fullmatch(self.pattern, raw):
            raise ValueError(self.expected)
        return self.read(raw)

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
    """Return a parameter for a whole number from `least` to `most`."""

    def read(raw: str) -> int:
        is_number = _WHOLE_NUMBER.fullmatch(raw) is not None
        if not is_number or not least <= int(raw) <= most:
            raise ValueError(f"must be a whole number from {least} to {most}")
        return int(raw)

    schema: Json = {
        "type": "integer",
        "minimum": least,
        "maximum": most,
    }
    if default is not None:
        schema["default"] = default
    return Parameter(name, text, read, schema, default=default)


def choice(name: str, text: str, choices: Sequence[str], default: str | None = None) -> Parameter:
    """Return a parameter for a choice of words."""

    def read(raw: str) -> str:
        if raw not in choices:
            raise ValueError(f"must be one of {', '.join(choices)}")
        return raw

    schema: Json = {"type": "string", "enum": list(choices)}
    if default is not None:
        schema["default"] = default
    return Parameter(name, text, read, schema, default=default)


def flag(name: str, text: str) -> Parameter:
    """Return a parameter for true or false, false by default."""

    def read(raw: str) -> bool:
        if raw not in ("true", "false"):
            raise ValueError("must be true or false")
        return raw == "true"

    return Parameter(name, text, read, {"type": "boolean", "default": False}, default=False)


def words(
    name: str,
    text: str,
    form: Words,
    default: object = None,
    example: object = None,
) -> Parameter:
    """Return a parameter of the query with a form."""
    return Parameter(name, text, form.checked, form.schema(), default=default, example=example)


def header(
    name: str,
    text: str,
    form: Words,
    default: object = None,
    example: object = None,
) -> Parameter:
    """Return a parameter of the request's headers with a form."""
    return replace(words(name, text, form, default, example), place="header")


def read_all(parameters: Sequence[Parameter], environ: WSGIEnvironment) -> Json:
    """Return the value of every parameter of a request by its keyword.

    Raises Invalid for wrong, unknown and repeated parameters.
    """
    query = request.args if environ.get("QUERY_STRING") else {}
    wrong: list[Mistake] = []
    if query:
        wrong += _unknown_or_doubled([one.name for one in parameters if one.place == "query"])

    values = {}
    for parameter in parameters:
        in_query = parameter.place == "query"
        raw = query.get(parameter.name) if in_query else environ.get(parameter.header_key)
        if raw is None and not parameter.required:
            values[parameter.keyword] = parameter.default
            continue

        try:
            values[parameter.keyword] = _value(parameter, raw)
        except ValueError as error:
            wrong.append(Mistake.in_parameter(parameter.name, str(error)))

    if wrong:
        raise Invalid(*wrong)
    return values


def _value(parameter: Parameter, raw: str | None) -> object:
    """Return the value of a parameter. None: a required parameter is missing. Raises ValueError."""
    if raw is None:
        raise ValueError("is missing")
    return parameter.read(raw)


def _unknown_or_doubled(own_names: Sequence[str]) -> list[Mistake]:
    """Return the mistakes of unknown query parameters, then of repeated parameters."""
    unknown = sorted(name for name in request.args if name not in own_names)
    doubled = [name for name, values in request.args.lists() if len(values) > 1]

    detail = f"unknown parameter. Known parameters: {', '.join(own_names) or 'none'}"
    wrong = [Mistake.in_parameter(echoed(name), detail) for name in unknown]
    wrong += [Mistake.in_parameter(echoed(name), "is given more than once") for name in doubled]
    return wrong


# ---- parameters that many operations share -------------------------------------------------


class Expected(NamedTuple):
    """Version and hash in an ETag of If-Match.

    version: None for any version.   hash: beginning of the commit's hash, "" without a hash.
    """

    version: int | None = None
    hash: str = ""


def _expected(raw: str) -> Expected:
    """Return version and hash in an ETag. For * any version fits."""
    if raw == "*":
        return Expected()
    version, *more = raw.removeprefix("W/").strip('"').split(";")
    named_hash = more[1] if len(more) > 1 and _HASH.fullmatch(more[1]) else ""
    return Expected(int(version), named_hash)


def _etags(raw: str) -> set[str]:
    return {tag.strip().removeprefix("W/") for tag in raw.split(",")}


_ONE_ETAG = Words(
    pattern=r'(?:W/)?"?[0-9]{1,15}(;[a-z0-9:;]*)?"?|\*',
    expected='must be one ETag of this match, such as "17", or *',
    read=_expected,
)
IF_MATCH = header(
    "If-Match",
    "ETag of the state seen before the request. If the match has moved on: 412.",
    _ONE_ETAG,
    default=Expected(),
    example='"17;seat:0;5df6e0e2761359d3"',
)
IF_NONE_MATCH = Parameter(
    name="If-None-Match",
    text="ETags of the caller. If one of them still holds: 304.",
    read=_etags,
    schema={"type": "string"},
    place="header",
    default=frozenset(),
    example='"17;seat:0;5df6e0e2761359d3"',
)


# Some keys give tokens again, so 16 characters make a key hard to guess. All keys have this form.
_KEY_CHARACTERS = "{16,255}"
BARE_KEY = Words(
    rf"[!#-+\--~]{_KEY_CHARACTERS}",
    "must be 16 to 255 visible ASCII characters without quotes or commas, such as a UUID",
)
_KEY = Words(
    rf'"[!#-~]{_KEY_CHARACTERS}"|{BARE_KEY.pattern}',
    BARE_KEY.expected,
    read=lambda text: text.strip('"'),
)


_KEY_TEXT = (
    "A fresh random value, such as a UUID. "
    "The same request with the same key is answered with the first answer, "
    "and `Idempotent-Replayed: true`, for the life of the match."
)
_CONFIDENTIAL_KEY_TEXT = (
    "A fresh random value, such as a UUID. "
    "The same request with the same key is answered with the first answer, "
    "and `Idempotent-Replayed: true`, as long as its tokens count. "
    "Keep it secret: its bearer can ask for the tokens of the answer again."
)
IDEMPOTENCY_KEY = header("Idempotency-Key", _KEY_TEXT, _KEY, default="")
SECRET_KEY = header("Idempotency-Key", _CONFIDENTIAL_KEY_TEXT, _KEY, default="")

SIGNATURE_FORM = Words("[0-9a-f]{128}", "must be 128 digits of lower-case hex")
SIGNATURE = header(
    "Giornale-Signature",
    "Signature by the key of the seat (M18), 64 bytes in hex.",
    SIGNATURE_FORM,
    default="",
)


def _return_preference(raw: str) -> str:
    """Return the value of the first preference `return`, "" without a value (RFC 7240)."""
    for preference in parse_list_header(raw):
        name, _, value = preference.partition(";")[0].partition("=")
        if name.strip().lower() == "return":
            return value.strip().strip('"').lower()
    return ""


MINIMAL = "minimal"
PREFER = Parameter(
    name="Prefer",
    text="`return=minimal`: only version, hash and receipt in the answer (RFC 7240).",
    read=_return_preference,
    schema={"type": "string"},
    place="header",
    default="",
    example=f"return={MINIMAL}",
)

WAIT = number(
    "wait",
    "Longest wait for something new, in seconds.",
    least=0,
    most=60,
    default=0,
)
SEAT = number(
    "seat",
    "Seat of the view. After the revelation any seat, before it only one's own.",
    least=0,
    most=15,
)
AFTER = number("after", "Only commits after this version.", 0, default=0)
LOG = words(
    "log",
    "ID of the log that `after` counts in, as in the page before. "
    "If the server has another log: 409, or in a stream `rewritten`.",
    Words(LOG_ID, "must be the ID of a log, 8 hex digits"),
    default="",
)


def _read_game(raw: str) -> str:
    if raw not in GAMES:
        raise ValueError(f"must be one of {', '.join(GAMES)}")
    return raw


# The contract does not name the games here, so that a new game does not change it.
GAME = Parameter(
    "game",
    "Only of this game.",
    _read_game,
    {"type": "string", "pattern": whole("[a-z0-9_]{1,40}")},
)


# Parameter of every list with pages. A setting may make pages shorter, and `next` then leads on.
LIMIT = number(
    "limit",
    "Most entries of a page. A page with fewer may have a next page, too.",
    least=1,
    most=MOST_ON_A_PAGE,
    default=100,
)


class ListCursor(NamedTuple):
    """The position of the last read entry in a list of matches.

    order: the number that orders the list.
    """

    order: int
    match: str

    def __str__(self) -> str:
        return f"{self.order}.{self.match}"


def _cursor(raw: str) -> ListCursor:
    if not re.fullmatch(rf"[0-9]{{1,14}}\.{MATCH_ID}", raw):
        raise ValueError("must be the cursor of a `next` of this list")
    order, _, match = raw.partition(".")
    return ListCursor(int(order), match)


# The contract does not show the form of a cursor, so a later release may change it.
CURSOR = Parameter(
    "cursor",
    "Position in the list: the cursor of a `next`. Only the server reads it.",
    _cursor,
    {"type": "string"},
)


# ---- positions in a match's past: a version, or a time as in RFC 3339 ------------------------

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

# Only days of the calendar match, so that the contract refuses others. The first year is 1, since
# Python knows no year 0.
_OF_FOUR = "0[48]|[2468][048]|[13579][26]"  # two digits divisible by four, but not 00
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
    """Return a parameter for a version or a time."""
    return Parameter(name, text, read_moment, _REFERENCE, example=example, required=required)


def time_(name: str, text: str) -> Parameter:
    """Return a parameter for a time. Its value is a text as in commits."""
    schema: Json = {"type": "string", "format": "date-time"}
    return Parameter(name, text, _read_time, schema, example="2026-03-01T18:30:00Z")


def span(verb: str, text: str) -> tuple[Parameter, Parameter]:
    """Return the two parameters of a half-open span of time.

    text: the matches in the span, such as "matches that ended".
    """
    return (
        time_(f"{verb}_from", f"Only {text} at this time or later."),
        time_(f"{verb}_to", f"Only {text} before this time."),
    )


def _read_time(raw: str) -> str:
    if re.fullmatch(_TIME, raw):
        return timestamp(_milliseconds(raw))
    raise ValueError(
        "must be a time as in RFC 3339, such as 2026-03-01T18:30:00Z (in a query + is written %2B)"
    )


def read_moment(raw: str) -> Position:
    """Return the moment of a text. Raises ValueError."""
    if re.fullmatch("[1-9][0-9]{0,15}", raw) and int(raw) <= BIGGEST:
        return Position(version=int(raw))
    if re.fullmatch(_TIME, raw):
        return Position(time=_milliseconds(raw))
    raise ValueError(_EXPECTED)


def _milliseconds(raw: str) -> int:
    """Return the milliseconds from the epoch to a time of the form _TIME.

    A leap second, unknown to Python, counts as the second after it.
    """
    text = raw.upper().replace("Z", "+00:00")
    seconds = text[17:19]
    is_leap_second = seconds == "60"
    if is_leap_second:
        text = f"{text[:17]}59{text[19:]}"

    passed = datetime.fromisoformat(text) - _EPOCH
    if is_leap_second:
        passed += timedelta(seconds=1)
    return passed // timedelta(milliseconds=1)


ENDED = span("ended", "matches that ended")
UPDATED = span("updated", "matches with the last commit")

_MOST_TOKENS = 50
_EXPECTED_TOKENS = f"must be 1 to {_MOST_TOKENS} tokens separated by commas"


def _read_tokens(raw: str) -> list[str]:
    tokens = re.split(r"\s*,\s*", raw)
    if len(tokens) > _MOST_TOKENS:
        raise ValueError(_EXPECTED_TOKENS)
    return tokens


TOKENS = header(
    "Giornale-Tokens",
    "Further tokens of the caller, separated by commas, 50 at most.",
    Words(
        # The pattern does not bound the number of tokens: RE2 refuses more than 1,000 nested
        # repetitions, and one token has 43.
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
    "Only commits up to and at this moment: a version, or a time (RFC 3339).",
    example="2026-03-01T18:30:00Z",
)
