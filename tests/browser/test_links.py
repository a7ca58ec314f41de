"""Links that hand a match on: the fate of the token in one, and of others who have it."""

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.asking import ADA, BOB, BOT, open_match, seat_address
from tests.browser.table import Table, remembered, take_seat
from tests.browser.watched import window
from tests.e2e.playing import Json, client
from tests.running import RunningService

REFUSED = "status of 401"  # the console's message about a token that no longer counts
CHOICE = ".play-choice"


@pytest.fixture
def opened(service: RunningService) -> Json:
    """A match with Ada to move first, Bob next."""
    return open_match(service, "calimala", [ADA, BOB, BOT], seed="links")


def counts(service: RunningService, opened: Json, holder: str) -> bool:
    """Return True if a holder's token of the opening still counts."""
    with client(service, opened["tokens"][holder]) as asker:
        answer = asker.get(f"/v1/matches/{opened['match']}")
    assert answer.status_code in (httpx.codes.OK, httpx.codes.UNAUTHORIZED)
    return answer.status_code == httpx.codes.OK


@pytest.mark.parametrize("holder", ["seat:0", "owner"])
def test_the_token_of_a_link_is_replaced(
    browser: Browser, service: RunningService, opened: Json, holder: str
) -> None:
    """The token in the browser's history opens nothing, the one in its memory does."""
    with window(browser, service.url) as (page, _watch):
        table = Table(page)
        table.open(f"/matches/{opened['match']}#token={opened['tokens'][holder]}")

        assert "#" not in page.url
        assert not counts(service, opened, holder)
        token = remembered(page, opened["match"])["tokens"][holder]
        assert counts(service, {**opened, "tokens": {holder: token}}, holder)


def test_a_player_who_came_by_a_link_plays_on(
    browser: Browser, service: RunningService, opened: Json
) -> None:
    """A reload, the same link once more, and the list of one's own matches all lead to the seat."""
    with window(browser, service.url) as (page, watch):
        watch.expected = [REFUSED]
        link = seat_address(opened, 0)
        Table(page).open(link)
        page.locator(CHOICE).first.wait_for()

        page.reload()
        page.locator(CHOICE).first.wait_for()

        page.goto("/")
        Table(page).open(link)
        page.locator(CHOICE).first.wait_for()
        assert list(remembered(page, opened["match"])["tokens"]) == ["seat:0"]

        page.goto("/")
        mine = page.get_by_role("region", name="My matches")
        expect(mine).to_contain_text("your turn")
        mine.locator("a.lobby-match-title").click()
        page.locator(CHOICE).first.wait_for()


def test_a_seat_is_played_on_the_last_device_with_its_link(
    browser: Browser, service: RunningService, opened: Json
) -> None:
    """The first device learns so, may look on, and gets the seat back by a link from the second.

    A finder of the link in a history afterwards reads that it counted once.
    """
    with (
        window(browser, service.url) as (first, first_watch),
        window(browser, service.url) as (second, second_watch),
        window(browser, service.url) as (late, late_watch),
    ):
        for watch in (first_watch, second_watch, late_watch):
            watch.expected = [REFUSED]
        Table(first).open(seat_address(opened, 0))
        first.locator(CHOICE).first.wait_for()

        Table(second).open(link_to_seat(first, opened["match"], 0))
        second.locator(CHOICE).first.wait_for()
        expect(first.locator(".table-door")).to_contain_text("A link to a seat counts once")

        first.get_by_role("button", name="Look without a token").click()
        first.locator(".replay-board [data-place]").first.wait_for()
        expect(first.locator(CHOICE)).to_have_count(0)

        Table(first).open(link_to_seat(second, opened["match"], 0))
        first.locator(CHOICE).first.wait_for()

        late.goto(seat_address(opened, 0))
        expect(late.locator(".table-door")).to_contain_text("A link to a seat counts once")


def link_to_seat(page: Page, match: str, seat: int) -> str:
    """Return the link to a seat that a page would copy."""
    token = remembered(page, match)["tokens"][f"seat:{seat}"]
    return f"/matches/{match}#token={token}"


def test_a_link_that_many_share_goes_on_to_count(browser: Browser, service: RunningService) -> None:
    """Guests join a private match one after the other by the same invitation."""
    seats = [ADA, {"kind": "open"}, {"kind": "open"}]
    opened = open_match(service, "calimala", seats, visibility="private")
    invitation = opened["tokens"]["invitation"]

    for name, seat in (("Bob", 1), ("Cosimo", 2)):
        with window(browser, service.url) as (page, _watch):
            take_seat(page, f"/matches/{opened['match']}#token={invitation}", name)
            expect(page.locator(".table-seat", has_text="you")).to_contain_text(name)

            page.reload()
            expect(page.locator(".table-seat", has_text="you")).to_contain_text(name)
            tokens = remembered(page, opened["match"])["tokens"]
            assert tokens["invitation"] == invitation
            assert f"seat:{seat}" in tokens
