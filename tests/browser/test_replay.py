"""Going through a match: by keys, by address, by the story, and by the browser's own buttons."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.asking import ADA, BOB, BOT, get, open_match, played_match, seat_address
from tests.browser.table import Table
from tests.browser.watched import window
from tests.e2e.playing import client
from tests.running import RunningService

DRAWING = Path(__file__).with_name("drawing.js").read_text()
SEATS = {"calimala": 4, "firenze": 2}
FEW = 12  # versions
LONG = 300  # commits, at least, of the match of Calimala

# Moves the slider to a version. Returns the page's text about the position right after that.
MOVED = """(version) => {
  const slider = document.querySelector(".replay-slider");
  slider.value = version;
  slider.dispatchEvent(new Event("input", { bubbles: true }));
  return document.querySelector(".replay-time").textContent;
}"""

# The base address of the static files, taken from the address of the page's first module.
TREE = "document.querySelector('script[type=module]').src.replace(/table\\/table\\.js$/, '')"


@pytest.fixture(scope="module", params=SEATS)
def match(request: pytest.FixtureRequest, service: RunningService) -> dict[str, Any]:
    """A match that bots have played to its end. That of Calimala is a long one."""
    return played_match(service, request.param, SEATS[request.param], seed="replay 1")


def test_versions_are_drawn_as_their_views(
    browser: Browser, service: RunningService, match: dict[str, Any]
) -> None:
    """The arrow key leads from version to version. Each board is that of the version's view."""
    with window(browser, service.url) as (page, _watch):
        last = match["version"]
        step_through(page, service, match, range(last - FEW, last + 1))


@pytest.mark.whole
def test_every_version_is_drawn_as_its_view(
    browser: Browser, service: RunningService, match: dict[str, Any]
) -> None:
    """Each board is that of the version's view, from the first version to the last."""
    assert match["version"] >= LONG or match["game"] != "calimala"
    with window(browser, service.url) as (page, _watch):
        step_through(page, service, match, range(1, match["version"] + 1))


def step_through(
    page: Page, service: RunningService, match: dict[str, Any], versions: range
) -> None:
    """Go through some versions with the arrow key, and compare each board with its view."""
    states = f"/v1/matches/{match['match']}/state"
    table = Table(page)
    table.open(f"/matches/{match['match']}/{versions[0]}")
    page.evaluate(DRAWING, page.evaluate(TREE))

    with client(service) as asker:
        for version in versions:
            table.wait_for_version(version)
            view = asker.get(states, params={"version": version}).json()["state"]
            fault = page.evaluate(
                "([game, view, seats]) => boardFault(game, view, seats)",
                [match["game"], view, match["seats"]],
            )
            assert fault == "", f"version {version}"
            page.keyboard.press("ArrowRight")


def test_keys_lead_to_their_versions(
    browser: Browser, service: RunningService, match: dict[str, Any]
) -> None:
    """Keys lead to first, last and next version, turn and scoring. At the ends they do nothing."""
    with window(browser, service.url) as (page, _watch):
        table = Table(page)
        table.open(f"/matches/{match['match']}")
        last = match["version"]
        table.wait_for_version(last)

        page.keyboard.press("ArrowRight")
        table.wait_for_version(last)
        page.keyboard.press("Home")
        table.wait_for_version(1)
        page.keyboard.press("ArrowLeft")
        table.wait_for_version(1)

        page.locator(".story [data-version]").last.wait_for(state="attached")
        page.keyboard.press("Shift+ArrowRight")
        table.wait_beyond(1)
        first_turn = table.version
        expect(page.locator(".story [aria-current]").first).to_be_visible()
        page.keyboard.press("Shift+ArrowLeft")
        table.wait_for_version(1)

        page.keyboard.press("]")
        table.wait_beyond(first_turn)
        page.keyboard.press("End")
        table.wait_for_version(last)


def test_a_jump_is_drawn_with_its_input(
    browser: Browser, service: RunningService, match: dict[str, Any]
) -> None:
    """A version that was loaded is there at once, and does not wait for the next frame."""
    with window(browser, service.url) as (page, _watch):
        table = Table(page)
        table.open(f"/matches/{match['match']}/{FEW}")
        for version in (FEW + 1, FEW):
            table.page.keyboard.press("ArrowRight" if version > FEW else "ArrowLeft")
            table.wait_for_version(version)
        assert f"Move {FEW + 1}," in page.evaluate(MOVED, FEW + 1)


