"""Ladder and players in the browser: from the lobby to a player, their matches, and back."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.asking import get
from tests.browser.pages import KEYS, PAIRS, rate_players
from tests.browser.test_advice import check_for_everybody
from tests.browser.watched import Watch, window
from tests.running import RunningService

ADA = KEYS["Ada"]


@pytest.fixture(scope="module")
def rated(service: RunningService) -> RunningService:
    """A service with rated matches."""
    rate_players(service)
    return service


@pytest.fixture
def looked_at(browser: Browser, rated: RunningService) -> Iterator[tuple[Page, Watch]]:
    """A window on the rated service, and its watch."""
    with window(browser, rated.url) as page:
        yield page


def test_links_lead_from_the_lobby_to_a_player_and_to_the_table(
    looked_at: tuple[Page, Watch], rated: RunningService
) -> None:
    """The ladder agrees with the API, and the player's page has the matches.

    Anybody may take any name, so the beginning of the key stands beside it.
    """
    page, _ = looked_at
    page.goto("/")
    page.get_by_role("link", name="Ladder").click()
    page.get_by_label("Game").select_option("firenze")
    rows = page.locator(".players-ladder tbody tr")
    places = get(rated, "/v1/ladder", game="firenze")["players"]
    expect(rows).to_have_count(len(places))
    for row, line in zip(rows.all(), places, strict=True):
        mean, uncertainty = line["rating"]["mean"], line["rating"]["uncertainty"]
        expect(row).to_contain_text(line["name"])
        expect(row).to_contain_text(f"{line['player'][:4]} {line['player'][4:8]}")
        expect(row).to_contain_text(f"{mean:.1f}\u00a0±\u00a0{uncertainty:.1f}")
    assert page.url.endswith("/ladder?game=firenze")

    rows.get_by_role("link", name="Ada").click()
    expect(page).to_have_url(re.compile(f"/players/{ADA}$"))
    expect(page.get_by_role("heading", level=1)).to_have_text("Ada")
    matches = page.locator(".players-match")
    expect(matches).to_have_count(2 * len(PAIRS) // len(KEYS))
    expect(matches.first.get_by_role("link", name="Ada")).to_have_count(0)

    matches.first.get_by_role("link", name="Firenze").click()
    page.locator(".table-seats").get_by_role("link", name="Ada").click()
    expect(page).to_have_url(re.compile(f"/players/{ADA}$"))


def test_a_player_without_an_ended_match_has_a_page(looked_at: tuple[Page, Watch]) -> None:
    """The page says so, and shows no problem."""
    page, watch = looked_at
    watch.expected = ["status of 404"]
    page.goto(f"/players/{'0' * 64}")
    expect(page.get_by_role("heading", level=1)).to_have_text("Key 0000 0000 0000")
    expect(page.locator("main")).to_contain_text("No public match of this player has ended yet.")
    expect(page.locator(".box-bad")).to_have_count(0)
    check_for_everybody(page)


def test_the_picture_of_a_rating_has_a_text_and_a_table(looked_at: tuple[Page, Watch]) -> None:
    """Text and table have the rating after the last match. The table has a row for each match."""
    page, _ = looked_at
    page.goto(f"/players/{ADA}")
    picture = page.get_by_role("img", name=re.compile("^The rating after 4 matches: from "))
    rating = page.locator(".players-rating b").inner_text()
    expect(picture).to_be_visible()
    assert rating in (picture.get_attribute("aria-label") or "")

    page.get_by_text("The history as a table").click()
    rows = page.locator("details tbody tr")
    expect(rows).to_have_count(4)
    expect(rows.first).to_contain_text(rating)


def test_humans_alone_are_asked_for_by_the_address(looked_at: tuple[Page, Watch]) -> None:
    """The choice stands in the address, so that it can be passed on and survives a reload."""
    page, _ = looked_at
    page.goto("/ladder?game=firenze")
    page.get_by_label("Humans only").check()
    expect(page).to_have_url(re.compile("humans=true"))
    page.reload()
    expect(page.get_by_label("Humans only")).to_be_checked()
    expect(page.get_by_label("Game")).to_have_value("firenze")


def test_a_choice_before_the_games_are_read_waits_for_them(
    looked_at: tuple[Page, Watch],
) -> None:
    """The page never asks for the ladder of no game: the server refuses that."""
    page, watch = looked_at
    waiting: list[Route] = []

    def hold(route: Route) -> None:
        waiting.append(route)

    page.route("**/v1/games", hold)
    page.goto("/ladder?game=firenze")
    page.get_by_label("Humans only").check()
    expect(page).to_have_url(re.compile("humans=true"))
    for route in waiting:
        route.continue_()

    expect(page.locator(".players-ladder tbody tr")).to_have_count(len(KEYS))
    expect(page.get_by_label("Humans only")).to_be_checked()
    assert not [url for url in watch.requests if "game=&" in url]


def test_an_answer_that_comes_late_changes_nothing(looked_at: tuple[Page, Watch]) -> None:
    """A reader who has chosen another game meanwhile sees that game's ladder."""
    page, _ = looked_at
    routes: list[Route] = []

    def hold(route: Route) -> None:
        routes.append(route)

    page.route("**/v1/ladder?game=calimala*", hold)
    page.goto("/ladder?game=calimala")
    page.get_by_label("Game").select_option("firenze")
    rows = page.locator(".players-ladder tbody tr")
    expect(rows).to_have_count(len(KEYS))
    [late] = routes
    with page.expect_response("**/v1/ladder?game=calimala*"):
        late.continue_()
    page.evaluate("() => new Promise(requestAnimationFrame)")
    expect(rows).to_have_count(len(KEYS))
    expect(page.get_by_label("Game")).to_have_value("firenze")
