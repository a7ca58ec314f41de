"""Events since one's own last move: shown step by step, marked in the story, outlined.

Time stands still in the pages unless a test lets it go on, so nothing depends on the speed of the
machine.
"""

import random
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Literal

from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.asking import ADA, BOT, get, open_match, seat_address
from tests.browser.table import Table, play_on
from tests.browser.test_advice import check_for_everybody
from tests.browser.test_play import MEANWHILE, settled
from tests.browser.test_streams import SHOW, move, token_of
from tests.browser.watched import window
from tests.e2e.playing import Json
from tests.running import RunningService, until

Motion = Literal["no-preference", "reduce"]

STEPS = ".table-steps"
SETTING = "Play others' moves step by step"
A_MOMENT = 1  # milliseconds: all such moments of a test together are shorter than a step
A_PICTURE = 40  # milliseconds with at least one drawing of a page
A_SHORT_TIME = 400  # less than a step takes, unless there are many
A_BRIEF_TIME = 2500  # the time in which a returning reader is shown all steps
FEW_MOVES = 6
FEW_STEPS = 3
CHANGED = re.compile(r"\bchanged\b")

# Note each version as it is shown, and whether it was said that steps are.
WATCH = """() => {
  window.shown = [];
  window.wasPaced = false;
  new MutationObserver(() => {
    const text = document.querySelector(".replay-time")?.textContent ?? "";
    const version = Number(/Move (\\d+),/.exec(text)?.[1]);
    if (version !== window.shown.at(-1)) window.shown.push(version);
    window.wasPaced ||= document.querySelector(".table-steps") !== null;
  }).observe(document.querySelector(".table"), {
    subtree: true, childList: true, characterData: true,
  });
}"""

# The versions above and below the line in the story.
DIVIDED = """() => {
  const found = [...document.querySelectorAll(".story-since, [data-version]")];
  const at = found.findIndex((element) => element.matches(".story-since"));
  return [found[at - 1], found[at + 1]].map((element) => Number(element?.dataset.version));
}"""


class Stopped:
    """A table with a clock that goes on only when it is told to."""

    def __init__(self, service: RunningService, page: Page, opened: Json) -> None:
        self.service = service
        self.page = page
        self.match: str = opened["match"]
        self.table = Table(page)
        page.clock.install()
        self.table.open(seat_address(opened, 0))
        page.locator(".table-live").wait_for()
        page.locator(".play-choice").first.wait_for()
        self.version = self.present()
        page.clock.pause_at(page.evaluate("Date.now() + 100"))
        page.evaluate(WATCH)

    def present(self) -> int:
        """Return the version at which the match waits for its human."""
        version: int = until(partial(settled, self.service, self.match), "the bots to wait")
        return version

    def move(self) -> int:
        """Move for Ada, and let the bots. Return the version of her move."""
        own = move(self.service, self.match, token_of(self.page, self.match))
        self.version = self.present()
        return own

    def move_until_others_do(self, *, is_seen: bool = True) -> int:
        """Move for Ada until others move some times before her next move. Return her last move.

        is_seen: True if earlier steps are shown to their end.
        """
        own = self.move()
        while self.version < own + FEW_STEPS:
            if is_seen:
                self.until_the_present()
            own = self.move()
        return own

    def until_the_present(self) -> None:
        """Let time go on until the present is shown."""
        is_there = partial(self.is_drawn, A_SHORT_TIME)
        until(lambda: is_there() and self.table.version == self.version, "the present")

    def is_drawn(self, time: int = A_PICTURE) -> bool:
        """Let the page be drawn. Return True if it shows a match."""
        self.page.clock.run_for(time)
        return self.page.locator(".table:not(.table-loading) .replay-time").count() == 1

    def is_behind(self, own: int) -> bool:
        """Let so little time go on that no steps end. Return True if others' moves are shown.

        own: the version of Ada's last move.
        """
        self.page.clock.run_for(A_MOMENT)
        version = self.page.evaluate("window.shown.at(-1)")
        title = self.page.locator(".play-panel h2")
        is_titled = title.count() == 1 and title.inner_text() == "Others move"
        return own <= version < self.version and is_titled

    def shown(self) -> list[int]:
        """Return the versions that were shown since the page is watched."""
        versions: list[int] = self.page.evaluate("window.shown")
        return versions

    def was_paced(self) -> bool:
        """Return True if steps were announced since the page is watched."""
        return bool(self.page.evaluate("window.wasPaced"))

    def divided(self) -> list[int]:
        """Return the versions above and below the line in the story."""
        self.page.clock.run_for(A_PICTURE)
        versions: list[int] = self.page.evaluate(DIVIDED)
        return versions

    def open_settings(self) -> Locator:
        """Unfold the settings. Return the one of the steps."""
        self.page.get_by_text("Pace and calls").click()
        setting = self.page.get_by_label(SETTING)
        until(lambda: self.is_drawn() and setting.count() == 1, "the settings")
        return setting


@contextmanager
def stopped(
    browser: Browser, service: RunningService, seed: str, motion: Motion = "no-preference"
) -> Iterator[Stopped]:
    """A match of Firenze against bots, at a table with a stopped clock."""
    opened = open_match(service, "firenze", [ADA, BOT, BOT], seed=seed)
    with window(browser, service.url, reduced_motion=motion) as (page, watch):
        watch.expected = [MEANWHILE]
        yield Stopped(service, page, opened)


