"""Names that somebody chose to do harm with: they are shown as texts, and widen no page."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from playwright.sync_api import Browser, Page

from service.cli.commands import main
from tests.browser.asking import open_match, seat_address
from tests.browser.watched import window
from tests.running import RunningService

MARKUP = "<img src=x onerror=document.title='harm'></script>${7*7}"
LONG = "W" * 60
TURNING = "Bob\u202e"
NAMED = [{"kind": "human", "name": name} for name in (MARKUP, LONG, TURNING)]
NARROW = {"width": 390, "height": 900}


@pytest.fixture
def addresses(service: RunningService) -> dict[str, str]:
    """Pages that show names, by what must be there before they are looked at.

    Links with a token of one holder count once, so each test has its own.
    """
    playing = open_match(service, "firenze", NAMED)
    gathering = open_match(service, "calimala", [*NAMED, {"kind": "open"}])
    return {
        ".lobby-match": "/",
        ".story-sentence": seat_address(playing, 0),
        ".table-seats": f"/matches/{gathering['id']}#token={gathering['tokens']['owner']}",
    }


def pages(browser: Browser, service: RunningService, addresses: dict[str, str]) -> Iterator[Page]:
    """Yield each page when it is ready."""
    for shown, address in addresses.items():
        with window(browser, service.url, viewport=NARROW) as (page, _watch):
            page.goto(address)
            page.locator(shown).first.wait_for()
            page.get_by_text(MARKUP).first.wait_for()
            yield page


def test_names_are_texts_that_fit(
    browser: Browser, service: RunningService, addresses: dict[str, str]
) -> None:
    """Nothing of a name is run, none turns the words that follow, none widens the page."""
    for page in pages(browser, service, addresses):
        assert page.locator("main img").count() == 0
        assert page.title() != "harm"
        assert "\u202e" not in page.locator("body").inner_text()
        assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]


def test_no_sentence_is_cut_off(
    browser: Browser, service: RunningService, addresses: dict[str, str]
) -> None:
    """A name without a space breaks where the story ends."""
    with window(browser, service.url, viewport=NARROW) as (page, _watch):
        page.goto(addresses[".story-sentence"])
        page.get_by_text(LONG).first.wait_for()
        cut = "(panel) => panel.scrollWidth - panel.clientWidth"
        assert page.locator(".story").evaluate(cut) == 0


def test_names_are_texts_in_the_file_of_a_match(
    browser: Browser, service: RunningService, tmp_path: Path
) -> None:
    """They stand in its title and among the data that it holds."""
    opened = open_match(service, "firenze", NAMED)
    file = tmp_path / "match.html"
    url = f"{service.url}/v1/matches/{opened['id']}"
    result = CliRunner().invoke(main, ["view", url, "-o", str(file)])
    assert result.exit_code == 3, result.output

    with window(browser, file.as_uri(), viewport=NARROW, offline=True) as (page, _watch):
        page.goto(file.as_uri())
        page.locator(".audit-so_far").first.wait_for()
        assert MARKUP in page.title()
        assert MARKUP in page.locator(".single-head").inner_text()
        assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
