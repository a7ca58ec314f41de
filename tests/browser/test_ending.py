"""The end of a match: the score sheet, the match saved as a web page, and the player's receipts."""

import json
import random
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.asking import ADA, BOT, get, open_match, played_match, record_of, seat_address
from tests.browser.table import Table, play_on
from tests.browser.test_advice import check_for_everybody
from tests.browser.test_proof import serve_record
from tests.browser.watched import window
from tests.e2e.playing import Json, client
from tests.running import RunningService, until

GAMES = ("calimala", "firenze")
SHEET = ".sheet-scores"
TOTALS = f"{SHEET} tfoot td"
OWN_MOVES = 3

KEPT = "(match) => JSON.parse(localStorage.getItem(`giornale/receipts/${match}`) ?? '[]').length"


@pytest.mark.parametrize("game", GAMES)
def test_the_score_sheet_shows_the_sources_of_points(
    browser: Browser, service: RunningService, game: str
) -> None:
    """The sheet is there at the end alone: a reader of an earlier moment is not told the winner."""
    ended = played_match(service, game, 3, seed="a sheet")
    with window(browser, service.url) as (page, _watch):
        table = Table(page)
        table.open(f"/matches/{ended['match']}")
        points = [str(gained) for gained in ended["outcome"]["points"]]
        expect(page.locator(TOTALS)).to_have_text(points)
        check_for_everybody(page)

        page.keyboard.press("ArrowLeft")
        table.wait_for_version(ended["version"] - 1)
        expect(page.locator(SHEET)).to_have_count(0)


@pytest.mark.parametrize("game", GAMES)
def test_a_match_is_saved_as_a_web_page(
    browser: Browser, service: RunningService, game: str, tmp_path: Path
) -> None:
    """Table and audit save it. The file proves itself without a network."""
    ended = played_match(service, game, 3, seed="a page")
    file = tmp_path / "match.html"
    with window(browser, service.url) as (page, _watch):
        page.goto(f"/matches/{ended['match']}/audit")
        page.locator(".audit-seal.audit-proven").wait_for()
        save_page(page, tmp_path / "audit.html")
        Table(page).open(f"/matches/{ended['match']}")
        save_page(page, file)
    assert (tmp_path / "audit.html").read_bytes() == file.read_bytes()

    with window(browser, file.as_uri(), offline=True) as (page, _watch):
        table = Table(page)
        table.open(file.as_uri())
        page.locator(".audit-seal.audit-proven").wait_for()
        expect(page.locator(".replay-curve")).to_be_visible()
        page.keyboard.press("End")
        points = [str(gained) for gained in ended["outcome"]["points"]]
        expect(page.locator(TOTALS)).to_have_text(points)
        expect(page.get_by_label("Seen by")).to_be_visible()


def save_page(page: Page, file: Path) -> None:
    """Save the match that a page shows as a web page."""
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save as a web page").click()
    saved.value.save_as(file)


def test_receipts_of_ones_own_moves_are_kept_and_checked(
    browser: Browser, service: RunningService, tmp_path: Path
) -> None:
    """All agree with the match, and each is saved with its move in words.

    The last one does not agree with a record that lacks its move.
    """
    opened = open_match(service, "firenze", [ADA, BOT], seed="receipts")
    match = opened["match"]
    with window(browser, service.url) as (page, _watch):
        table = Table(page)
        table.open(seat_address(opened, 0))
        chance = random.Random(4)
        until(lambda: play_on(table, chance) and kept(page, match) >= OWN_MOVES, "own moves")
        number = kept(page, match)
        record = ended_record(service, opened)

        page.goto(f"/matches/{match}/audit")
        expect(page.locator(".audit-receipts")).to_contain_text(
            f"{number} receipts of your moves agree"
        )
        check_for_everybody(page)
        with page.expect_download() as saved:
            page.get_by_role("button", name="Save these receipts").click()
        file = tmp_path / "receipts.json"
        saved.value.save_as(file)
        saved_ones = json.loads(file.read_text())["receipts"]
        assert len(saved_ones) == number
        assert all(one["move"] for one in saved_ones)
        assert "Ada" in saved_ones[0]["move"]

        last = saved_ones[-1]["receipt"]["version"]
        before_the_last = record.splitlines(keepends=True)[: last - 1]
        serve_record(page, b"".join(before_the_last))
        page.goto(f"/matches/{match}/audit")
        page.locator(".audit-seal.audit-broken").wait_for()
        expect(page.locator(".audit-receipts")).to_contain_text("not the match that")

        page.unroute("**/record")
        page.goto(f"/matches/{match}/audit")
        page.locator(".audit-seal.audit-proven").wait_for()
        page.get_by_label("Another receipt").fill(file.read_text())
        page.get_by_role("button", name="Check with this receipt").click()
        expect(page.locator("#audit-receipt-word")).to_contain_text(f"{number} receipts")


def kept(page: Page, match: str) -> int:
    """Return the number of receipts of a match in a page's browser."""
    number: int = page.evaluate(KEPT, match)
    return number


def ended_record(service: RunningService, opened: Json) -> bytes:
    """End a match as its owner. Return its whole record."""
    path = f"/v1/matches/{opened['match']}"
    with client(service, opened["tokens"]["owner"]) as owner:
        owner.post(f"{path}/abort", json={}).raise_for_status()
    until(lambda: not get(service, path)["waiting_for"]["house"], "the revelation")
    return record_of(service, opened["match"]).encode()
