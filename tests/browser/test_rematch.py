"""A rematch: from the end of a match and from the lobby, each player into their own seat."""

from playwright.sync_api import Browser, expect

from tests.browser.asking import ADA, BOB, BOT, get, open_match, seat_address
from tests.browser.table import Table, match_at, remembered
from tests.browser.watched import window
from tests.e2e.playing import Json, client
from tests.running import RunningService, until

AGAIN = "Play again"
JOIN = "Take your seat in the rematch"


def ended_match(service: RunningService) -> Json:
    """A match of Ada and Bob that was ended without a result."""
    opened = open_match(service, "calimala", [ADA, BOB, BOT], seed="again")
    with client(service, opened["tokens"]["owner"]) as owner:
        owner.post(f"/v1/matches/{opened['match']}/abort", json={}).raise_for_status()
    path = f"/v1/matches/{opened['match']}"
    until(lambda: not get(service, path)["waiting_for"]["house"], "the revelation")
    return opened


def test_players_meet_again_one_seat_further_on(browser: Browser, service: RunningService) -> None:
    """Ada asks at the table, Bob in the lobby. Then both see the board of the rematch.

    Links lead from the rematch to the match before it, and back.
    """
    opened = ended_match(service)
    with (
        window(browser, service.url) as (ada, _ada_watch),
        window(browser, service.url) as (bob, _bob_watch),
    ):
        Table(bob).page.goto(seat_address(opened, 1))
        expect(bob.get_by_role("button", name=AGAIN)).to_be_visible()

        ada.goto(seat_address(opened, 0))
        ada.get_by_role("button", name=AGAIN).click()
        expect(ada.locator(".table-gathering")).to_contain_text("reserved for the players of")
        rematch = match_at(ada)
        assert rematch != opened["match"]
        assert list(remembered(ada, rematch)["tokens"]) == ["seat:2"]

        bob.goto("/")
        mine = bob.get_by_role("region", name="My matches")
        mine.get_by_role("button", name=JOIN).click()
        bob.wait_for_url(f"**/matches/{rematch}")
        assert list(remembered(bob, rematch)["tokens"]) == ["seat:0"]

        for page in (ada, bob):
            page.locator(".replay-board [data-place]").first.wait_for()
        ada.get_by_role("link", name="The match before").click()
        ada.get_by_role("link", name="To the rematch").click()
        ada.wait_for_url(f"**/matches/{rematch}")


def test_a_spectator_is_not_asked_to_play_again(browser: Browser, service: RunningService) -> None:
    """There is no button for them, nor in the lobby. Once there is a rematch there is a link."""
    opened = ended_match(service)
    with window(browser, service.url) as (page, _watch):
        page.goto(f"/matches/{opened['match']}")
        page.locator(".table-outcome").wait_for()
        expect(page.get_by_role("button", name=AGAIN)).to_have_count(0)

        with client(service, opened["tokens"]["seat:0"]) as asker:
            answer = asker.post(f"/v1/matches/{opened['match']}/rematch", json={})
            rematch = answer.raise_for_status().json()["match"]
        page.goto("/")
        card = page.get_by_role("listitem").filter(
            has=page.locator(f'.lobby-match-title[href="/matches/{rematch}"]')
        )
        expect(card).to_contain_text("1 of 3 seats reserved for the earlier players")
        expect(card.get_by_role("button", name="Take a seat")).to_have_count(0)

        page.goto(f"/matches/{opened['match']}")
        link = page.get_by_role("link", name="To the rematch")
        expect(link).to_have_attribute("href", f"/matches/{rematch}")
