"""Clocks, resigning and moves that are taken back, as the pages show them (M15-M17)."""

import random
import re

from playwright.sync_api import Browser, Page, expect

from tests.browser.asking import ADA, BOB, BOT, get, open_match, seat_address
from tests.browser.table import Table, play_on, remembered, send_form, unfold_form
from tests.browser.test_advice import check_for_everybody
from tests.browser.test_everyone import widths
from tests.browser.test_play import AWAY, MEANWHILE
from tests.browser.test_streams import move
from tests.browser.watched import window
from tests.e2e.playing import client
from tests.running import PATIENCE, RunningService, until

LONG = {"bank_s": 3600, "move_s": 60, "level": "random"}
NEARLY_ALL = 3_500_000  # milliseconds of a long clock
SHORT = {"bank_s": 5, "move_s": 5, "level": "strong"}  # slow enough to be caught up with
OWN_SEAT = ".table-own"
CLOCK = ".table-clock"
GONE = ".story-gone"
CONSENT = "consent"


def clock_of(page: Page, seat: int) -> str:
    """Return the text of a seat's clock."""
    return page.locator(f".table-seat.seat-{seat} {CLOCK}").inner_text()


def commands(service: RunningService, match: str) -> set[str]:
    """Return the commands of the human of seat 0 in a match."""
    path = f"/v1/matches/{match}/commits"
    commits = get(service, path, actor="seat:0", limit=1000)["commits"]
    return {commit["command"]["type"] for commit in commits}


def send_a_move(table: Table) -> int:
    """Make some move by clicks. Return the version that shows it."""
    chance = random.Random(1)
    version = table.version
    while play_on(table, chance) != "send":
        pass
    table.wait_beyond(version)
    return table.version


def test_the_clock_of_the_seat_that_must_move_runs(
    browser: Browser, service: RunningService
) -> None:
    """The other one stands still. In the past both do. When little is left the clock says so."""
    opened = open_match(service, "firenze", [ADA, BOB], clock=LONG, seed="clock")
    with window(browser, service.url) as (page, watch):
        watch.expected = AWAY
        page.clock.install()
        Table(page).open(seat_address(opened, 0))
        expect(page.locator(CLOCK)).to_have_count(2)
        reading = clock_of(page, 0)
        until(lambda: clock_of(page, 0) != reading, "the clock to run")
        assert "1 h 00 min" in clock_of(page, 1)
        check_for_everybody(page)

        page.get_by_role("button", name="First move").click()
        expect(page.locator(f".table-runs{CLOCK}")).to_have_count(0)
        page.get_by_role("button", name="Last move").click()
        expect(page.locator(f".table-runs{CLOCK}")).to_have_count(1)

        # An answer of the service would tell the time.
        page.context.set_offline(True)
        page.clock.fast_forward(NEARLY_ALL)
        expect(page.locator(f".table-low{CLOCK}")).to_have_count(1)


def test_a_player_out_of_time_comes_back_with_one_click(
    browser: Browser, service: RunningService
) -> None:
    """A bot plays, until the player returns."""
    opened = open_match(service, "calimala", [ADA, BOB, BOT], clock=SHORT, seed="run out")
    with window(browser, service.url) as (page, watch):
        watch.expected = [MEANWHILE]
        Table(page).open(seat_address(opened, 0))
        box = page.locator(OWN_SEAT)
        expect(box).to_contain_text("Your time ran out. A bot plays for you.")
        check_for_everybody(page)
        box.get_by_role("button", name="Return").click()

        until(lambda: "return" in commands(service, opened["match"]), "the return")
    with client(service, opened["tokens"]["owner"]) as owner:
        owner.post(f"/v1/matches/{opened['match']}/abort", json={}).raise_for_status()


