"""Times as commits tell them: RFC 3339 in UTC with milliseconds."""

from datetime import UTC, datetime


def timestamp(milliseconds: int) -> str:
    """Return milliseconds since the epoch as RFC 3339 in UTC with milliseconds."""
    seconds, rest = divmod(milliseconds, 1000)
    moment = datetime.fromtimestamp(seconds, UTC).isoformat()
    return f"{moment.removesuffix('+00:00')}.{rest:03d}Z"


def milliseconds(time: str) -> int:
    """Return RFC 3339 in UTC, as `timestamp` writes it, as milliseconds since the epoch."""
    return round(datetime.fromisoformat(time).timestamp() * 1000)
