"""One browser for all tests of the pages."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.chromium import running_chromium
from tests.running import PATIENCE

expect.set_options(timeout=PATIENCE * 1000)


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """A running Chromium."""
    with running_chromium() as browser:
        yield browser
