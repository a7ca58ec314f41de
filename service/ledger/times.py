"""Times as commits tell them: RFC 3339 in UTC with milliseconds."""

import re
from datetime import UTC, datetime
from functools import lru_cache

_TIME = re.compile(r"2\d{3}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z", re.ASCII)


def timestamp(milliseconds: int) -> str:
    """Return milliseconds since the epoch as RFC 3339 in UTC with milliseconds."""
    seconds, rest = divmod(milliseconds, 1000)
    return f"{_second(seconds)}.{rest:03d}Z"


def milliseconds(time: str) -> int:
    """Return RFC 3339 in UTC, as `timestamp` writes it, as milliseconds since the epoch."""
    return round(datetime.fromisoformat(time).timestamp() * 1000)


def is_time(value: object) -> bool:
    """Return whether a value is a moment that there was, written as `timestamp` does."""
    if not isinstance(value, str) or _TIME.fullmatch(value) is None:
        return False
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return False
    return True


@lru_cache(maxsize=8)  # most commits share their second with another
def _second(seconds: int) -> str:
    """Return a second since the epoch in UTC, without its zone."""
    return datetime.fromtimestamp(seconds, UTC).isoformat().removesuffix("+00:00")
