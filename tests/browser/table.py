"""The table page as a person uses it: looking, clicking and pressing keys."""

import random
from contextlib import suppress
from typing import Any

from playwright.sync_api import Locator, Page, TimeoutError as Late

from tests.running import PATIENCE

# What the table asks of its reader: "over", "send" (a move waits to be made), "choose" (there are
# buttons of choices), "compose" (a move is put together), or "" while there is nothing to do.
ASKED = """() => {
  const standing = document.querySelector(".table-standing")?.textContent.trim() ?? "";
  if (/^(Finished|Ended)/i.test(standing)) return "over";
  const panel = document.querySelector(".play-panel");
  if (!panel) return "";
  if (panel.querySelector(".box-bad")) return "refused";
  if (panel.querySelector(".play-end .primary:not(:disabled)")) return "send";
  if (panel.querySelector(".play-end .primary")) return "";
  if (panel.querySelector(".play-composer")) return "compose";
  return panel.querySelector(".play-choice") ? "choose" : "";
}"""

# What changes how a move is put together.
CONTROLS = ".play-composer button:enabled"

# How often a choice is made on the board, and a move that could be made is changed once more.
ON_BOARD = 1 / 3
COMPOSED = 1 / 3

GONE_AFTER = 2000  # milliseconds without a control after which it is taken as gone

# Pages are drawn with the next picture: until then they still show what was clicked.
DRAWN = "() => new Promise(requestAnimationFrame)"

VERSION = "() => Number(document.querySelector('.replay-slider').value)"
LAST_VERSION = "() => Number(document.querySelector('.replay-slider').max)"
IS_AT = """(version) => {
  const at = Number(document.querySelector(".replay-slider")?.value);
  const stamp = document.querySelector(".replay-time")?.textContent ?? "";
  return at === version && stamp.includes(`Version ${version},`);
}"""
IS_BEYOND = "(version) => Number(document.querySelector('.replay-slider')?.value) > version"

REMEMBERED = "(match) => JSON.parse(localStorage.getItem(`giornale/match/${match}`))"


class Table:
    """The table page in one window."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def open(self, address: str) -> None:
        """Go to the page, and wait for the board."""
        self.page.goto(address)
        self.page.locator(".replay-board [data-place]").first.wait_for()

    @property
    def version(self) -> int:
        """Which version is shown."""
        shown: int = self.page.evaluate(VERSION)
        return shown

    @property
    def last_version(self) -> int:
        """The last version that the page knows of."""
        known: int = self.page.evaluate(LAST_VERSION)
        return known

    def wait_for_version(self, version: int) -> None:
        """Wait until a version, and no other, is shown."""
        self.page.wait_for_function(IS_AT, arg=version)

    def wait_beyond(self, version: int) -> None:
        """Wait until a later version than this one is shown."""
        self.page.wait_for_function(IS_BEYOND, arg=version)

    def asked(self, seconds: float = 4 * PATIENCE) -> str:
        """Wait until the table asks its reader for something; return what, see ASKED."""
        handle = self.page.wait_for_function(ASKED, timeout=seconds * 1000)
        return str(handle.json_value())

    def choices(self) -> Locator:
        """The buttons of what can be chosen."""
        return self.page.locator(".play-choice")

    def targets(self) -> Locator:
        """The places of the board that can be picked."""
        return self.page.locator(".replay-board [data-place][role=button]")


def remembered(page: Page, match: str) -> dict[str, Any]:
    """Return what the browser of a page remembers of a match."""
    found: dict[str, Any] = page.evaluate(REMEMBERED, match)
    return found


def play_on(table: Table, chance: random.Random) -> str:
    """Do the next thing that the table asks for; return what that was, see ASKED.

    Choices are clicked as buttons or on the board, as chance has it.
    """
    asked = table.asked()
    assert asked != "refused", table.page.locator(".play-panel").inner_text()

    controls = table.page.locator(CONTROLS)
    may_compose = asked in ("send", "compose") and controls.count() > 0
    if asked == "compose" or (may_compose and chance.random() < COMPOSED):
        pick_one(controls, chance)
    elif asked == "send":
        click(table.page.locator(".play-end .primary"))
    elif asked == "choose":
        choose(table, chance)
    return asked


def choose(table: Table, chance: random.Random) -> None:
    """Click one of the choices, or a place on the board that stands for one."""
    targets = table.targets()
    on_board = chance.random() < ON_BOARD and targets.count() > 0
    pick_one(targets if on_board else table.choices(), chance)


def pick_one(controls: Locator, chance: random.Random) -> None:
    """Click one of some controls, if there still are any."""
    number = controls.count()
    if number:
        click(controls.nth(chance.randrange(number)))


def click(control: Locator) -> None:
    """Click a control, and wait until the page is drawn anew.

    What has gone since it was seen, because the match moved on, is let be.
    """
    with suppress(Late):
        control.click(timeout=GONE_AFTER)
        control.page.evaluate(DRAWN)
