"""Times as commits tell them: RFC 3339 in UTC with milliseconds."""

from datetime import UTC, datetime
from functools import lru_cache


def timestamp(milliseconds: int) -> str:
    """Return milliseconds since the epoch as RFC 3339 in UTC with milliseconds."""
    seconds, rest = divmod(milliseconds, 1000)
    return f"{_second(seconds)}.{rest:03d}Z"


def milliseconds(time: str) -> int:
    """Return RFC 3339 in UTC, as `timestamp` writes it, as milliseconds since the epoch."""
    return round(datetime.fromisoformat(time).timestamp() * 1000)


@lru_cache(maxsize=8)  # most commits share their second with another
def _second(seconds: int) -> str:
    """Return a second since the epoch in UTC, without its zone."""
    return datetime.fromtimestamp(seconds, UTC).isoformat().removesuffix("+00:00")
