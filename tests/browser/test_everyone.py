"""Everybody can use the pages: no finding of axe-core, no sideways scrolling, on any page."""

import random
import re
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.asking import seat_address
from tests.browser.pages import GAMES, all_visits, playing
from tests.browser.table import Table, play_on
from tests.browser.test_play import MEANWHILE
from tests.browser.watched import window
from tests.running import RunningService

AXE = Path(__file__).parents[2] / "page/node_modules/axe-core/axe.min.js"
WIDTHS = (390, 768, 1440)
HEIGHT = 900

# The rules of WCAG 2.2 up to AA, and axe-core's own best practices.
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
RUN_AXE = "(tags) => axe.run({ runOnly: tags, resultTypes: ['violations'] })"

# Shows all controls as if they were pointed at, or focused: what a style says of that state it then
# says of them and of all around them. One of each kind, told by its class and those of the elements
# around it, is marked, to be looked at.
SHOW_STATE = """(pseudo) => {
  const state = new RegExp(pseudo, "g");
  const extend = (rules) => {
    for (const rule of rules) {
      if (rule.cssRules) extend(rule.cssRules);
      if (rule.selectorText?.match(state)) {
        rule.selectorText = rule.selectorText.replace(state, ":is($&, [data-shown~='$1'])");
      }
    }
  };
  for (const sheet of document.styleSheets) extend(sheet.cssRules);

  const [name] = pseudo.match(/[a-z]+/);
  const kinds = new Set();
  for (const element of document.querySelectorAll("[data-shown]")) element.dataset.shown = "";
  const controls = "a, button, summary, input, select, textarea, [role=button]";
  for (const control of document.querySelectorAll(controls)) {
    const around = [];
    for (let part = control; part; part = part.parentElement) {
      part.dataset.shown = name;
      if (around.length < 4) around.push(`${part.tagName}.${[...part.classList].sort().join(".")}`);
    }
    if (kinds.has(around.join()) || !control.checkVisibility()) continue;
    kinds.add(around.join());
    control.dataset.tried = "yes";
  }
  return kinds.size;
}"""
STATES = (":(hover)", ":(focus)(?:-visible|-within)?(?![-a-z])")
MARKED = "[data-tried]"
# The pages with such controls. The others have none of their own.
TRIED = re.compile("-(playing|end|audit)$|^(gathering|lobby)$")
LOOK_AT_CONTRAST = """(marked) => {
  const options = { runOnly: ["color-contrast"], resultTypes: ["violations"] };
  return axe.run(marked, options);
}"""

pytestmark = pytest.mark.skipif(
    not AXE.exists(), reason="axe-core is not installed: make page installs it"
)


class Look(NamedTuple):
    """Findings on a page: those of axe-core, and the width taken at each width of a window.

    in_states: findings about controls that are pointed at or focused.
    """

    findings: list[str]
    in_states: list[str]
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
    by_name = {}
    with window(browser, service.url, **settings) as (page, _watch):
        for visit in islice(all_visits(service), 0, None, every):
            visit.pay(page)
            by_name[visit.name] = look_at(page, visit.name)
            page.set_viewport_size({"width": width, "height": HEIGHT})
    return by_name


def look_at(page: Page, name: str) -> Look:
    """Look at a page of a name."""
    faults = findings(page)
    return Look(faults, in_states(page) if TRIED.search(name) else [], widths(page))


def findings(page: Page) -> list[str]:
    """Return axe-core's findings on a page: the rule, and the place."""
    page.evaluate(AXE.read_text())
    return said(page.evaluate(RUN_AXE, TAGS))


def said(results: dict[str, Any]) -> list[str]:
    """Return each finding of axe-core as a text."""
    return [
        f"{violation['id']}: {node['html'][:160]} {node['failureSummary']}"
        for violation in results["violations"]
        for node in violation["nodes"]
    ]


def in_states(page: Page) -> list[str]:
    """Return the findings of a loaded axe-core while each kind of control is hovered, focused."""
    faults = []
    for pseudo in STATES:
        assert page.evaluate(SHOW_STATE, pseudo) > 0
        faults += [f"{pseudo}: {one}" for one in said(page.evaluate(LOOK_AT_CONTRAST, MARKED))]
    return faults


def widths(page: Page) -> dict[int, int]:
    """Return the width of a page in windows of each width."""
    by_width = {}
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": HEIGHT})
        by_width[width] = page.evaluate("document.documentElement.scrollWidth")
    return by_width


def test_everybody_can_use_every_page(looks: dict[str, Look]) -> None:
    """No page has a finding of axe-core."""
    assert {name: look.findings for name, look in looks.items() if look.findings} == {}


def test_hovered_and_focused_controls_have_readable_contrast(looks: dict[str, Look]) -> None:
    """In any state, a control's colour differs enough from its background."""
    assert {name: look.in_states for name, look in looks.items() if look.in_states} == {}


@pytest.mark.parametrize(
    ("game", "theme"),
    [
        ("calimala", "light"),
        ("firenze", "dark"),
        pytest.param("calimala", "dark", marks=pytest.mark.whole),
        pytest.param("firenze", "light", marks=pytest.mark.whole),
    ],
)
def test_everybody_can_read_the_controls_of_a_chosen_move(
    browser: Browser, service: RunningService, game: str, theme: str
) -> None:
    """The controls that make or change the move have no findings, pointed at or focused."""
    chance = random.Random(game)
    settings = {"color_scheme": theme, "reduced_motion": "reduce"}
    with window(browser, service.url, **settings) as (page, watch):
        watch.expected = [MEANWHILE]
        table = Table(page)
        table.open(seat_address(playing(service, game, GAMES[game]), 0))
        while table.asked() != "send":
            play_on(table, chance)

        page.evaluate(AXE.read_text())
        assert in_states(page) == []


def test_a_colour_that_is_wrong_in_one_state_is_found(
    browser: Browser, service: RunningService
) -> None:
    """The text cannot be read while it is pointed at, or focused, and can be read else."""
    with window(browser, service.url) as (page, _watch):
        page.goto("/")
        for control in ("button", "summary"):
            page.locator(f"{control}:visible").first.wait_for()
        page.evaluate(AXE.read_text())
        assert in_states(page) == []

        for state, control in (("hover", "button"), ("focus", "summary")):
            colours = "color: #999 !important; background: #888 !important"
            page.evaluate(ADD_RULE, f"{control}:{state} {{ {colours} }}")
            assert any(state in one and "contrast" in one for one in in_states(page))


ADD_RULE = "(rule) => { document.styleSheets[0].insertRule(rule); }"


def test_no_page_scrolls_sideways(looks: dict[str, Look]) -> None:
    """At each width every page is as wide as the window, and no wider."""
    too_wide = {
        (name, width): page_width
        for name, look in looks.items()
        for width, page_width in look.taken.items()
        if page_width > width
    }
    assert too_wide == {}
