"""Query parameters and request headers: what the contract says of them, and how they are read, in one place."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from flask import request

from service.errors import Invalid, Place, echoed

BIGGEST = 2**53 - 1


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter: `read` takes its text and returns its value or raises ValueError saying what would be right."""

    name: str
    text: str
    read: Callable[[str], Any]
    schema: dict[str, Any]
    place: str = "query"
    default: Any = None
    example: Any = None
    required: bool = False
    keyword: str = field(init=False, default="")

    def __post_init__(self) -> None:
        object.__setattr__(self, "keyword", self.name.lower().replace("-", "_"))


def number(
    name: str,
    text: str,
    least: int,
    most: int = BIGGEST,
    default: int | None = None,
    *,
    required: bool = False,
) -> Parameter:
    """Return a parameter that is a whole number."""

    def read(given: str) -> int:
        if not re.fullmatch(r"0|[1-9][0-9]{0,15}", given) or not least <= int(given) <= most:
            raise ValueError(f"must be a whole number from {least} to {most}")
        return int(given)

    schema: dict[str, Any] = {"type": "integer", "minimum": least, "maximum": most}
    if default is not None:
        schema["default"] = default
    return Parameter(name, text, read, schema, default=default, required=required)


def choice(name: str, text: str, choices: Sequence[str], default: str | None = None) -> Parameter:
    """Return a parameter that is one of some words."""

    def read(given: str) -> str:
        if given not in choices:
            raise ValueError(f"must be one of {', '.join(choices)}")
        return given

    schema: dict[str, Any] = {"type": "string", "enum": list(choices)}
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
    name: str, text: str, pattern: str, expected: str, *, place: str = "query", default: Any = None,
    read: Callable[[str], Any] | None = None, example: Any = None,
) -> Parameter:  # fmt: skip
    """Return a parameter whose text must match a pattern; `read` may make something else of it."""
    form = re.compile(pattern)

    def checked(given: str) -> Any:
        if not form.fullmatch(given):
            raise ValueError(expected)
        return given if read is None else read(given)

    schema = {"type": "string", "pattern": f"^(?:{pattern})$"}
    return Parameter(name, text, checked, schema, place, default, example)


IF_MATCH = words(
    "If-Match", "The ETag of the state that the request was thought up for; if the match has moved on: 412.",
    r'(?:W/)?"?[0-9]{1,15}(;[a-z0-9:;]*)?"?|\*', 'must be one ETag of this match, such as "17", or *', place="header",
    read=lambda given: None if given == "*" else int(given.removeprefix("W/").strip('"').partition(";")[0]),
    example='"17;seat:0"',
)  # fmt: skip
IF_NONE_MATCH = Parameter(
    "If-None-Match", "ETags that the caller has; if one of them still holds: 304.",
    lambda given: {tag.strip().removeprefix("W/") for tag in given.split(",")},
    {"type": "string"}, "header", default=frozenset(), example='"17;seat:0"',
)  # fmt: skip
_KEY_TEXT = (
    "A fresh random value, such as a UUID. The same request with the same key is answered with the first answer, and "
    "`Idempotent-Replayed: true`, for the life of the match."
)


def _key(text: str, least: int) -> Parameter:
    return words(
        "Idempotency-Key", text, rf'"[!#-~]{{{least},255}}"|[!#-+\--~]{{{least},255}}',
        f"must be {least} to 255 visible ASCII characters without quotes or commas, such as a UUID",
        place="header", default="", read=lambda given: given.strip('"'),
    )  # fmt: skip


IDEMPOTENCY_KEY = _key(_KEY_TEXT, 1)
SECRET_KEY = _key(
    f"{_KEY_TEXT} Keep it secret: whoever knows it can ask for the tokens of the answer again.", 16
)


WAIT = number(
    "wait",
    "Wait up to so many seconds for something new, rather than answer that nothing is.",
    0,
    60,
    0,
)


def read_all(parameters: Sequence[Parameter]) -> dict[str, Any]:
    """Return the value of every parameter by its keyword; raises Invalid for the wrong, the unknown and the doubled."""
    query = request.args if request.query_string else {}
    wrong = _strangers([one.name for one in parameters if one.place == "query"]) if query else []
    values, headers = {}, request.headers
    for one in parameters:
        given = query.get(one.name) if one.place == "query" else headers.get(one.name)
        try:
            values[one.keyword] = _value(one, given)
        except ValueError as error:
            wrong.append(Place(("?" if one.place == "query" else "") + one.name, str(error)))
    if wrong:
        raise Invalid(*wrong)
    return values


def _value(one: Parameter, given: str | None) -> Any:
    if given is None and one.required:
        raise ValueError("is missing")
    return one.default if given is None else one.read(given)


def _strangers(known: Sequence[str]) -> list[Place]:
    said = f"unknown parameter; known are {', '.join(known) or 'none'}"
    wrong = [Place(f"?{echoed(name)}", said) for name in sorted(request.args) if name not in known]
    doubled = [name for name, all_ in request.args.lists() if len(all_) > 1]
    return wrong + [Place(f"?{echoed(name)}", "is given more than once") for name in doubled]
