"""The Chromium that the browser's tests drive: found on the PATH, never downloaded."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Playwright, sync_playwright

# Chromium's names on Debian, on other systems, and where macOS keeps it.
NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
MAC_PATH = Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")

# It asks nobody but the service; a test's own process may be root's, which has no sandbox.
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def chromium_path() -> str | None:
    """Return where Chromium is, None if it is not on this machine."""
    for name in NAMES:
        found = shutil.which(name)
        if found:
            return found
    return str(MAC_PATH) if MAC_PATH.exists() else None


@contextmanager
def running_chromium() -> Iterator[Browser]:
    """A Chromium without a window, for a program that drives no other browser."""
    with sync_playwright() as playwright, chromium_of(playwright) as browser:
        yield browser


@contextmanager
def chromium_of(playwright: Playwright) -> Iterator[Browser]:
    """A Chromium without a window; without one the test is skipped, but fails in CI.

    playwright: a process has one for all its browsers.
    """
    path = chromium_path()
    if path is None:
        reason = f"no Chromium is on the PATH; looked for {', '.join(NAMES)}"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)

    browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
    try:
        yield browser
    finally:
        browser.close()
