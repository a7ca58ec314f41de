"""What the operations of the contract share: parameters, headers and answers."""

from typing import Any

from flask import Flask, Response
from werkzeug.routing import BaseConverter

from domain.seats import SEAT_NUMBER
from service.api import links
from service.api.contract.operations import Answer
from service.api.http.answers import answer
from service.api.http.conditional import etag
from service.keys.tokens import Caller
from service.ledger.ids import MATCH_ID
from service.matches import reading
from service.matches.submitting import Made


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
    """Let routes speak of <id:match>, <version:number> and <number:seat>; a path is never led on to another."""
    app.url_map.converters |= {"id": MatchId, "version": Version, "number": SeatNumber}
    app.url_map.merge_slashes = False


MADE = Answer(
    "The commit that was made, as the caller may see it.", "Commit",
    headers=("ETag", "Location", "Idempotent-Replayed"),
    links={
        "state": {"operationId": "getState", "parameters": {"match": "$response.body#/match"}},
        "commit": {
            "operationId": "getCommit",
            "parameters": {"match": "$response.body#/match", "number": "$response.body#/version"},
        },
    },
)  # fmt: skip
UNCHANGED = Answer("Nothing has changed since the ETag in If-None-Match.", headers=("ETag",))


def committed(made: Made, caller: Caller | None = None, status: int = 201) -> Response:
    """Answer a commit as its maker (or another caller) may see it."""
    caller = caller or made.maker
    return commit_answer(made, told(made, caller), caller, status)


def told(made: Made, caller: Caller) -> dict[str, Any]:
    """Return a new commit as a caller may see it, with its receipt."""
    receipt = {"receipt": made.receipt} if made.receipt else {}
    return {**reading.shown(made.entry, caller), **receipt}


def commit_answer(made: Made, value: dict[str, Any], caller: Caller, status: int = 201) -> Response:
    """Answer whatever tells of a commit."""
    commit = made.entry["commit"]
    headers = {
        "ETag": etag(commit["version"], caller),
        "Location": links.commit(commit["match"], commit["version"]),
        "Cache-Control": "no-store",
    }
    if made.repeated:
        headers["Idempotent-Replayed"] = "true"
    return answer(value, status, headers)


def link(rel: str, **query: Any) -> str:
    """Return one value of the header Link (RFC 8288): this path with another query."""
    return f'<{links.here(**query)}>; rel="{rel}"'
