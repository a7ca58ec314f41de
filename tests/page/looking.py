"""Looking at pages as people do: in Chromium, in light and dark, in narrow and wide windows.

What is wrong with a page is found by the browser itself (what its policy blocks, errors of scripts,
files that are not there), by axe-core (what keeps people out) and by measuring (is it too wide?).
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Playwright, Response

from service.page.assets import STATIC

CHROMIUM = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
)
AXE = STATIC.parent / "node_modules/axe-core/axe.min.js"

# Chromium as a test may run it: without a sandbox of its own, and without calling home.
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

with_browser = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")

_RUN_AXE = """
async () => {
  const { violations } = await axe.run(document, { resultTypes: ["violations"] });
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`);
}
"""
_SIDEWAYS = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


class Window(NamedTuple):
    """How a page is looked at."""

    width: int
    scheme: Literal["light", "dark"]


NARROW = 390
WIDE = 1440
WINDOWS = (
    Window(NARROW, "light"),
    Window(NARROW, "dark"),
    Window(WIDE, "light"),
    Window(WIDE, "dark"),
)


@dataclass
class Look:
    """A window, and what the browser has complained of in it."""

    page: Page
    complaints: list[str] = field(default_factory=list)

    def heard(self, message: ConsoleMessage) -> None:
        """Keep what the console says is wrong."""
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def answered(self, response: Response) -> None:
        """Keep what is not there."""
        if response.status >= 400:
            self.complaints.append(f"{response.status} {response.url}")

    def barriers(self) -> list[str]:
        """Return what keeps people out of the page, as axe-core finds it."""
        if not AXE.is_file():
            pytest.skip("axe-core is not installed: `make test` installs it")
        self.page.evaluate(AXE.read_text())
        found: list[str] = self.page.evaluate(_RUN_AXE)
        return found

    def sideways(self) -> int:
        """Return by how many pixels the page is wider than its window."""
        pixels: int = self.page.evaluate(_SIDEWAYS)
        return pixels


def started(playwright: Playwright) -> Browser:
    """Return the browser, which the caller closes."""
    return playwright.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))


@contextmanager
def look(browser: Browser, window: Window, **options: Any) -> Iterator[Look]:
    """Open a window; options: what Playwright may know of it, such as `java_script_enabled`."""
    context = browser.new_context(
        viewport={"width": window.width, "height": 900},
        color_scheme=window.scheme,
        **options,
    )
    looking = Look(context.new_page())
    looking.page.on("console", looking.heard)
    looking.page.on("pageerror", lambda error: looking.complaints.append(str(error)))
    looking.page.on("response", looking.answered)
    try:
        yield looking
    finally:
        context.close()
