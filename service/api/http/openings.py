"""How many matches one address may open: an opening costs more than other requests, and leaves more behind."""

from flask import current_app

from service.api.http.limits import RateLimit, sender_key
from service.errors import TooMany


def count() -> None:
    """Count an opening of the address that asks, a repeated one too; raises TooMany."""
    limit: RateLimit | None = current_app.extensions["openings"]
    if limit is None:
        return

    told = limit.count(sender_key())
    if told.left < 0:
        raise TooMany(
            "requests",
            f"at most {limit.limit} matches are opened in {told.window} seconds",
            told.resets,
        )
