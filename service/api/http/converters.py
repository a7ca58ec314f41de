"""Parts of a path that routes speak of: <id:match>, <version:number> and <number:seat>."""

from flask import Flask
from werkzeug.routing import BaseConverter

from domain.seats import SEAT_NUMBER
from service.ledger.ids import MATCH_ID


class MatchId(BaseConverter):
    """The id of a match in a path; anything else is no match."""

    regex = MATCH_ID


class Version(BaseConverter):
    """The number of a commit in a path, in the one way of writing it."""

    regex = "0|[1-9][0-9]{0,15}"

    def to_python(self, value: str) -> int:
        """Return the number."""
        return int(value)


class SeatNumber(BaseConverter):
    """The number of a seat in a path."""

    regex = SEAT_NUMBER

    def to_python(self, value: str) -> int:
        """Return the number."""
        return int(value)


def init(app: Flask) -> None:
    """Let routes use the converters; a path with doubled slashes is not redirected to another."""
    app.url_map.converters["id"] = MatchId
    app.url_map.converters["version"] = Version
    app.url_map.converters["number"] = SeatNumber
    app.url_map.merge_slashes = False
