"""Answers that tell of a commit which was just made."""

from typing import Any

from flask import Response

from service.api import links
from service.api.contract.operations import Answer
from service.api.http.answers import answer
from service.api.http.conditional import etag
from service.keys.tokens import Caller
from service.matches import reading
from service.matches.submitting import Made

# What the contract says of such an answer.
MADE = Answer(
    "The commit that was made, as the caller may see it.",
    "Commit",
    headers=("ETag", "Location", "Idempotent-Replayed"),
    links={
        "state": {
            "operationId": "getState",
            "parameters": {"match": "$response.body#/match"},
        },
        "commit": {
            "operationId": "getCommit",
            "parameters": {
                "match": "$response.body#/match",
                "number": "$response.body#/version",
            },
        },
    },
)


def committed(made: Made, status: int = 201) -> Response:
    """Answer a commit as its maker may see it."""
    commit = seen(made, made.maker)
    return told_of(made, made.maker, commit, status)


def seen(made: Made, caller: Caller) -> dict[str, Any]:
    """Return a new commit as a caller may see it, with its receipt."""
    commit: dict[str, Any] = reading.shown(made.entry, caller)
    if made.receipt:
        commit["receipt"] = made.receipt
    return commit


def told_of(made: Made, caller: Caller, value: Any, status: int = 201) -> Response:
    """Answer a value that tells a caller of a commit, with the headers that such answers have."""
    location = links.commit(made.entry["commit"]["match"], made.version)
    return answer(value, status, headers_of(made, caller, location))


def headers_of(made: Made, caller: Caller, location: str) -> dict[str, str]:
    """Return the headers of an answer that tells a caller of a commit; location: the commit's."""
    headers = {
        "ETag": etag(made.version, made.entry["hash"], caller),
        "Location": location,
        "Cache-Control": "no-store",
    }
    if made.repeated:
        headers["Idempotent-Replayed"] = "true"
    return headers
