"""Seats: opened for friends, kept by who holds them, and played by bots only after silence."""

import re
from collections.abc import Callable

from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.asking import open_match, seat_address
from tests.browser.table import Table, remembered
from tests.browser.test_advice import check_for_everybody
from tests.browser.test_everyone import widths
from tests.browser.test_rematch import match_at
from tests.browser.watched import window
from tests.running import RunningService

ADA = {"kind": "human", "name": "Ada"}
BOB = {"kind": "human", "name": "Bob"}
OWN_SEAT = ".table-own"
LONG_AGO = '"time":"2020-01-31T12:00:00.000Z"'
MANAGE = re.compile("stand-ins")


def test_a_friend_takes_the_seat_and_sets_the_name(
    browser: Browser, service: RunningService
) -> None:
    """The form's own choice is an open seat, of which the opener's browser never has the token."""
    with (
        window(browser, service.url) as (ada, _watch),
        window(browser, service.url) as (bob, _bob_watch),
    ):
        ada.goto("/")
        ada.get_by_text("Choose seats and options").click()
        ada.locator("#lobby-open-game").select_option("firenze")
        expect(ada.get_by_label("Seat 0", exact=True)).to_contain_text("You")
        friend = ada.get_by_label("Seat 1", exact=True)
        expect(friend).to_have_value("open")
        expect(friend).to_contain_text("Another person at this screen")
        check_for_everybody(ada)
        ada.get_by_role("button", name="Open this match").click()
        ada.wait_for_url("**/matches/*")
        expect(ada.locator(".table-gathering")).to_contain_text("Send your friends the link below")
        match = match_at(ada)

        bob.goto(f"/matches/{match}")
        bob.get_by_label("Your name").fill("Bob")
        bob.get_by_role("button", name="Take the seat").click()
        expect(ada.locator(".table-seats")).to_contain_text("Bob")
        assert sorted(remembered(ada, match)["tokens"]) == ["owner", "seat:0"]
        assert list(remembered(bob, match)["tokens"]) == ["seat:1"]


def with_times(change: Callable[[str], str]) -> Callable[[Route], None]:
    """Return what lets a page read other times than the service has told."""

    def handle(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, body=change(answer.text()))

    return handle


def test_a_bot_is_put_on_a_seat_after_silence_alone(
    browser: Browser, service: RunningService
) -> None:
    """How long it has been silent is shown, and that nobody waits for the others."""
    opened = open_match(service, "firenze", [ADA, BOB], seed="silence")
    with window(browser, service.url) as (page, _watch):
        table = Table(page)
        table.open(f"/matches/{opened['id']}#token={opened['tokens']['owner']}")
        page.locator("summary", has_text=MANAGE).click()
        rows = page.locator(".table-managing")
        expect(rows).to_contain_text(re.compile(r"Ada has been awaited for \d+:\d\d; a bot can"))
        expect(rows).to_contain_text("Bob is not awaited now")
        expect(rows.get_by_role("button", name="Put a bot")).to_have_count(0)
        check_for_everybody(page)
        assert all(taken <= width for width, taken in widths(page).items())


def test_who_was_replaced_by_a_bot_sees_it_and_comes_back_with_one_click(
    browser: Browser, service: RunningService
) -> None:
    """The owner is asked first; a no changes nothing."""
    opened = open_match(service, "firenze", [ADA, BOB], seed="stand in")
    match = opened["id"]
    with (
        window(browser, service.url) as (owner, _watch),
        window(browser, service.url) as (ada, ada_watch),
    ):
        ada_watch.expected = ["status of 412"]
        Table(ada).open(seat_address(opened, 0))
        owner.route(
            "**/states?*", with_times(lambda body: re.sub(r'"time":"[^"]+"', LONG_AGO, body))
        )
        Table(owner).open(f"/matches/{match}#token={opened['tokens']['owner']}")
        owner.locator("summary", has_text=MANAGE).click()
        put = owner.get_by_role("button", name="Put a bot on seat 0")

        put.click()
        dialog = owner.get_by_role("dialog", name="Let a bot play for Ada?")
        expect(dialog).to_contain_text("comes back with one click")
        check_for_everybody(owner)
        dialog.get_by_role("button", name="Wait on").click()
        expect(owner.locator(".table-managing")).to_contain_text("Ada has been awaited for")

        put.click()
        dialog.get_by_role("button", name="Put the bot there").click()
        box = ada.locator(OWN_SEAT)
        expect(box).to_contain_text("The owner has put a bot on your seat. A bot plays for you.")
        expect(owner.locator(".table-managing")).to_contain_text("A bot stands in for Ada.")
        comes_back(ada)
        expect(owner.locator(".table-managing")).not_to_contain_text("A bot stands in for Ada.")


def comes_back(page: Page) -> None:
    """Press the one button, and see that the seat is one's own again."""
    page.locator(OWN_SEAT).get_by_role("button", name="Return").click()
    expect(page.locator(OWN_SEAT)).to_have_count(0)
