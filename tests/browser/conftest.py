"""One browser for all tests of the pages, and which of them run with the whole suite."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Playwright, expect, sync_playwright

from tests.browser.chromium import chromium_of
from tests.running import PATIENCE

HERE = Path(__file__).parent
SHORT_FORM = "test_play.py"

expect.set_options(timeout=PATIENCE * 1000)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave all but the short form to `make browser`, unless a path in this folder is named."""
    if collection_path.name == SHORT_FORM or collection_path.suffix != ".py":
        return None

    named = [Path(argument.partition("::")[0]).absolute() for argument in config.args]
    return None if any(path.is_relative_to(HERE) for path in named) else True


@pytest.fixture(scope="package")
def playwright() -> Iterator[Playwright]:
    """What drives all browsers of this process: Playwright starts once in a thread."""
    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="package")
def browser(playwright: Playwright) -> Iterator[Browser]:
    """A running Chromium."""
    with chromium_of(playwright) as browser:
        yield browser
