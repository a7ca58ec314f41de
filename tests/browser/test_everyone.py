"""Everybody can use the pages: no finding of axe-core, no sideways scrolling, on any page."""

from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.pages import all_visits
from tests.browser.watched import window
from tests.running import RunningService

AXE = Path(__file__).parents[2] / "service/page/node_modules/axe-core/axe.min.js"
WIDTHS = (390, 768, 1440)
HEIGHT = 900

# The rules of WCAG 2.2 up to AA, and axe-core's own best practices.
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
RUN_AXE = "(tags) => axe.run({ runOnly: tags, resultTypes: ['violations'] })"

pytestmark = pytest.mark.skipif(
    not AXE.exists(), reason="axe-core is not installed: make page installs it"
)


class Look(NamedTuple):
    """What was found on a page: what axe-core says, and at which widths how much was taken."""

    findings: list[str]
    taken: dict[int, int]


# Both themes and both layouts are looked at: the wide one in light, the narrow one in dark. The
# short form looks at every third page.
@pytest.fixture(
    scope="module",
    params=[
        pytest.param(("light", WIDTHS[-1], 3), id="some-in-light"),
        pytest.param(("light", WIDTHS[-1], 1), id="light", marks=pytest.mark.whole),
        pytest.param(("dark", WIDTHS[0], 1), id="dark", marks=pytest.mark.whole),
    ],
)
def looks(
    request: pytest.FixtureRequest, browser: Browser, service: RunningService
) -> dict[str, Look]:
    """The pages, each looked at once."""
    theme, width, every = request.param
    settings = {
        "color_scheme": theme,
        "reduced_motion": "reduce",
        "viewport": {"width": width, "height": HEIGHT},
    }
    found = {}
    with window(browser, service.url, **settings) as (page, _watch):
        for visit in islice(all_visits(service), 0, None, every):
            visit.pay(page)
            found[visit.name] = Look(findings(page), widths(page))
            page.set_viewport_size({"width": width, "height": HEIGHT})
    return found


def findings(page: Page) -> list[str]:
    """Return what axe-core finds on a page: the rule, and where."""
    page.evaluate(AXE.read_text())
    found: dict[str, Any] = page.evaluate(RUN_AXE, TAGS)
    return [
        f"{violation['id']}: {node['html'][:160]} {node['failureSummary']}"
        for violation in found["violations"]
        for node in violation["nodes"]
    ]


def widths(page: Page) -> dict[int, int]:
    """Return how wide a page is in windows of each width."""
    taken = {}
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": HEIGHT})
        taken[width] = page.evaluate("document.documentElement.scrollWidth")
    return taken


def test_everybody_can_use_every_page(looks: dict[str, Look]) -> None:
    """No page has a finding of axe-core."""
    assert {name: look.findings for name, look in looks.items() if look.findings} == {}


def test_no_page_scrolls_sideways(looks: dict[str, Look]) -> None:
    """At each width every page is as wide as the window, and no wider."""
    too_wide = {
        (name, width): taken
        for name, look in looks.items()
        for width, taken in look.taken.items()
        if taken > width
    }
    assert too_wide == {}
