"""Small and zoomed windows: choices beside the board, long names, and parts that stay in place."""

from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.asking import ADA, BOB, BOT, open_match, played_match, seat_address
from tests.browser.pages import END, LOBBY, REPLAY
from tests.browser.table import Table
from tests.browser.test_advice import check_for_everybody
from tests.browser.watched import PHONE, window
from tests.running import RunningService

# A phone on its side, a laptop of 1440x900 at 200 % zoom, and a phone upright.
LOW = {"side": (844, 390), "zoom": (720, 450)}
PHONE_SIZE = (390, 844)
LONG = {"kind": "human", "name": "Maximiliane-Alexandrina von der Wolkenstein-R"}

LEAST_BOARD = 250  # pixels of the board above the sheet of choices
MOST_SEAT = 64  # pixels
MOST_SHIFT = 0.1

SHIFTS = """() => {
  window.shift = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value;
  }).observe({ type: "layout-shift", buffered: true });
}"""
FRAMES = """() => new Promise((done) => {
  let left = 30;
  const next = () => (left-- > 0 ? requestAnimationFrame(next) : done());
  next();
})"""
LINES = """(part) => {
  const text = document.createRange();
  text.selectNodeContents(part);
  return new Set([...text.getClientRects()].map(({ top }) => top)).size;
}"""
BOARD_IN_SIGHT = """() => {
  const top = (part) => document.querySelector(part).getBoundingClientRect().top;
  return top(".replay-play") - top(".replay-board");
}"""


def settings(size: tuple[int, int]) -> dict[str, Any]:
    """Return the settings of a window of a size. A narrow one is that of a phone."""
    width, height = size
    phone = PHONE if width < PHONE_SIZE[0] + 1 else {}
    return {**phone, "viewport": {"width": width, "height": height}}


def at_table(page: Page, service: RunningService, game: str) -> None:
    """Open the table of a match at the choice of somebody with a long name."""
    opened = open_match(service, game, [LONG, BOB, BOT], seed="windows")
    Table(page).open(seat_address(opened, 0))
    page.locator(".play-choice").first.wait_for()


@pytest.mark.parametrize("game", ["calimala", "firenze"])
@pytest.mark.parametrize("size", LOW.values(), ids=LOW)
def test_a_choice_is_in_sight_in_a_low_window(
    browser: Browser, service: RunningService, size: tuple[int, int], game: str
) -> None:
    """The choice is there without scrolling. A part of the board is in sight, too."""
    with window(browser, service.url, **settings(size)) as (page, _watch):
        at_table(page, service, game)
        expect(page.locator(".play-choice").first).to_be_in_viewport(ratio=1)
        expect(page.locator(".replay-board")).to_be_in_viewport()
        check_for_everybody(page)


@pytest.mark.parametrize("game", ["calimala", "firenze"])
def test_a_phone_shows_the_board_above_the_choices(
    browser: Browser, service: RunningService, game: str
) -> None:
    """At least 250 pixels of the board are above the choices, and the first choice is in sight."""
    with window(browser, service.url, **settings(PHONE_SIZE)) as (page, _watch):
        at_table(page, service, game)
        expect(page.locator(".play-choice").first).to_be_in_viewport(ratio=1)
        assert page.evaluate(BOARD_IN_SIGHT) >= LEAST_BOARD


@pytest.mark.parametrize("size", [(1440, 900), PHONE_SIZE, *LOW.values()])
def test_a_long_name_takes_one_line(
    browser: Browser, service: RunningService, size: tuple[int, int]
) -> None:
    """The reader's seat, which shows the name, is at most 64 pixels high."""
    with window(browser, service.url, **settings(size)) as (page, _watch):
        at_table(page, service, "firenze")
        seat = page.locator(".table-seat").first
        name = seat.get_by_text(LONG["name"], exact=True)
        assert name.evaluate(LINES) == 1

        box = seat.bounding_box()
        assert box is not None
        assert box["height"] <= MOST_SEAT


@pytest.mark.parametrize("size", [(1440, 900), PHONE_SIZE])
def test_nothing_moves_while_a_page_is_loaded(
    browser: Browser, service: RunningService, size: tuple[int, int]
) -> None:
    """The layout shift of the lobby, a table, a finished match and its replay is at most 0.1."""
    ended = played_match(service, "calimala", 3, seed="a visit")["match"]
    opened = open_match(service, "calimala", [ADA, BOB, BOT], seed="windows")
    pages = {
        "lobby": ("/", LOBBY),
        "table": (seat_address(opened, 0), ".play-choice"),
        "ended": (f"/matches/{ended}", END),
        "replay": (f"/matches/{ended}/60", REPLAY),
    }
    shifts = {}
    for name, (address, selector) in pages.items():
        with window(browser, service.url, **settings(size)) as (page, _watch):
            page.add_init_script(f"({SHIFTS})()")
            page.goto(address)
            page.locator(selector).first.wait_for()
            page.evaluate(FRAMES)
            shifts[name] = page.evaluate("window.shift")
    assert {name: shift for name, shift in shifts.items() if shift > MOST_SHIFT} == {}


@pytest.mark.parametrize("size", [(1440, 900), PHONE_SIZE, *LOW.values()])
def test_a_refusal_leaves_the_choices_in_sight(
    browser: Browser, service: RunningService, size: tuple[int, int]
) -> None:
    """The refusal is one sentence with a link to its rule. The first choice stays in sight."""
    with window(browser, service.url, **settings(size)) as (page, watch):
        watch.expected = ["status of 409"]
        at_table(page, service, "calimala")
        page.locator("[data-place='street:0-1']").first.dispatch_event("click")
        refusal = page.locator(".play-panel .box-bad")
        expect(refusal.get_by_role("link")).to_have_count(1)
        assert refusal.inner_text().count(". ") == 1
        expect(refusal).to_be_in_viewport(ratio=1)
        expect(page.locator(".play-choice").first).to_be_in_viewport(ratio=1)
        check_for_everybody(page)
