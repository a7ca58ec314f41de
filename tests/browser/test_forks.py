"""Forks: from the replay of a finished match to a new one that goes on from there (M21)."""

from playwright.sync_api import Browser, expect

from tests.browser.asking import get, played_match
from tests.browser.watched import window
from tests.running import RunningService

VERSION = 30


def test_a_finished_match_is_forked_from_its_replay(
    browser: Browser, service: RunningService
) -> None:
    """The form has the base's seats. Table, lobby and audit name the base."""
    base = played_match(service, "firenze", 2, seed="to be forked")["match"]
    with window(browser, service.url) as (page, _watch):
        page.goto(f"/matches/{base}/{VERSION}")
        page.get_by_role("link", name="Fork from here").click()
        form = page.get_by_role("region", name="A fork")
        expect(form).to_contain_text(f"move {VERSION} of a match")
        form.get_by_role("button", name="Open this fork").click()

        head = page.get_by_role("link", name=f"Forked at move {VERSION}")
        expect(head).to_have_attribute("href", f"/matches/{base}/{VERSION}")
        page.locator(".replay-board [data-place]").first.wait_for()
        match = page.url.rpartition("/")[2]
        document = get(service, f"/v1/matches/{match}")
        assert document["forked_from"] == {"match": base, "version": VERSION}

        page.goto("/")
        card = page.get_by_role("listitem").filter(
            has=page.locator(f'.lobby-match-title[href="/matches/{match}"]')
        )
        expect(card.first).to_contain_text(f"Forked from a match at move {VERSION}, not rated")

        page.goto(f"/matches/{match}/audit")
        expect(page.locator(".audit-findings")).to_contain_text("It goes on from the match")
