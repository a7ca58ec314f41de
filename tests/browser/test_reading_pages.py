"""The pages that are read: how the documentation's menu and search work, and the rules' links."""

import pytest
from playwright.sync_api import Browser, FloatRect, Page, expect

from tests.browser.watched import window
from tests.running import RunningService

NARROW = 390
WIDTHS = (NARROW, 1440)

UNFOLD = "document.querySelectorAll('#openMatch details').forEach((one) => { one.open = true; })"
WIDTH_TAKEN = "document.documentElement.scrollWidth"


@pytest.mark.parametrize("width", WIDTHS)
def test_an_unfolded_operation_fits_the_window(
    browser: Browser, service: RunningService, width: int
) -> None:
    """Its examples are long and stay within the page."""
    with window(browser, service.url, viewport={"width": width, "height": 900}) as (page, _):
        page.goto("/docs/matches#openMatch")
        page.evaluate(UNFOLD)

        assert page.locator("#openMatch pre:visible").count() >= 2
        assert page.evaluate(WIDTH_TAKEN) <= width


def test_the_menu_stands_beside_the_text_in_a_wide_window(
    browser: Browser, service: RunningService
) -> None:
    """In a narrow window it is folded above the text, and can be unfolded without scripts."""
    link = "text=Open a match >> nth=0"

    with window(browser, service.url) as (page, _):
        page.goto("/docs")
        expect(page.locator(".docs-menu").locator(link)).to_be_visible()
        menu, text = boxes(page)
        assert menu["x"] + menu["width"] <= text["x"]
        assert menu["y"] < text["y"] + text["height"]
        assert text["y"] < menu["y"] + menu["height"]

    narrow = {"width": NARROW, "height": 900}
    with window(browser, service.url, viewport=narrow, java_script_enabled=False) as (page, _):
        page.goto("/docs")
        in_menu = page.locator(".docs-menu").locator(link)
        expect(in_menu).to_be_hidden()
        page.locator(".docs-menu summary").click()
        expect(in_menu).to_be_visible()
        menu, text = boxes(page)
        assert menu["y"] + menu["height"] <= text["y"]


def boxes(page: Page) -> tuple[FloatRect, FloatRect]:
    """Return the places of the menu and of the text."""
    menu = page.locator(".docs-menu").bounding_box()
    text = page.locator(".docs-text").bounding_box()
    assert menu is not None
    assert text is not None
    return menu, text


def test_the_examples_call_the_server_of_the_page(
    browser: Browser, service: RunningService
) -> None:
    """The examples in each language name this server, so that they can be copied as they are."""
    with window(browser, service.url) as (page, _):
        page.goto("/docs")
        examples = page.locator(".docs-start")
        for line in (f"SERVER={service.url}\n", f'Client("{service.url}")', f'= "{service.url}";'):
            expect(examples.locator("pre", has_text=line)).to_have_count(1)
        expect(examples.locator("code", has_text=f"{service.url}/client.py")).to_have_count(1)


def test_search_is_done_with_the_keyboard_alone(browser: Browser, service: RunningService) -> None:
    """A slash, some letters, the arrows, Enter. Escape takes the results away."""
    with window(browser, service.url) as (page, _):
        page.goto("/docs")
        page.keyboard.press("/")
        page.keyboard.type("stat")
        results = page.locator(".docs-results a")
        expect(results.filter(has_text="See the state operation")).to_have_count(1)

        page.keyboard.press("Escape")
        expect(results).to_have_count(0)
        page.keyboard.type("monopoly")
        expect(page.get_by_role("status")).to_have_text("Nothing is called so.")
        page.keyboard.press("Escape")

        page.keyboard.type("calimalaview")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        page.wait_for_url("**/docs/schemas#schema-CalimalaView")
        expect(page.locator("#schema-CalimalaView table")).to_be_visible()


def test_a_rule_is_shown_at_the_target_of_its_link(
    browser: Browser, service: RunningService
) -> None:
    """A click on a rule that is named in another leads to it, and the window shows it."""
    with window(browser, service.url) as (page, _):
        page.goto("/rules/calimala#C38")
        page.locator("#C38 a.rule").click()
        page.wait_for_function("location.hash === '#C41'")

        expect(page.locator("#C41")).to_be_in_viewport()