def test_a_player_is_asked_before_resigning(browser: Browser, service: RunningService) -> None:
    """After a yes a bot plays the seat, and there is no way back."""
    opened = open_match(service, "calimala", [ADA, BOB, BOT], seed="resign")
    with window(browser, service.url) as (page, watch):
        watch.expected = [MEANWHILE]
        Table(page).open(seat_address(opened, 0))
        page.locator("summary", has_text="resigning").click()
        page.get_by_role("button", name="Resign").click()
        page.get_by_role("button", name="Play on").click()
        page.get_by_role("button", name="Resign").click()
        dialog = page.get_by_role("dialog")
        check_for_everybody(page)
        dialog.get_by_role("button", name="Resign").click()

        expect(page.locator(OWN_SEAT)).to_contain_text("You have resigned. A bot plays for you.")
        expect(page.get_by_role("button", name="Return")).to_have_count(0)


def test_a_move_of_ones_own_is_taken_back_at_once(
    browser: Browser, service: RunningService
) -> None:
    """The move is struck through in the story, marked on the slider, and can be made anew."""
    opened = open_match(service, "calimala", [ADA, BOB, BOT], take_back="own", seed="own")
    with window(browser, service.url) as (page, watch):
        watch.expected = [MEANWHILE]
        table = Table(page)
        table.open(seat_address(opened, 0))
        version = send_a_move(table)

        page.get_by_role("button", name="Take my last move back").click()
        table.wait_beyond(version)
        expect(page.locator(GONE)).to_have_count(1)
        assert page.locator(".replay-gone").get_attribute("d")
        check_for_everybody(page)
        assert table.asked(4 * PATIENCE) in ("choose", "compose", "send")


def test_others_are_asked_before_moves_are_taken_back(
    browser: Browser, service: RunningService
) -> None:
    """The others see the question and answer it. A spectator sees the moves taken back, too."""
    opened = open_match(service, "calimala", [ADA, BOB, BOT], take_back=CONSENT, seed="consent")
    with (
        window(browser, service.url) as (ada, ada_watch),
        window(browser, service.url) as (bob, bob_watch),
        window(browser, service.url) as (page, _watch),
    ):
        ada_watch.expected = bob_watch.expected = [MEANWHILE]
        table = Table(ada)
        table.open(seat_address(opened, 0))
        Table(bob).open(seat_address(opened, 1))
        Table(page).open(f"/matches/{opened['match']}")
        ask = ada.get_by_role("button", name="Ask to take my last move back")

        send_a_move(table)
        move(service, opened["match"], remembered(bob, opened["match"])["tokens"]["seat:1"])
        ask.click()
        bob.get_by_role("button", name="Refuse").click()
        expect(bob.locator(OWN_SEAT)).to_have_count(0)

        expect(ask).to_have_count(0)
        move(service, opened["match"], remembered(bob, opened["match"])["tokens"]["seat:1"])
        ask.click()
        expect(ada.locator(OWN_SEAT)).to_contain_text("You ask to go back to move")
        expect(bob.locator(OWN_SEAT)).to_contain_text("Ada asks to go back to move")
        expect(bob).to_have_title("Your answer is awaited - Calimala")
        check_for_everybody(bob)
        bob.get_by_role("button", name="Agree").click()
        for window_page in (ada, bob, page):
            expect(window_page.locator(GONE).first).to_be_visible()
            expect(window_page.locator(OWN_SEAT)).to_have_count(0)


def test_the_lobby_opens_matches_with_a_clock_and_take_back(
    browser: Browser, service: RunningService
) -> None:
    """Both are chosen in the form and shown at the table. The lobby tells the time left."""
    with window(browser, service.url) as (page, _watch):
        unfold_form(page)
        for seat in ("Blue", "Yellow"):
            page.get_by_label(seat, exact=True).select_option("bot:random")
        page.get_by_label("Clock").select_option(label="10 minutes, and 15 seconds for each turn")
        page.get_by_label("Taking back").select_option("consent")
        check_for_everybody(page)
        assert all(page_width <= width for width, page_width in widths(page).items())
        send_form(page)
        ways = page.locator(".table-ways")
        expect(ways).to_contain_text("Clock 10:00, 0:15 more a turn")
        expect(ways).to_contain_text("Moves can be taken back")
        page.locator(".play-choice").first.wait_for()

        page.goto("/")
        mine = page.get_by_role("region", name="My matches")
        expect(mine).to_contain_text(re.compile(r"your turn, (10:00|\d:\d\d) left"))
