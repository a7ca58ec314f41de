"""Several people at one screen: each goes on from a curtain that names them."""

import random

from playwright.sync_api import Browser, expect

from tests.browser.asking import ADA, BOB, open_match
from tests.browser.table import Table, play_on
from tests.browser.test_advice import check_for_everybody
from tests.browser.test_play import MEANWHILE
from tests.browser.watched import window
from tests.running import RunningService

CURTAIN = ".table-curtain"
REMEMBER = """([match, tokens]) => {
  const known = { game: "calimala", tokens, name: "Ada", reader: "seat:0", at: Date.now() };
  localStorage.setItem(`giornale/match/${match}`, JSON.stringify(known));
}"""
CLEO = {"kind": "human", "name": "Cleo"}
# Returns the name of the topmost element over the board.
TOP = """() => {
  const { left, top, width } = document.querySelector(".replay-board").getBoundingClientRect();
  return document.elementFromPoint(left + width / 2, Math.max(top, 0) + 5)?.localName;
}"""


def test_the_screen_is_handed_over_by_a_curtain(browser: Browser, service: RunningService) -> None:
    """The curtain hides the earlier player's cards, and names the next player, who opens it."""
    opened = open_match(service, "calimala", [ADA, BOB, CLEO], seed="hot seat")
    tokens = {f"seat:{seat}": opened["tokens"][f"seat:{seat}"] for seat in range(2)}
    chance = random.Random(1)
    with window(browser, service.url) as (page, watch):
        watch.expected = [MEANWHILE]
        page.goto("/")
        page.evaluate(REMEMBER, [opened["match"], tokens])
        table = Table(page)
        table.open(f"/matches/{opened['match']}")
        expect(page.locator(CURTAIN)).to_have_count(0)
        while play_on(table, chance) != "send":
            pass

        curtain = page.locator(CURTAIN)
        expect(curtain).to_contain_text("Bob's turn")
        assert page.evaluate(TOP) in ("dialog", "html", None)
        check_for_everybody(page)
        page.keyboard.press("Escape")
        expect(curtain).to_be_visible()

        page.get_by_role("button", name="I am Bob").click()
        expect(curtain).to_have_count(0)
        expect(page.get_by_label("Look as")).to_have_value("seat:1")
        page.locator(".play-choice").first.wait_for()


def test_a_player_may_look_on_at_the_own_table(browser: Browser, service: RunningService) -> None:
    """From the curtain a button leads to Bob's table, and no curtain is left."""
    opened = open_match(service, "firenze", [ADA, BOB], seed="hot seat")
    tokens = {f"seat:{seat}": opened["tokens"][f"seat:{seat}"] for seat in range(2)}
    with window(browser, service.url) as (page, _watch):
        page.goto("/")
        page.evaluate(REMEMBER.replace("seat:0", "seat:1"), [opened["match"], tokens])
        page.goto(f"/matches/{opened['match']}")
        page.get_by_role("button", name="Back to Bob's table").click()
        page.locator(".replay-board [data-place]").first.wait_for()
        expect(page.locator(CURTAIN)).to_have_count(0)
        expect(page.get_by_label("Look as")).to_have_value("seat:1")
