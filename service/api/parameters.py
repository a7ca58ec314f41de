"""Query parameters and request headers, read strictly."""

import re

from flask import request

from service.errors import Invalid, Place

_KEY = re.compile(r"[\x21-\x7e]{1,255}")


def number(name: str, default: int | None, least: int, most: int) -> int | None:
    """Return a whole number from the query; raises Invalid."""
    text = request.args.get(name)
    if text is None:
        return default
    if not re.fullmatch(r"\d{1,15}", text) or not least <= int(text) <= most:
        raise Invalid(Place(f"?{name}", f"must be a whole number from {least} to {most}"))
    return int(text)


def flag(name: str) -> bool:
    """Return a flag from the query, false by default; raises Invalid."""
    text = request.args.get(name, "false")
    if text not in ("true", "false"):
        raise Invalid(Place(f"?{name}", "must be true or false"))
    return text == "true"


def only(*names: str) -> None:
    """Refuse query parameters that are not among the names; raises Invalid."""
    unknown = sorted(set(request.args) - set(names))
    if unknown:
        raise Invalid(
            *(Place(f"?{one}", f"unknown parameter; known are {', '.join(names) or 'none'}") for one in unknown)
        )
    twice = [name for name in request.args if len(request.args.getlist(name)) > 1]
    if twice:
        raise Invalid(*(Place(f"?{one}", "is given more than once") for one in twice))


def expected_version() -> int | None:
    """Return the version in If-Match (`"17"` or `"17;seat:0"`), None without one or for *; raises Invalid."""
    text = request.headers.get("If-Match")
    if text is None or text.strip() == "*":
        return None
    found = re.fullmatch(r'\s*"(\d{1,15})(?:;[a-z0-9:]*)?"\s*', text)
    if not found:
        raise Invalid(Place("If-Match", 'must be one ETag of this match, such as "17", or *'))
    return int(found[1])


def idempotency_key() -> str:
    """Return the Idempotency-Key, "" without one; raises Invalid."""
    text = request.headers.get("Idempotency-Key")
    if text is None:
        return ""
    text = text.strip().removeprefix('"').removesuffix('"')
    if not _KEY.fullmatch(text):
        raise Invalid(Place("Idempotency-Key", "must be 1 to 255 visible ASCII characters, such as a UUID"))
    return text