def test_addresses_and_the_back_button_lead_through_the_match(
    browser: Browser, service: RunningService, match: dict[str, Any]
) -> None:
    """A click in the story leads to its version and address. Back and forward return."""
    with window(browser, service.url) as (page, _watch):
        table = Table(page)
        table.open(f"/matches/{match['match']}/10")
        table.wait_for_version(10)

        page.locator('.story [data-version="20"]').first.click()
        table.wait_for_version(20)
        assert page.url.endswith("/20")
        page.go_back()
        table.wait_for_version(10)
        page.go_forward()
        table.wait_for_version(20)

        page.reload()
        table.wait_for_version(20)
        commit = get(service, f"/v1/matches/{match['match']}/commits/20")
        expect(page.locator(".replay-hash code")).to_be_hidden()
        page.locator(".replay-hash summary").click()
        expect(page.locator(".replay-hash code")).to_have_text(commit["hash"])


def test_a_match_plays_by_itself_and_shows_the_result_at_its_end(
    browser: Browser, service: RunningService, match: dict[str, Any]
) -> None:
    """The result stands above the last version, and above no earlier one."""
    with window(browser, service.url) as (page, _watch):
        table = Table(page)
        table.open(f"/matches/{match['match']}/{match['version'] - 5}")
        outcome = page.locator(".table-outcome h2")
        expect(outcome).to_have_text("The match is over.")

        page.get_by_label("Speed").select_option(index=2)
        page.get_by_role("button", name="Play", exact=True).click()
        table.wait_for_version(match["version"])
        expect(outcome).to_contain_text("win")
        page.keyboard.press("ArrowLeft")
        expect(outcome).to_have_text("The match is over.")


def test_the_curve_of_a_match_leads_to_its_turning_points(
    browser: Browser, service: RunningService, match: dict[str, Any]
) -> None:
    """The curve says each seat's chance at the version shown. A turning point opens its version."""
    curve = get(service, f"/v1/matches/{match['match']}/curve")
    turn = curve["turning_points"][0]
    [after] = [point for point in curve["points"] if point["version"] == turn["to"]]
    chance = f"{round(after['win_chances'][turn['seat']] * 100)}\u00a0%"

    with window(browser, service.url) as (page, _watch):
        table = Table(page)
        table.open(f"/matches/{match['match']}")
        panel = page.locator(".replay-curve")
        expect(panel.locator("polyline")).to_have_count(len(match["seats"]))
        panel.get_by_role("button").first.click()
        table.wait_for_version(turn["to"])
        expect(panel.locator("li").nth(turn["seat"])).to_contain_text(chance)


def test_the_player_of_the_first_seat_may_look_with_other_eyes(
    browser: Browser, service: RunningService
) -> None:
    """The choice is there although their own view is the first seat's."""
    opened = open_match(service, "calimala", [ADA, BOB, BOT], seed="eyes")
    with client(service, opened["tokens"]["owner"]) as owner:
        owner.post(f"/v1/matches/{opened['match']}/abort").raise_for_status()
    with window(browser, service.url) as (page, _watch):
        Table(page).open(seat_address(opened, 0))
        chosen = page.get_by_label("Seen by")
        expect(chosen.locator("option").first).to_have_text("you")
        chosen.select_option(label="Bob")
        expect(page.locator(".calimala-own")).to_be_visible()


def test_a_match_that_is_over_is_seen_with_the_eyes_of_each_seat(
    browser: Browser, service: RunningService, match: dict[str, Any]
) -> None:
    """Its hand is shown if seats have one. If nothing was hidden there is no choice."""
    with window(browser, service.url) as (page, _watch):
        table = Table(page)
        table.open(f"/matches/{match['match']}/{FEW}")
        page.locator(".replay-curve").wait_for()
        chosen = page.get_by_label("Seen by")
        if match["game"] == "firenze":
            expect(chosen).to_have_count(0)
            return

        expect(page.locator(".calimala-own")).to_have_count(0)
        expect(chosen.locator("option").first).to_have_text("everybody")
        chosen.select_option(label=match["seats"][1].get("name", "Blue"))
        expect(page.locator(".calimala-own")).to_be_visible()
        table.wait_for_version(FEW)
        expect(page.get_by_label("Seen by")).to_have_value("1")
