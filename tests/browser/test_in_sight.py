"""Supply, choices and board are in sight while one decides."""

import random
import re
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.asking import open_match, seat_address
from tests.browser.table import Table
from tests.browser.test_advice import check_for_everybody
from tests.browser.test_never_stuck import choose_a_move
from tests.browser.watched import window
from tests.e2e.playing import Json, client
from tests.running import PATIENCE, RunningService, until

SIZES = {"laptop": (1440, 900), "desk": (1920, 1080), "phone": (390, 844)}
PHONE = SIZES["phone"]

NAMES = ("Ada", "Bob", "Cleo")
OWN = 1  # the seat of the table: Bob's, since the first seat's mat is the first anyway
MIDDLE = 60  # how many moves are made before
TURNS = {"calimala": "place_disc", "firenze": "take_card"}
# The word of a turn's move on its button, and in its story.
WORDS = {
    "calimala": ("Place a disc", r"places a \w+ disc on "),
    "firenze": ("Take", r"takes [\w ]+ with \d"),
}
# Moves that bring a match forward.
WANTED = {"perform", "build", "fulfil", "exchange"}

HELD = ".play-held-groups"
CHOICES = ".play-choice, .play-folded > summary"
ONE_LINE = 48  # pixels
MARGIN = 48  # pixels that a table may leave empty at each side

WIDTH_TAKEN = "document.documentElement.scrollWidth"
EDGES = "(box) => { const { left, right } = box.getBoundingClientRect(); return [left, right]; }"
# How much of the board is above the window's middle.
SCROLLED = (0, 0.5, 1)
SCROLL = """(part) => {
  const { top, height } = document.querySelector(".replay-board").getBoundingClientRect();
  const middle = window.innerHeight / 2;
  window.scrollBy({ top: part && top + part * height - middle, behavior: "instant" });
}"""


@pytest.fixture(scope="module", params=TURNS)
def running_match(request: pytest.FixtureRequest, service: RunningService) -> Json:
    """A match of three people, some rounds old, at the beginning of Bob's turn."""
    game: str = request.param
    seats = [{"kind": "human", "name": name} for name in NAMES]
    opened = open_match(service, game, seats, seed="in sight")
    chance = random.Random(game)
    moves_made = 0

    def is_ready() -> bool:
        nonlocal moves_made
        for seat in range(len(NAMES)):
            with client(service, opened["tokens"][f"seat:{seat}"]) as asker:
                path = f"/v1/matches/{opened['match']}/moves"
                moves = asker.get(path).raise_for_status().json()["moves"]
                turn = bool(moves) and moves[0]["type"] == TURNS[game]
                if seat == OWN and moves_made >= MIDDLE and turn:
                    return True
                if moves:
                    moves_made += make_one(asker, path, moves, chance)
        return False

    until(is_ready, "Bob's turn in the middle of the match", 2 * PATIENCE)
    return opened


def make_one(asker: httpx.Client, path: str, moves: list[Json], chance: random.Random) -> bool:
    """Make a move, one that brings the match forward if there is any."""
    favourites = [move for move in moves if move["type"] in WANTED]
    answer = asker.post(path, json=chance.choice(favourites or moves))
    return answer.status_code == httpx.codes.CREATED


def at_table(page: Page, service: RunningService, opened: Json) -> None:
    """Open Bob's table. His token is taken anew, since a link to a seat counts once."""
    with client(service, opened["tokens"]["owner"]) as asker:
        path = f"/v1/matches/{opened['match']}/tokens"
        token = asker.post(path, json={"holder": f"seat:{OWN}"}).raise_for_status().json()["token"]
    opened["tokens"][f"seat:{OWN}"] = token
    Table(page).open(seat_address(opened, OWN))
    page.locator(CHOICES).first.wait_for()


def settings(size: tuple[int, int]) -> dict[str, Any]:
    """Return the settings of a window of a size."""
    width, height = size
    return {"viewport": {"width": width, "height": height}, "reduced_motion": "reduce"}


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
def test_the_own_supply_and_the_choices_are_in_sight_together(
    browser: Browser, service: RunningService, running_match: Json, size: tuple[int, int]
) -> None:
    """Supply and choices stay in sight beside any part of the board. A phone's supply unfolds."""
    with window(browser, service.url, **settings(size)) as (page, _watch):
        at_table(page, service, running_match)
        for part in SCROLLED:
            page.evaluate(SCROLL, part)
            expect(page.locator(HELD)).to_be_in_viewport(ratio=1)
            expect(page.locator(CHOICES).first).to_be_in_viewport(ratio=1)
        check_for_everybody(page)
        assert page.evaluate(WIDTH_TAKEN) <= size[0]

        box = page.locator(".play-held")
        more = page.get_by_role("button", name="All that you have")
        expect(more).to_be_visible(visible=size == PHONE)
        if size == PHONE:
            assert height_of(box) <= ONE_LINE
            more.click()
            expect(more).to_have_attribute("aria-expanded", "true")
            assert height_of(box) > ONE_LINE
            expect(page.locator(HELD)).to_be_in_viewport(ratio=1)


def height_of(box: Locator) -> float:
    """Return the height of a part of the page."""
    bounds = box.bounding_box()
    assert bounds is not None
    return bounds["height"]


def test_the_table_takes_the_width_that_there_is(
    browser: Browser, service: RunningService, running_match: Json
) -> None:
    """On a wide screen nothing is left empty beside it, and the own mat lies before the others."""
    with window(browser, service.url, **settings(SIZES["desk"])) as (page, _watch):
        at_table(page, service, running_match)
        left_edge, _ = page.locator(".table-seats").evaluate(EDGES)
        _, right = page.locator(".play-panel").evaluate(EDGES)
        assert left_edge <= MARGIN
        assert right >= SIZES["desk"][0] - MARGIN

        mats = page.locator(".calimala-mat, .firenze-player")
        expect(mats.first).to_have_attribute("aria-label", re.compile("Bob$"))


def test_one_action_has_one_word(
    browser: Browser, service: RunningService, running_match: Json
) -> None:
    """The button, the preview and the story of such moves by all players say the same word."""
    verb, predicate = WORDS[running_match["game"]]
    with window(browser, service.url, **settings(SIZES["laptop"])) as (page, _watch):
        at_table(page, service, running_match)
        expect(page.locator(".play-body")).to_contain_text(verb)
        choose_a_move(page)
        preview = re.compile(f"^Bob {predicate}")
        expect(page.locator(".play-preview li").first).to_have_text(preview)
        for name in NAMES:
            expect(page.locator(".story")).to_contain_text(re.compile(f"{name} {predicate}"))


def test_supply_that_a_move_would_change_is_marked(
    browser: Browser, service: RunningService, running_match: Json
) -> None:
    """The supply shows the value before the move, too, while the move is not made yet."""
    with window(browser, service.url, **settings(SIZES["laptop"])) as (page, _watch):
        at_table(page, service, running_match)
        choose_a_move(page)
        changed = page.locator(".play-held-changed")
        expect(changed.first).to_contain_text("before the move")
        expect(page.locator(".play-end .primary:enabled")).to_be_visible()
        check_for_everybody(page)
