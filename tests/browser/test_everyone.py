"""Everybody can use the pages: no finding of axe-core, no sideways scrolling, on any page."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.pages import Visit, all_visits
from tests.browser.watched import window
from tests.running import RunningService

AXE = Path(__file__).parents[2] / "service/page/node_modules/axe-core/axe.min.js"
WIDTHS = (390, 768, 1440)
HEIGHT = 900

# The rules of WCAG 2.2 up to AA, and axe-core's own best practices.
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
RUN_AXE = "(tags) => axe.run({ runOnly: tags })"

pytestmark = pytest.mark.skipif(
    not AXE.exists(), reason="axe-core is not installed: make page installs it"
)


@pytest.fixture(scope="module")
def visits(service: RunningService) -> list[Visit]:
    """Every page."""
    return list(all_visits(service))


def findings(page: Page) -> list[str]:
    """Return what axe-core finds on a page: the rule, and where."""
    page.evaluate(AXE.read_text())
    found: dict[str, Any] = page.evaluate(RUN_AXE, TAGS)
    return [
        f"{violation['id']}: {node['html'][:160]} {node['failureSummary']}"
        for violation in found["violations"]
        for node in violation["nodes"]
    ]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_everybody_can_use_every_page(
    browser: Browser, service: RunningService, visits: list[Visit], theme: Any
) -> None:
    """No page has a finding of axe-core, in light and dark, wide and narrow."""
    found = {}
    with window(browser, service.url, color_scheme=theme, reduced_motion="reduce") as (page, _):
        for visit in visits:
            visit.pay(page)
            for width in (WIDTHS[0], WIDTHS[-1]):
                page.set_viewport_size({"width": width, "height": HEIGHT})
                found[visit.name, width] = findings(page)

    assert {place: faults for place, faults in found.items() if faults} == {}


def test_no_page_scrolls_sideways(
    browser: Browser, service: RunningService, visits: list[Visit]
) -> None:
    """At each width every page is as wide as the window, and no wider."""
    too_wide = {}
    with window(browser, service.url) as (page, _watch):
        for visit in visits:
            visit.pay(page)
            for width in WIDTHS:
                page.set_viewport_size({"width": width, "height": HEIGHT})
                taken = page.evaluate("document.documentElement.scrollWidth")
                if taken > width:
                    too_wide[visit.name, width] = taken

    assert too_wide == {}
