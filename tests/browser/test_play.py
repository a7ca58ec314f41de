"""Whole matches, played by clicking: from the lobby to the seal."""

import random

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.asking import get, seat_address
from tests.browser.pages import playing
from tests.browser.table import Table, play_on
from tests.browser.watched import window
from tests.e2e.playing import Json
from tests.running import RunningService

MOST_CLICKS = 3000
FEW_CLICKS = 40
TITLES = ("Calimala", "Firenze")

# How many requests the first load of a table may take, the page and its data among them.
MOST_REQUESTS = 60

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


@pytest.mark.parametrize("title", TITLES)
def test_a_person_begins_a_match_against_bots(
    browser: Browser, service: RunningService, title: str
) -> None:
    """From the lobby into a match: moves are chosen, looked at and made by clicks.

    No script fails and no other server is asked on the way.
    """
    with window(browser, service.url) as (page, watch):
        watch.expected = [MEANWHILE]
        match = open_from_lobby(page, title)
        click_on(Table(page), title, FEW_CLICKS)

        assert len(own_commits(service, match)) >= 3


@pytest.mark.parametrize("title", TITLES)
def test_a_first_load_of_the_table_asks_little(
    browser: Browser, service: RunningService, title: str
) -> None:
    """A browser that has never been here sees its choices after few requests."""
    opened = playing(service, title.lower(), 3)
    with window(browser, service.url) as (page, watch):
        page.goto(seat_address(opened, 0))
        page.locator(".play-choice").first.wait_for()
        assert len(watch.requests) <= MOST_REQUESTS, watch.requests


@pytest.mark.whole
@pytest.mark.parametrize("title", TITLES)
def test_a_person_plays_a_whole_match_against_bots(
    browser: Browser, service: RunningService, title: str
) -> None:
    """The same to the end of the match, and then to the seal that proves it."""
    with window(browser, service.url) as (page, watch):
        watch.expected = [MEANWHILE]
        match = open_from_lobby(page, title)
        click_on(Table(page), title, MOST_CLICKS)

        assert get(service, f"/v1/matches/{match}")["status"] == "finished"
        assert len(own_commits(service, match)) > 10
        page.get_by_role("link", name="Check the match").click()
        page.locator(".audit-seal.audit-proven").wait_for()


def click_on(table: Table, seed: str, clicks: int) -> None:
    """Do what the table asks for, until the match is over or so many clicks are made."""
    chance = random.Random(seed)
    for _ in range(clicks):
        if play_on(table, chance) == "over":
            return


def own_commits(service: RunningService, match: str) -> list[Json]:
    """Return the commits that the person at seat 0 made."""
    path = f"/v1/matches/{match}/commits"
    commits: list[Json] = get(service, path, actor="seat:0", limit=1000)["commits"]
    return commits
