"""What the attacks start from: an application, what its operator may do, and matches of bots."""

from pathlib import Path

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from service.api.app import create_app
from service.config import Config
from service.matches import automation
from service.matches.context import Context
from service.matches.repository import load
from tests.service.api.conftest import NDJSON, Door
from tests.service.toy_matches import new_context
from workers.bots import choose

OPERATOR = "o" * 40
BOT = {"kind": "bot", "level": "random"}
THREE_BOTS = [BOT] * 3
MATCH_OF_BOTS = {"game": "calimala", "seats": THREE_BOTS}


@pytest.fixture
def ctx() -> Context:
    """A context over a journal in memory."""
    return new_context()


@pytest.fixture
def environ(redis_url: str, tmp_path: Path) -> dict[str, str]:
    """The settings of a service on an empty journal, those of its operator unset."""
    return {
        "GIORNALE_JOURNAL_URL": redis_url,
        "GIORNALE_DATA": str(tmp_path),
        "GIORNALE_SECRET": "x" * 32,
    }


@pytest.fixture
def app(environ: dict[str, str]) -> Flask:
    """The application."""
    return create_app(Config.load(environ))


@pytest.fixture
def door(app: Flask) -> Door:
    """The door, with no match yet."""
    return Door.of(app)


@pytest.fixture
def operated(environ: dict[str, str]) -> Door:
    """The door of a service that has an operator, with no match yet."""
    return operated_door(environ)


def operated_door(environ: dict[str, str]) -> Door:
    """Return the door of a service that has an operator."""
    settings = {**environ, "GIORNALE_OPERATOR_TOKEN": OPERATOR}
    return Door.of(create_app(Config.load(settings)))


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
