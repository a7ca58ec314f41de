"""A browser's window, watched: nothing may go wrong in it, and it may ask one server alone."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request

from tests.running import PATIENCE

# A commit has no position in the log yet. An audit asks for it again.
NOT_SEALED = re.compile(r"status of 503 .*/proof\?version=")

WIDE = {"width": 1440, "height": 1000}

# A phone. Firefox does not take `is_mobile`.
PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
}

# Others' moves are shown at once, as to a reader with less motion: tests wait for the present.
USUAL: dict[str, Any] = {"viewport": WIDE, "reduced_motion": "reduce"}


class Watch:
    """Messages and requests of a context's pages.

    faults: uncaught errors of scripts, and errors and warnings of the console, in their order.
    requests: the requested URLs.
    """

    def __init__(self, origin: str) -> None:
        self.origin = origin
        self.faults: list[str] = []
        self.requests: list[str] = []
        # Messages of the console that a test expects, such as the failure of a request.
        self.expected: list[str] = []

    def attach(self, context: BrowserContext) -> None:
        """Listen to all pages of a context."""
        context.on("console", self._console)
        context.on("weberror", lambda error: self.faults.append(str(error.error)))
        context.on("request", self._request)

    def _console(self, message: ConsoleMessage) -> None:
        text = f"{message.text} ({message.location['url']})"
        if message.type in ("error", "warning") and not NOT_SEALED.search(text):
            self.faults.append(text)

    def _request(self, request: Request) -> None:
        self.requests.append(request.url)

    def check(self) -> None:
        """Fail if anything went wrong, or if another server was asked."""
        unexpected = [
            fault
            for fault in self.faults
            if not any(expected in fault for expected in self.expected)
        ]
        assert unexpected == [], f"what went wrong in the page: {unexpected}"

        elsewhere = [url for url in self.requests if not self._is_own(url)]
        assert elsewhere == [], f"what was asked of another server: {elsewhere}"

    def _is_own(self, url: str) -> bool:
        parts = urlsplit(url)
        return url.startswith(self.origin) or parts.scheme in ("data", "blob")


@contextmanager
def window(browser: Browser, origin: str, **settings: Any) -> Iterator[tuple[Page, Watch]]:
    """A new page with its own memory, and its watch, which is checked at the end.

    origin: the beginning of every URL that may be asked for.
    settings: what Playwright's `new_context` takes. 1440 pixels wide, with
        less motion, by default.
    """
    context = browser.new_context(base_url=origin, **(USUAL | settings))
    context.set_default_timeout(PATIENCE * 1000)
    watch = Watch(origin)
    watch.attach(context)
    try:
        yield context.new_page(), watch
        watch.check()
    finally:
        context.close()
