"""New players learn on the way: hints in a first match, and rules over the table."""

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.asking import ADA, BOB, open_match, seat_address
from tests.browser.table import Table
from tests.browser.test_advice import check_for_everybody
from tests.browser.test_never_stuck import choose_a_move
from tests.browser.watched import PHONE, window
from tests.running import RunningService

GAMES = ("calimala", "firenze")
TIP = ".play-tip"
MAKE = ".play-end .primary:enabled"

# A name on each board, and the text of its rule.
NAMED = {
    "calimala": ("Council", "scoring tile"),
    "firenze": ("Row of cards", "slot k costs k bricks"),
}


def at_table(page: Page, service: RunningService, game: str) -> Table:
    """Return Ada's table of a match of two or three people that has just begun."""
    others = [BOB] * (2 if game == "calimala" else 1)
    opened = open_match(service, game, [ADA, *others], seed="learning")
    table = Table(page)
    table.open(seat_address(opened, 0))
    page.locator(".play-choice").first.wait_for()
    return table


# ---- rules over the table ------------------------------------------------------------------------


def rules(page: Page) -> Locator:
    """Return the dialog with a rule."""
    return page.get_by_role("dialog")


@pytest.mark.parametrize("game", GAMES)
def test_a_rule_is_read_over_a_move_that_is_put_together(
    browser: Browser, service: RunningService, game: str
) -> None:
    """Escape closes the rule, the focus returns, and the move is still chosen."""
    name, says = NAMED[game]
    with window(browser, service.url) as (page, watch):
        at_table(page, service, game)
        choose_a_move(page)
        trail = page.locator(".play-trail").inner_text()
        requests_before = len(watch.requests)
        link = page.get_by_role("link", name=name, exact=True)
        link.focus()
        page.keyboard.press("Enter")

        expect(rules(page)).to_contain_text(says)
        check_for_everybody(page)
        address = page.url
        page.keyboard.press("Escape")
        expect(rules(page)).to_have_count(0)
        expect(link).to_be_focused()
        assert page.locator(".play-trail").inner_text() == trail
        expect(page.locator(MAKE)).to_be_visible()

        # The page of the rules is asked for once, when it is first wanted.
        page.keyboard.press("Enter")
        expect(rules(page)).to_contain_text(says)
        books = [url for url in watch.requests[requests_before:] if "/rules/" in url]
        assert [url.partition("#")[0] for url in books] == [f"{service.url}/rules/{game}"]
        assert page.url == address


@pytest.mark.parametrize(
    ("game", "rule", "text"),
    [
        ("calimala", "C16", "each owner carries out both actions again"),
        ("firenze", "F14", "The first card is free"),
    ],
)
def test_a_rule_is_told_in_the_words_for_players_first(
    browser: Browser, service: RunningService, game: str, rule: str, text: str
) -> None:
    """The numbered clause stands below them, and is shown on demand."""
    with window(browser, service.url) as (page, _watch):
        at_table(page, service, game)
        page.evaluate(f"""() => {{
            const link = document.createElement("a");
            link.href = "/rules/{game}#{rule}";
            document.querySelector("main").append(link);
            link.click();
        }}""")
        expect(rules(page).locator(".rules-text > p").nth(1)).to_contain_text(text)
        clause = rules(page).locator("details > span")
        expect(clause).to_be_hidden()
        rules(page).get_by_text("The rule word for word").click()
        expect(clause).to_be_visible()
        check_for_everybody(page)


def test_rules_lead_on_and_back_by_touch(browser: Browser, service: RunningService) -> None:
    """From how the game goes to a rule that is named in it, and back. The whole page is linked."""
    with window(browser, service.url, **PHONE) as (page, _watch):
        at_table(page, service, "calimala")
        page.locator(".table-ways").get_by_role("link", name="Rules").tap()
        dialog = rules(page)
        expect(dialog).to_contain_text("You are a merchant")
        check_for_everybody(page)

        dialog.get_by_role("link", name="C37").tap()
        expect(dialog.get_by_role("heading")).to_have_text("Rule C37")
        whole = dialog.get_by_role("link", name="The whole page")
        expect(whole).to_have_attribute("href", "/rules/calimala#C37")
        expect(whole).to_have_attribute("target", "_blank")
        dialog.get_by_role("button", name="Back").tap()
        expect(dialog).to_contain_text("You are a merchant")
        dialog.get_by_role("button", name="Close").tap()
        expect(dialog).to_have_count(0)
        page.locator(".play-choice, .play-folded").first.wait_for()

        # The next step names its rule, too, within a place of the board.
        page.get_by_role("link", name="What is to be done: rule C12").tap()
        expect(dialog.get_by_role("heading")).to_have_text("Rule C12")


