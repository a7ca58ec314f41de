"""Players who draw together (M19): their browsers pledge and disclose by themselves."""

import re

from playwright.sync_api import Browser, Page, expect

from tests.browser.asking import ADA, BOB, open_match, seat_address
from tests.browser.test_advice import check_for_everybody
from tests.browser.test_rematch import match_at
from tests.browser.watched import window
from tests.running import RunningService

TOGETHER = ".table-gathering"


def kept(page: Page) -> list[str]:
    """Return what a browser has pledged and not disclosed yet."""
    keys: list[str] = page.evaluate("Object.keys(localStorage)")
    return [key for key in keys if "/entropy/" in key]


def test_two_players_draw_together_and_the_match_begins_by_itself(
    browser: Browser, service: RunningService
) -> None:
    """M19: one opens the match with the form, one joins; nobody has to do anything more."""
    with (
        window(browser, service.url) as (ada, _watch),
        window(browser, service.url) as (bob, _bob_watch),
    ):
        ada.goto("/")
        ada.get_by_text("Choose seats and options").click()
        ada.locator("#lobby-open-game").select_option("firenze")
        ada.locator("#lobby-number").select_option("2")
        ada.get_by_label("Draw together").check()
        check_for_everybody(ada)
        ada.get_by_role("button", name="Open this match").click()
        ada.wait_for_url("**/matches/*")
        expect(ada.locator(TOGETHER)).to_contain_text("All players of this match draw together")
        expect(ada.get_by_role("button", name="Start the match")).to_have_count(0)
        check_for_everybody(ada)

        bob.goto(f"/matches/{match_at(ada)}")
        bob.get_by_label("Your name").fill("Bob")
        bob.get_by_role("button", name="Take the seat").click()

        for page in (ada, bob):
            expect(page.locator(TOGETHER)).to_have_count(0)
            expect(page.locator(".table-seats")).to_contain_text("Bob")
            assert kept(page) == []
        lines = ada.request.get(f"/v1/matches/{match_at(ada)}/story").json()["lines"]
        assert [line["command"] for line in lines] == [
            *("open", "join", "pledge", "disclose", "disclose"),
        ]


def test_who_is_waited_for_is_shown_until_when(browser: Browser, service: RunningService) -> None:
    """M19: Bob has no page open, so his part does not come."""
    opened = open_match(service, "firenze", [ADA, BOB], joint_entropy=True)
    with window(browser, service.url) as (page, _watch):
        page.goto(seat_address(opened, 0))
        owed = page.locator(".table-owed")
        expect(owed).to_have_text(re.compile(r"Waiting for Bob, until \d.*loses the seat\."))
        check_for_everybody(page)
        assert len(kept(page)) == 1
