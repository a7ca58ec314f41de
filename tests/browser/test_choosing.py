"""Choosing moves: the preview, the keys, and the number of presses."""

import random
import re
from typing import Any

import httpx
from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.asking import ADA, BOB, BOT, open_match, seat_address
from tests.browser.table import CONTROLS, Table, play_on
from tests.browser.test_advice import check_for_everybody
from tests.browser.test_play import MEANWHILE
from tests.browser.watched import window
from tests.running import RunningService

MAKE = ".play-end .primary:enabled"
SLOT = "[data-place='slot:{}']"
REFUSED = "status of 409"
QUICK = "Make simple moves without asking"


def at_table(page: Page, service: RunningService, *others: dict[str, Any]) -> Table:
    """Return Ada's table of a match of Firenze at her choice of a card."""
    opened = open_match(service, "firenze", [ADA, *others], seed="choosing")
    table = Table(page)
    table.open(seat_address(opened, 0))
    page.locator(".play-choice, .play-end").first.wait_for()
    return table


def one_move(route: Route) -> None:
    """Let a page see the first of the legal moves alone."""
    if route.request.method != "GET":
        route.continue_()
        return
    answer = route.fetch()
    if answer.status != httpx.codes.OK:
        route.fulfill(response=answer)
        return
    legal = answer.json()
    route.fulfill(response=answer, json={**legal, "moves": legal["moves"][:1], "beyond": {}})


def test_of_the_only_legal_move_the_board_shows_the_present(
    browser: Browser, service: RunningService
) -> None:
    """There is one button, and beside it the effects of the move."""
    with window(browser, service.url) as (page, _watch):
        page.route("**/moves", one_move)
        table = at_table(page, service, BOB)
        panel = page.locator(".play-panel")
        expect(panel).to_contain_text("No other move is legal now.")
        expect(panel.locator(".play-preview")).to_be_visible()
        expect(page.locator(".replay-previewed")).to_have_count(0)
        expect(panel.locator(".primary")).to_have_count(1)
        check_for_everybody(page)

        version = table.version
        page.keyboard.press("Enter")
        table.wait_beyond(version)
        page.unroute_all(behavior="wait")


def test_a_taken_card_stays_marked_in_its_place(browser: Browser, service: RunningService) -> None:
    """The row closes only when the move is made."""
    with window(browser, service.url) as (page, _watch):
        at_table(page, service, BOB)
        slot = page.locator(SLOT.format(0))
        label = slot.get_attribute("aria-label") or ""
        slot.click()
        expect(page.locator(".replay-previewed")).to_be_visible()
        expect(page.locator(".replay-board .picked").and_(slot)).to_have_attribute(
            "aria-label", label
        )
        check_for_everybody(page)


def test_another_card_is_picked_without_taking_the_first_back(
    browser: Browser, service: RunningService
) -> None:
    """A click on the board changes one's mind. Nothing is refused."""
    with window(browser, service.url) as (page, _watch):
        at_table(page, service, BOB)
        page.locator(SLOT.format(0)).click()
        page.locator(MAKE).wait_for()
        page.locator(SLOT.format(1)).click()
        expect(page.locator(".replay-board .picked")).to_have_attribute("data-place", "slot:1")
        expect(page.locator(".play-panel .box-bad")).to_have_count(0)
        page.locator(MAKE).wait_for()


def test_enter_makes_the_move_wherever_it_was_put_together(
    browser: Browser, service: RunningService
) -> None:
    """Enter makes the move although a control of the composer has the focus."""
    chance = random.Random(4)
    with window(browser, service.url) as (page, watch):
        watch.expected = [MEANWHILE]
        table = at_table(page, service, BOT)
        while table.asked() != "send" or page.locator(CONTROLS).count() == 0:
            play_on(table, chance)

        version = table.version
        page.locator(CONTROLS).first.focus()
        page.keyboard.press("Enter")
        table.wait_beyond(version)


def test_a_refusal_is_told_in_the_boards_words(browser: Browser, service: RunningService) -> None:
    """Picking a street too early shows no names of commands, seats or streets by number."""
    opened = open_match(service, "calimala", [ADA, BOB, BOT], seed="words")
    with window(browser, service.url) as (page, watch):
        watch.expected = [REFUSED, MEANWHILE]
        Table(page).open(seat_address(opened, 0))
        page.locator(".play-choice").first.wait_for()
        page.locator("[data-place='street:0-1']").first.click()
        box = page.locator(".play-panel .box-bad")
        expect(box).to_contain_text("scoring card")
        assert not re.search(r"[a-z]_[a-z]|[Ss]eat \d|\d-\d", box.inner_text()), box.inner_text()


def test_a_place_shows_its_label(browser: Browser, service: RunningService) -> None:
    """The label is shown on hover, on focus, and on a long press."""
    with window(browser, service.url) as (page, _watch):
        at_table(page, service, BOB)
        tip = page.locator(".place-tip")
        slots = [page.locator(SLOT.format(number)) for number in range(3)]
        labels = [slot.get_attribute("aria-label") or "" for slot in slots]
        slots[0].hover()
        expect(tip).to_have_text(labels[0])
        check_for_everybody(page)
        page.get_by_role("heading", level=1).hover()
        expect(tip).to_be_hidden()

        slots[1].focus()
        expect(tip).to_have_text(labels[1])
        slots[1].blur()
        expect(tip).to_be_hidden()

        slots[2].dispatch_event("pointerdown", {"pointerType": "touch"})
        expect(tip).to_have_text(labels[2])
        slots[2].dispatch_event("pointerup", {"pointerType": "touch"})
        slots[2].dispatch_event("click")
        expect(tip).to_be_hidden()
        expect(page.locator(".replay-board .picked")).to_have_count(0)


def test_simple_moves_are_made_without_asking_by_a_setting(
    browser: Browser, service: RunningService
) -> None:
    """One press makes the move, and the browser remembers the setting."""
    with window(browser, service.url) as (page, _watch):
        table = at_table(page, service, BOB)
        page.get_by_label(QUICK).check()
        check_for_everybody(page)
        version = table.version
        page.locator(SLOT.format(0)).click()
        table.wait_beyond(version)

        page.reload()
        expect(page.get_by_label(QUICK)).to_be_checked()
