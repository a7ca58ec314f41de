"""The Firefox that the browser's tests drive: a stock one, found on the PATH, never downloaded.

Playwright speaks WebDriver BiDi with it, through the relay of firefox_relay.py.
"""

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from playwright.sync_api import Browser, Playwright

# Firefox's names on Debian and on other systems, and where macOS keeps it.
NAMES = ("firefox-esr", "firefox")
MAC_PATH = Path("/Applications/Firefox.app/Contents/MacOS/firefox")

# It asks nobody but the service: what it would load for itself has an address that nobody serves.
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

RELAY = Path(__file__).with_name("firefox_relay.py")


def firefox_path() -> str | None:
    """Return where Firefox is, None if it is not on this machine."""
    for name in NAMES:
        found = shutil.which(name)
        if found:
            return found
    return str(MAC_PATH) if MAC_PATH.exists() else None


@contextmanager
def firefox_of(playwright: Playwright) -> Iterator[Browser]:
    """A Firefox without a window; without one the test is skipped."""
    path = firefox_path()
    if path is None:
        pytest.skip(f"no Firefox is on the PATH; looked for {', '.join(NAMES)}")

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
