"""Fixtures of the attacks: the service's door, and matches of bots."""

import pytest
from werkzeug.test import TestResponse

from service.matches import automation
from service.matches.context import Context
from service.matches.repository import load
from tests.service.api.conftest import (
    NDJSON,
    OPERATOR,
    Door,
    app,
    door,
    lobby,
    make_door,
    match,
    one_window,
    own_app,
    shared_app,
)
from tests.service.toy_matches import new_context
from workers.bots import choose

# The fixtures of the door. Its service has an operator.
__all__ = ["app", "door", "lobby", "make_door", "match", "one_window", "own_app", "shared_app"]

BOT = {"kind": "bot", "level": "random"}
THREE_BOTS = [BOT] * 3
MATCH_OF_BOTS = {"game": "calimala", "seats": THREE_BOTS}


@pytest.fixture
def ctx() -> Context:
    """A context over a journal in memory."""
    return new_context()


def post_record(door: Door, lines: list[bytes], who: str = OPERATOR) -> TestResponse:
    """Ask a service to take in a record."""
    return door.ask("POST", "/v1/records", who, data=b"".join(lines), content_type=NDJSON)


def delete_match(door: Door) -> None:
    """Delete the door's match, as the operator."""
    assert door.delete("", OPERATOR).status_code == 204


def play_out(ctx: Context, match: str) -> None:
    """Let house and bots act until a match waits for neither of them."""
    while True:
        status = load(ctx, match).status
        if status.awaiting == "house":
            automation.act(ctx, match)
        elif status.worker == "bots":
            automation.play_bots(ctx, match, choose)
        else:
            return
