"""Whole matches, played by clicking: from the lobby to the seal."""

import random

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.asking import get
from tests.browser.table import Table, play_on
from tests.browser.watched import window
from tests.running import RunningService

MOST_CLICKS = 3000

# A bot may move while the browser asks what a move would cause, which is then chosen anew.
MEANWHILE = "status of 412"


def open_from_lobby(page: Page, title: str) -> str:
    """Begin a match against bots with one click in the lobby; return its id."""
    page.goto("/")
    page.get_by_role("button", name=f"Play {title}").click()
    page.wait_for_url("**/matches/*")
    page.locator(".replay-board [data-place]").first.wait_for()
    address, _, _ = page.url.partition("#")
    return address.rpartition("/")[2]


@pytest.mark.parametrize("title", ["Calimala", "Firenze"])
def test_a_person_plays_a_whole_match_against_bots(
    browser: Browser, service: RunningService, title: str
) -> None:
    """Every move is chosen, looked at and made by clicks; in the end the match is proven.

    No script fails and no other server is asked on the way.
    """
    chance = random.Random(title)
    with window(browser, service.url) as (page, watch):
        watch.expected = [MEANWHILE]
        match = open_from_lobby(page, title)
        table = Table(page)
        for _ in range(MOST_CLICKS):
            if play_on(table, chance) == "over":
                break

        document = get(service, f"/v1/matches/{match}")
        assert document["status"] == "finished"
        commits = get(service, f"/v1/matches/{match}/commits", actor="seat:0", limit=1000)
        assert len(commits["commits"]) > 10

        page.get_by_role("link", name="Check the match").click()
        page.locator(".audit-seal.audit-proven").wait_for()
