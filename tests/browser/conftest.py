"""One browser and one running service for all tests of the pages."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.chromium import running_chromium
from tests.running import PATIENCE, RunningService, running_service

expect.set_options(timeout=PATIENCE * 1000)


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """A running Chromium."""
    with running_chromium() as browser:
        yield browser


@pytest.fixture(scope="package")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """The whole service on its own directory."""
    directory = tmp_path_factory.mktemp("data")
    settings = {
        "GIORNALE_ALLOW_SEED": "true",
        "GIORNALE_OPENINGS": "0",
        "GIORNALE_RATE_LIMIT": "0",
        "GIORNALE_ADDRESS_LIMIT": "0",
    }
    with running_service(directory, **settings) as started:
        yield started