def test_rules_that_do_not_come_are_said_so(browser: Browser, service: RunningService) -> None:
    """The next press asks for them again."""
    with window(browser, service.url) as (page, watch):
        watch.expected = ["net::ERR_FAILED"]
        at_table(page, service, "firenze")
        page.route("**/rules/firenze", lambda route: route.abort())
        link = page.get_by_role("link", name="Commissions", exact=True)
        link.click()
        expect(rules(page).get_by_role("alert")).to_contain_text("could not be loaded")
        page.keyboard.press("Escape")

        page.unroute("**/rules/firenze")
        link.click()
        expect(rules(page)).to_contain_text("open commission")


# ---- hints ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_a_first_match_has_hints(browser: Browser, service: RunningService, game: str) -> None:
    """The hints follow the player's steps, and the browser remembers the read ones."""
    with window(browser, service.url) as (page, _watch):
        table = at_table(page, service, game)
        tip = page.locator(TIP)
        expect(tip).to_contain_text("where there is a blue frame")
        check_for_everybody(page)
        choose_a_move(page)
        expect(tip).to_contain_text("Nothing is moved yet")
        page.reload()
        page.locator(".play-choice").first.wait_for()
        choose_a_move(page)
        expect(tip).to_contain_text("Nothing is moved yet")

        version = table.version
        page.keyboard.press("Enter")
        table.wait_beyond(version)
        at_table(page, service, game)
        expect(tip).to_have_count(0)  # the first move was made in another match


def test_hints_end_for_ever_by_one_press(browser: Browser, service: RunningService) -> None:
    """The page has none after a reload, nor in other matches."""
    with window(browser, service.url) as (page, _watch):
        at_table(page, service, "firenze")
        page.get_by_role("button", name="No more hints").click()
        expect(page.locator(TIP)).to_have_count(0)
        page.reload()
        page.locator(".play-choice").first.wait_for()
        expect(page.locator(TIP)).to_have_count(0)
        at_table(page, service, "calimala")
        expect(page.locator(TIP)).to_have_count(0)


def test_hints_are_read_one_after_the_other(browser: Browser, service: RunningService) -> None:
    """There are four hints. On a phone, a press closes each."""
    with window(browser, service.url, **PHONE) as (page, _watch):
        at_table(page, service, "firenze")
        tip = page.locator(TIP)
        close = page.get_by_role("button", name="Got it")
        expect(tip).to_have_attribute("aria-label", "Hint 1 of 4")
        close.tap()
        page.locator(".play-choice").first.tap()
        expect(tip).to_have_attribute("aria-label", "Hint 2 of 4")
        check_for_everybody(page)
        close.tap()
        page.keyboard.press("Escape")
        expect(tip).to_contain_text("open their rule")
        close.tap()
        expect(tip).to_have_attribute("aria-label", "Hint 4 of 4")
        close.tap()
        expect(tip).to_have_count(0)


# ---- pictures ------------------------------------------------------------------------------------

LOADED = "(pictures) => pictures.every(({ naturalWidth, alt }) => naturalWidth > 0 && alt)"
LOAD = "(pictures) => pictures.map((picture) => { picture.loading = 'eager'; })"


@pytest.mark.parametrize("game", GAMES)
def test_how_a_game_goes_is_shown_in_pictures(
    browser: Browser, service: RunningService, game: str
) -> None:
    """On the page of the rules and over the table. Each has a text that describes it."""
    with window(browser, service.url) as (page, _watch):
        page.goto(f"/rules/{game}")
        pictures = page.locator(".docs-players img")
        pictures.evaluate_all(LOAD)
        expect(pictures).to_have_count(3)
        page.wait_for_function(f"() => ({LOADED})([...document.querySelectorAll('main img')])")
        check_for_everybody(page)

        at_table(page, service, game)
        page.locator(".table-ways").get_by_role("link", name="Rules").click()
        expect(rules(page).get_by_role("img")).to_have_count(3)
