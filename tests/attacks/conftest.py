"""What the attacks start from: the application with the operator's settings unset, or a desk."""

from pathlib import Path

import pytest
from flask import Flask

from service.api.app import create_app
from service.config import Config
from service.matches.context import Context
from tests.attacks.operators import OPERATOR
from tests.service.api.conftest import Door
from tests.service.toy_matches import new_context


@pytest.fixture
def ctx() -> Context:
    """A desk of its own over a journal in memory."""
    return new_context()


@pytest.fixture
def environ(redis_url: str, tmp_path: Path) -> dict[str, str]:
    """The settings of a service on an empty journal; a test may add to them."""
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
    return door_of(app)


@pytest.fixture
def operated(environ: dict[str, str]) -> Door:
    """The door of a service that has an operator, with no match yet."""
    settings = {**environ, "GIORNALE_OPERATOR_TOKEN": OPERATOR}
    return door_of(create_app(Config.load(settings)))


def door_of(app: Flask) -> Door:
    """Return the door of an application."""
    return Door.of(app)
