"""Pictures of every page for docs/images, wide and light, narrow and dark: `make shots`."""

import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser

from tests.browser.browsers import running_chromium
from tests.browser.pages import all_visits
from tests.browser.watched import window
from tests.running import RunningService, running_service

IMAGES = Path(__file__).parents[2] / "docs/images"

# The end of a picture's name, and its window.
WINDOWS: dict[str, dict[str, Any]] = {
    "wide": {"color_scheme": "light", "viewport": {"width": 1440, "height": 1000}},
    "narrow": {"color_scheme": "dark", "viewport": {"width": 390, "height": 844}},
}


def main() -> None:
    """Take all pictures anew."""
    IMAGES.mkdir(exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as directory,
        running_service(Path(directory), GIORNALE_ALLOW_SEED="true") as service,
        running_chromium() as browser,
    ):
        for kind in WINDOWS:
            take_pictures(browser, service, kind)


def take_pictures(browser: Browser, service: RunningService, kind: str) -> None:
    """Take a picture of each page in one kind of window."""
    settings = {"reduced_motion": "reduce", **WINDOWS[kind]}
    with window(browser, service.url, **settings) as (page, _watch):
        # Links to seats count once, so each window has its own matches.
        for visit in all_visits(service):
            visit.pay(page)
            page.screenshot(path=IMAGES / f"{visit.name}-{kind}.png")


if __name__ == "__main__":
    main()
