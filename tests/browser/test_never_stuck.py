"""Nothing leaves a reader stuck: lost answers, wrong addresses, tokens that open nothing."""

import random
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.asking import ADA, BOB, open_match, seat_address
from tests.browser.table import Table, play_on, remembered
from tests.browser.test_advice import check_for_everybody
from tests.browser.watched import window
from tests.e2e.playing import Json
from tests.running import RunningService

LOST = "net::ERR_FAILED"
PREVIEW = "**/moves?dry_run=true"
BLIND = ".play-blind"

# Let no request arrive until something is clicked.
UNTIL_A_CLICK = """() => {
  const send = window.fetch;
  window.fetch = () => Promise.reject(new TypeError("lost"));
  document.addEventListener("click", () => { window.fetch = send; }, { capture: true });
}"""


@pytest.fixture
def opened(service: RunningService) -> Json:
    """A match of two people with Ada to move first."""
    return open_match(service, "firenze", [ADA, BOB], seed="stuck")


@pytest.fixture
def blind(browser: Browser, service: RunningService, opened: Json) -> Iterator[Page]:
    """Ada's table with a chosen move. Its preview never comes."""
    with window(browser, service.url) as (page, watch):
        watch.expected = [LOST]
        page.route(PREVIEW, lambda route: route.abort())
        Table(page).open(seat_address(opened, 0))
        choose_a_move(page)
        expect(page.locator(BLIND)).to_contain_text("Its effects did not come")
        yield page


def choose_a_move(page: Page) -> None:
    """Click choices until a move is chosen, but do not make it."""
    table = Table(page)
    chance = random.Random(3)
    while table.asked() != "send":
        play_on(table, chance)


# ---- a preview that does not come ----------------------------------------------------------------


def test_a_lost_preview_can_be_asked_for_again(blind: Page) -> None:
    """The button asks at once, and then the page shows the effects of the move."""
    check_for_everybody(blind)
    blind.evaluate(UNTIL_A_CLICK)
    blind.unroute(PREVIEW)
    blind.get_by_role("button", name="Try again").click()

    expect(blind.locator(".play-preview")).to_be_visible()
    expect(blind.locator(BLIND)).to_have_count(0)


def test_a_lost_preview_is_asked_for_again_by_itself(blind: Page) -> None:
    """The page asks again after a pause, without a click."""
    blind.unroute(PREVIEW)
    expect(blind.locator(".play-preview")).to_be_visible()


def test_a_move_is_made_without_its_preview(blind: Page) -> None:
    """The key that the button names makes it. The server judges the move anyway."""
    version = Table(blind).version
    blind.keyboard.press("Enter")
    Table(blind).wait_beyond(version)


# ---- wrong addresses -----------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/matches/abc", "/nowhere", "/rules/chess"])
def test_a_wrong_address_is_answered_with_a_page(
    browser: Browser, service: RunningService, path: str
) -> None:
    """The page names the fault and leads to the lobby. Nobody sees raw JSON."""
    with window(browser, service.url) as (page, watch):
        watch.expected = ["status of 404"]
        page.goto(path)
        expect(page.get_by_role("heading", level=1)).to_have_text("Not found")
        assert "{" not in page.locator("body").inner_text()
        check_for_everybody(page)
        page.get_by_role("link", name="To the lobby").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Giornale")


# ---- tokens in addresses -------------------------------------------------------------------------


def test_a_worthless_token_in_an_address_leaves_a_seat_as_it_is(
    browser: Browser, service: RunningService, opened: Json
) -> None:
    """The token is of no match at all, or of another one."""
    other = open_match(service, "firenze", [ADA, BOB], seed="other")
    worthless = f"gio_{opened['match']}_{'x' * 43}"
    with window(browser, service.url) as (page, watch):
        watch.expected = ["status of 401", "status of 403"]
        table = Table(page)
        table.open(seat_address(opened, 0))
        page.locator(".play-choice").first.wait_for()
        for token in (worthless, other["tokens"]["seat:1"]):
            page.goto("/")
            table.open(f"/matches/{opened['match']}#token={token}")
            page.locator(".play-choice").first.wait_for()
            assert list(remembered(page, opened["match"])["tokens"]) == ["seat:0"]


def test_the_holder_of_a_seat_is_asked_before_taking_another(
    browser: Browser, service: RunningService, opened: Json
) -> None:
    """A player who says no stays, and the link counts for its seat as before. A yes gives both."""
    match = opened["match"]
    with (
        window(browser, service.url) as (ada, _watch),
        window(browser, service.url) as (bob, bob_watch),
    ):
        bob_watch.expected = ["status of 401"]
        Table(ada).open(seat_address(opened, 0))
        ada.goto("/")
        ada.goto(seat_address(opened, 1))
        dialog = ada.get_by_role("dialog", name="Take the seat of Bob, too?")
        expect(dialog).to_contain_text("You are Ada here.")
        check_for_everybody(ada)
        dialog.get_by_role("button", name="Stay Ada only").click()
        ada.locator(".play-choice").first.wait_for()
        assert list(remembered(ada, match)["tokens"]) == ["seat:0"]

        Table(bob).open(seat_address(opened, 1))
        token = remembered(bob, match)["tokens"]["seat:1"]
        ada.goto("/")
        ada.goto(f"/matches/{match}#token={token}")
        dialog.get_by_role("button", name="Take the seat of Bob").click()
        expect(ada.get_by_label("Look as")).to_have_value("seat:1")
        assert sorted(remembered(ada, match)["tokens"]) == ["seat:0", "seat:1"]
        expect(bob.locator(".table-door")).to_contain_text("A link to a seat counts once")