def slots(service: RunningService, match: str, version: int) -> list[Json]:
    """Return the row of cards at a version."""
    answer = get(service, f"/v1/matches/{match}/states", after=version - 1, limit=1)
    row: list[Json] = answer["states"][0]["state"]["row"]
    return row


def test_others_moves_are_shown_one_by_one_then_outlined(
    browser: Browser, service: RunningService
) -> None:
    """The story has a line below one's own last move. From it they are shown again."""
    with stopped(browser, service, "one by one") as at:
        own = at.move_until_others_do()
        at.until_the_present()

        versions = at.shown()
        assert versions[versions.index(own) :] == list(range(own, at.version + 1))
        expect(at.page.locator(STEPS)).to_have_count(0)
        until(lambda: at.divided() == [own, own + 1], "the line in the story")

        before = slots(service, at.match, own)
        after = slots(service, at.match, at.version)
        new = [
            number for number, slot in enumerate(after) if slot["card"] != before[number]["card"]
        ]
        assert new, "others have taken cards"
        for number in new:
            expect(at.page.locator(f'[data-place="slot:{number}"]')).to_have_class(CHANGED)

        at.page.get_by_role("button", name="Show again").click()
        expect(at.page.locator(STEPS)).to_be_visible()
        at.until_the_present()
        again = at.shown()[len(versions) :]
        assert again[again.index(own) :] == list(range(own, at.version + 1))


def test_whatever_is_pressed_shows_the_present(browser: Browser, service: RunningService) -> None:
    """Nothing is offered before. Enter makes no move, and a click on the board picks nothing."""
    with stopped(browser, service, "pressed") as at:
        page = at.page
        board = page.locator('.replay-board [data-place="slot:0"]')
        ways: dict[str, Callable[[], None]] = {
            "Skip": lambda: page.get_by_role("button", name="Skip").click(),
            "Escape": lambda: page.keyboard.press("Escape"),
            "Enter": lambda: page.keyboard.press("Enter"),
            "the board": lambda: board.click(),
        }
        for name, press in ways.items():
            own = at.move_until_others_do()
            until(partial(at.is_behind, own), "a move of others")
            expect(page.locator(STEPS)).to_be_visible()
            expect(at.table.choices()).to_have_count(0)
            expect(at.table.targets()).to_have_count(0)

            press()
            page.clock.run_for(A_PICTURE)
            assert at.table.version == at.version, name
            expect(page.locator(STEPS)).to_have_count(0)
            expect(page.locator(".play-trail")).to_have_count(0)
            expect(at.table.choices().first).to_be_visible()
            assert at.present() == at.version, name


def test_a_reader_without_steps_sees_the_present_at_once(
    browser: Browser, service: RunningService
) -> None:
    """The browser keeps the choice. A reader with less motion sees no steps without choosing."""
    with stopped(browser, service, "no steps") as at:
        at.open_settings().uncheck()
        at.page.evaluate(WATCH)
        at.move_until_others_do()
        at.until_the_present()
        assert not at.was_paced()

        at.page.reload()
        until(at.is_drawn, "the page")
        expect(at.open_settings()).not_to_be_checked()

    with stopped(browser, service, "less motion", "reduce") as at:
        at.move_until_others_do()
        at.until_the_present()
        assert not at.was_paced()

        setting = at.open_settings()
        expect(setting).not_to_be_checked()
        setting.check()
        at.move_until_others_do()
        at.until_the_present()
        assert at.was_paced()


def test_a_returning_reader_sees_the_present_after_a_short_time(
    browser: Browser, service: RunningService
) -> None:
    """All that was missed comes in one request, and is shown quickly."""
    with stopped(browser, service, "coming back") as at:
        at.page.evaluate(SHOW, arg=True)
        at.move_until_others_do(is_seen=False)
        urls: list[str] = []
        at.page.on("request", lambda request: urls.append(request.url))
        at.page.evaluate(SHOW, arg=False)
        until(lambda: at.is_drawn() and at.table.last_version == at.version, "what was missed")
        at.page.clock.run_for(A_BRIEF_TIME)
        assert at.table.version == at.version
        assert at.was_paced()
        assert len([url for url in urls if "/states" in url]) == 1


def test_a_match_is_played_on_while_steps_are_shown(
    browser: Browser, service: RunningService
) -> None:
    """Time runs as it does for people, and each choice is made in its place."""
    opened = open_match(service, "calimala", [ADA, BOT, BOT], seed="played on")
    chance = random.Random(7)
    with window(browser, service.url, reduced_motion="no-preference") as (page, watch):
        watch.expected = [MEANWHILE]
        table = Table(page)
        table.open(seat_address(opened, 0))
        page.evaluate(WATCH)
        moves_made = 0
        while moves_made < FEW_MOVES:
            moves_made += play_on(table, chance) == "send"
        table.wait_for_version(
            until(partial(settled, service, opened["match"]), "the bots to wait")
        )
        assert page.evaluate("window.wasPaced")

        again = page.get_by_role("button", name="Show again")
        if again.count():
            again.click()
        page.get_by_text("Pace and calls").click()
        page.get_by_label(SETTING).wait_for()
        check_for_everybody(page)
