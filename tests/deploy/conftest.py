"""The web application, as the examples' settings make it."""

from collections.abc import Callable
from pathlib import Path

import pytest
from flask import Flask

from service.app import create_app
from service.base.config import Config

MakeApp = Callable[..., Flask]


@pytest.fixture
def make_app(redis_url: str, tmp_path: Path) -> MakeApp:
    """Return a factory of the application, with more settings if they are given."""

    def make(**settings: str) -> Flask:
        here = {"GIORNALE_JOURNAL_URL": redis_url, "GIORNALE_DATA": str(tmp_path)}
        return create_app(Config.load(here | settings))

    return make
