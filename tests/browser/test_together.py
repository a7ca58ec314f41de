"""Joint draws (M19): the players' browsers pledge and disclose by themselves."""

import re

from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.asking import ADA, BOB, BOT, open_match, seat_address
from tests.browser.table import send_form, take_seat, unfold_form
from tests.browser.test_advice import check_for_everybody
from tests.browser.watched import window
from tests.running import RunningService

TOGETHER = ".table-gathering"
NOTHING_KEPT = "() => !Object.keys(localStorage).some((key) => key.includes('/entropy/'))"


def kept(page: Page) -> list[str]:
    """Return the pledges of a browser that are not disclosed yet."""
    keys: list[str] = page.evaluate("Object.keys(localStorage)")
    return [key for key in keys if "/entropy/" in key]


def test_two_players_draw_together_and_the_match_begins(
    browser: Browser, service: RunningService
) -> None:
    """M19: one opens the match with the form, one joins. Nobody has to do anything more."""
    with (
        window(browser, service.url) as (ada, _watch),
        window(browser, service.url) as (bob, _bob_watch),
    ):
        unfold_form(ada)
        ada.locator("#lobby-open-game").select_option("firenze")
        ada.locator("#lobby-number").select_option("2")
        ada.get_by_label("Draw together").check()
        check_for_everybody(ada)
        match = send_form(ada)
        expect(ada.locator(TOGETHER)).to_contain_text("All players of this match draw together")
        expect(ada.get_by_role("button", name="Start the match")).to_have_count(0)
        check_for_everybody(ada)

        take_seat(bob, f"/matches/{match}", "Bob")

        for page in (ada, bob):
            expect(page.locator(TOGETHER)).to_have_count(0)
            expect(page.locator(".table-seats")).to_contain_text("Bob")
            # The stream may tell of the start before the last disclosure is answered.
            page.wait_for_function(NOTHING_KEPT)
        lines = ada.request.get(f"/v1/matches/{match}/story").json()["lines"]
        assert [line["command"] for line in lines] == [
            *("open", "join", "pledge", "disclose", "disclose"),
        ]


def test_the_awaited_player_is_shown_with_the_deadline(
    browser: Browser, service: RunningService
) -> None:
    """M19: Bob has no page open, so his part does not come."""
    opened = open_match(service, "firenze", [ADA, BOB], joint_entropy=True)
    with window(browser, service.url) as (page, _watch):
        page.goto(seat_address(opened, 0))
        owed = page.locator(".table-owed")
        expect(owed).to_have_text(re.compile(r"Waiting for Bob, until \d.*loses the seat\."))
        check_for_everybody(page)
        assert len(kept(page)) == 1


def test_nothing_is_disclosed_for_an_impossible_history(
    browser: Browser, service: RunningService
) -> None:
    """M19: the answer lacks the commit of the last pledge."""
    opened = open_match(service, "firenze", [ADA, BOT], joint_entropy=True)
    with window(browser, service.url) as (page, _watch):
        page.route("**/record", without_last_line)
        page.goto(seat_address(opened, 0))
        dialog = page.get_by_role("dialog", name="The server tells a history that cannot be true")
        expect(dialog).to_contain_text("So your browser has not given your part of the draws")
        check_for_everybody(page)
        dialog.get_by_role("button", name="Close").click()
        expect(page.locator(".table-owed")).to_contain_text("Waiting for you")
        assert len(kept(page)) == 1


def without_last_line(route: Route) -> None:
    """Answer with all lines but the last one."""
    answer = route.fetch()
    lines = answer.text().splitlines(keepends=True)
    route.fulfill(response=answer, body="".join(lines[:-1]))
