"""Names that somebody chose to do harm with: they are shown as texts, and widen no page."""

from playwright.sync_api import Browser

from tests.browser.asking import open_match, seat_address
from tests.browser.watched import window
from tests.running import RunningService

MARKUP = "<img src=x onerror=document.title='harm'></script>${7*7}"
LONG = "W" * 60
TURNING = "\u05d0\u05d3\u05d4"  # letters from the right to the left
NAMED = [{"kind": "human", "name": name} for name in (MARKUP, LONG, TURNING)]
NARROW = {"width": 390, "height": 900}


def test_names_are_texts_that_fit(browser: Browser, service: RunningService) -> None:
    """Nothing of a name is run, none turns the words that follow, none widens or is cut off."""
    playing = open_match(service, "firenze", NAMED)
    gathering = open_match(service, "calimala", [*NAMED, {"kind": "open"}])
    addresses = {
        ".lobby-match": "/",
        ".story-sentence": seat_address(playing, 0),
        ".table-seats": f"/matches/{gathering['match']}#token={gathering['tokens']['owner']}",
    }
    for selector, address in addresses.items():
        with window(browser, service.url, viewport=NARROW) as (page, _watch):
            page.goto(address)
            page.locator(selector).first.wait_for()
            page.get_by_text(MARKUP).first.wait_for()

            assert page.locator("main img").count() == 0
            assert page.title() != "harm"
            turning = page.get_by_text(TURNING)
            assert turning.count() > 0
            for text in turning.all_inner_texts():
                assert text.count(TURNING) == text.count(f"\u2068{TURNING}\u2069")
            assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
            for story in page.locator(".story").all():
                cut = "(panel) => panel.scrollWidth - panel.clientWidth"
                assert story.evaluate(cut) == 0
