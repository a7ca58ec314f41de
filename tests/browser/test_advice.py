"""Bots that explain themselves: their levels, their advice, and the options they weighed."""

import os
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.asking import ADA, get, open_match, seat_address
from tests.browser.table import Table, remembered, send_form, unfold_form
from tests.browser.test_everyone import AXE, findings
from tests.browser.watched import window
from tests.e2e.playing import client
from tests.running import PATIENCE, RunningService, until

QUICK = {"kind": "bot", "level": "quick"}
BEGUN = 6  # moves
ADVISED = ".play-advised"
LOADING = ".lobby-loading, .table-loading"


def test_the_lobby_describes_bots_and_opens_matches_with_advice(
    browser: Browser, service: RunningService
) -> None:
    """Beside each level stands its sentence. A ticked option is shown at the table."""
    with window(browser, service.url) as (page, _watch):
        unfold_form(page)
        for bot in get(service, "/v1/games")["games"][0]["bots"]:
            page.get_by_label("Blue", exact=True).select_option(f"bot:{bot['level']}")
            expect(page.locator("#lobby-bot-1")).to_have_text(bot["about"])

        page.get_by_label("Advice").check()
        send_form(page)
        expect(page.locator(".table-ways")).to_contain_text("Advice allowed")


def test_an_advised_move_is_chosen_and_made_by_two_clicks(
    browser: Browser, service: RunningService
) -> None:
    """The best moves are shown, the best first. The move that is made equals the advised one."""
    opened = open_match(service, "calimala", [ADA] * 3, advice=True, seed="advice")
    with window(browser, service.url) as (page, _watch):
        table = Table(page)
        table.open(seat_address(opened, 0))
        move = advised(page)["best"][0]["move"]

        check_for_everybody(page)

        page.locator(ADVISED).first.click()
        expect(page.locator(ADVISED).first).to_have_attribute("aria-pressed", "true")
        page.locator(".play-preview").wait_for()
        version = table.version
        page.keyboard.press("Enter")
        table.wait_beyond(version)

        path = f"/v1/matches/{opened['match']}/commits/{version + 1}"
        tokens = remembered(page, opened["match"])["tokens"]
        commit = get(service, path, token=tokens["seat:0"])
        assert {name: commit["command"][name] for name in move} == move
        expect(page.locator(ADVISED)).to_have_count(0)


def test_a_replay_shows_the_options_that_bots_weighed(
    browser: Browser, service: RunningService
) -> None:
    """A bot's move stands beside those it liked less. Other entries say that they have none.

    The panel is folded at the first visit, and the next visit remembers that it was unfolded.
    """
    match = given_up(service)
    thought = get(service, f"/v1/matches/{match}/thoughts")["thoughts"][0]
    version = thought["version"]
    with window(browser, service.url) as (page, watch):
        table = Table(page)
        table.open(f"/matches/{match}/{version}")
        weighed = page.locator(".table-weighed")
        weighed.wait_for()
        urls = [url for url in watch.requests if "/thoughts?" in url]
        assert len(urls) == 1
        assert "limit=1" in urls[0]

        page.get_by_text("Moves that the bot weighed").click()
        expect(weighed.locator("li")).to_have_count(len(thought["best"]))
        expect(weighed.locator("li").first).to_contain_text("made")
        expect(weighed).to_contain_text(f"played on {thought['iterations']} time")
        # A half rounds up, as in JavaScript.
        chance = int(thought["best"][0]["win_chance"] * 100 + 0.5)
        expect(weighed.locator("li").first).to_contain_text(f"wins about {chance}\u00a0%")

        check_for_everybody(page)

        table.open(f"/matches/{match}/1")
        expect(weighed).to_contain_text("Nothing was weighed before this entry.")


def check_for_everybody(page: Page) -> None:
    """Fail if axe-core finds anything. Without axe-core nothing is checked, but CI fails.

    Chromium alone is asked: a tab of Firefox that lies behind another one crashes under it. A page
    that is still loading is hidden, and axe-core then misses its heading.
    """
    expect(page.locator(LOADING)).to_have_count(0)
    browser = page.context.browser
    if browser is None or browser.browser_type.name != "chromium":
        return
    if AXE.exists():
        assert findings(page) == []
    elif os.environ.get("CI") == "true":
        pytest.fail("axe-core is not installed: make page installs it")


def given_up(service: RunningService) -> str:
    """Let bots that search begin a match, and end it. Return its id once it is revealed."""
    opened = open_match(service, "calimala", [QUICK] * 3, seed="weighed")
    match: str = opened["match"]
    path = f"/v1/matches/{match}"
    until(lambda: get(service, path)["version"] > BEGUN, "some moves", 4 * PATIENCE)

    with client(service, opened["tokens"]["owner"]) as owner:
        owner.post(f"{path}/abort", json={}).raise_for_status()
    until(lambda: not get(service, path)["waiting_for"]["house"], "the revelation")
    return match


def advised(page: Page) -> dict[str, Any]:
    """Ask for advice. Return the service's answer once it is ready."""
    with page.expect_response(
        lambda answer: answer.url.endswith("/advice") and answer.status == 200,
        timeout=4 * PATIENCE * 1000,
    ) as answered:
        page.get_by_role("button", name="Advice", exact=True).click()
    advice: dict[str, Any] = answered.value.json()
    expect(page.locator(f"{ADVISED} small")).to_have_count(len(advice["best"]))
    return advice
