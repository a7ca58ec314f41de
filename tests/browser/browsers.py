"""The browsers that the tests drive: Chromium and Firefox, found on the PATH, never downloaded.

They are started so that they ask nobody but the service.
"""

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from playwright.sync_api import Browser, Playwright, sync_playwright

# Their names on Debian, on other systems, and their places on macOS.
CHROMIUM = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "chrome",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
FIREFOX = ("firefox-esr", "firefox", "/Applications/Firefox.app/Contents/MacOS/firefox")

# A test's own process may be root's. Root has no sandbox.
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

# Downloads of Firefox for itself have an address that nobody serves.
NOWHERE = "data:,"
PREFERENCES: dict[str, str | float | bool] = {
    "services.settings.server": NOWHERE,
    "toolkit.telemetry.server": NOWHERE,
    "app.normandy.enabled": False,
    "browser.safebrowsing.malware.enabled": False,
    "browser.safebrowsing.phishing.enabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
}

# Playwright speaks WebDriver BiDi with Firefox, through a relay.
RELAY = Path(__file__).with_name("firefox_relay.py")


def installed(names: tuple[str, ...]) -> str | None:
    """Return the path of a browser of these names, None if it is not on this machine."""
    return next(filter(None, map(shutil.which, names)), None)


@contextmanager
def running_chromium() -> Iterator[Browser]:
    """A Chromium without a window, for a program that drives no other browser."""
    with sync_playwright() as playwright, chromium_of(playwright) as browser:
        yield browser


@contextmanager
def chromium_of(playwright: Playwright) -> Iterator[Browser]:
    """A Chromium without a window. Without one the test is skipped, but fails in CI.

    playwright: a process has one for all its browsers.
    """
    path = installed(CHROMIUM)
    if path is None:
        reason = f"no Chromium is on the PATH; looked for {', '.join(CHROMIUM)}"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)

    browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
    try:
        yield browser
    finally:
        browser.close()


@contextmanager
def firefox_of(playwright: Playwright) -> Iterator[Browser]:
    """A stock Firefox without a window. Without one the test is skipped."""
    path = installed(FIREFOX)
    if path is None:
        pytest.skip(f"no Firefox is on the PATH; looked for {', '.join(FIREFOX)}")

    with TemporaryDirectory() as directory:
        script = Path(directory) / "firefox"
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{RELAY}" "{path}" "$@"\n')
        script.chmod(0o700)
        browser = playwright.firefox.launch(
            channel="moz-firefox",
            executable_path=script,
            firefox_user_prefs=PREFERENCES,
        )
        try:
            yield browser
        finally:
            browser.close()
