"""One Chromium for the tests of the pages. `tests/conftest.py` chooses when they run."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Playwright, expect, sync_playwright

from tests.browser.browsers import chromium_of
from tests.running import PATIENCE

expect.set_options(timeout=PATIENCE * 1000)


@pytest.fixture(scope="package")
def playwright() -> Iterator[Playwright]:
    """The driver of all browsers of this process: Playwright starts once in a thread."""
    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="package")
def browser(playwright: Playwright) -> Iterator[Browser]:
    """A running Chromium."""
    with chromium_of(playwright) as browser:
        yield browser
