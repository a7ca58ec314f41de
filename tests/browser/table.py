"""The table page as a person uses it: looking, clicking and pressing keys."""

import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Locator, Page, TimeoutError as Late

from tests.browser.watched import PHONE
from tests.running import PATIENCE

# What the table asks of its reader: "over", "send" (a move waits to be made), "choose" (there are
# buttons of choices), "compose" (a move is put together), "refused" (a refusal is shown), or ""
# while there is nothing to do.
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

# Controls that change how a move is put together.
CONTROLS = ".play-composer button:enabled"

# A long list of choices on a small screen, folded.
FOLDED = ".play-folded:not([open]) > summary"

# How often a choice is made on the board, and a move that could be made is changed once more.
ON_BOARD = 1 / 3
COMPOSED = 1 / 3

GONE_AFTER = 2000  # milliseconds without a control after which it counts as gone

# Pages are drawn with the next picture: until then they still show the clicked one.
DRAWN = "() => new Promise(requestAnimationFrame)"

VERSION = "() => Number(document.querySelector('.replay-slider').value)"
LAST_VERSION = "() => Number(document.querySelector('.replay-slider').max)"
IS_AT = """(version) => {
  const at = Number(document.querySelector(".replay-slider")?.value);
  const stamp = document.querySelector(".replay-time")?.textContent ?? "";
  return at === version && stamp.includes(`Move ${version},`);
}"""
IS_BEYOND = "(version) => Number(document.querySelector('.replay-slider')?.value) > version"

REMEMBERED = "(match) => JSON.parse(localStorage.getItem(`giornale/match/${match}`))"


# Controls that the space bar presses, and Enter does not, and those that Tab leads to.
IS_BOX = "(control) => ['radio', 'checkbox'].includes(control.type)"
IS_REACHED = "(control) => control.tabIndex >= 0"


@dataclass(frozen=True)
class Way:
    """A way to use a page.

    press: presses a control. Raises Late if that is not possible for so many milliseconds.
    settings: those of the browser's window, see watched.window.
    """

    press: Callable[[Locator, float], None]
    settings: dict[str, Any] = field(default_factory=dict)


def _press_key(control: Locator, timeout: float) -> None:
    is_box = control.evaluate(IS_BOX, timeout=timeout)
    assert control.evaluate(IS_REACHED, timeout=timeout), "Tab does not lead there"
    control.press("Space" if is_box else "Enter", timeout=timeout)


MOUSE = Way(lambda control, timeout: control.click(timeout=timeout))
KEYBOARD = Way(_press_key)
TOUCH = Way(lambda control, timeout: control.tap(timeout=timeout), PHONE)


class Table:
    """The table page in one window, used in one way."""

    def __init__(self, page: Page, way: Way = MOUSE) -> None:
        self.page = page
        self.way = way

    def open(self, address: str) -> None:
        """Go to the page, and wait for the board."""
        self.page.goto(address)
        self.page.locator(".replay-board [data-place]").first.wait_for()

    @property
    def version(self) -> int:
        """The shown version."""
        version: int = self.page.evaluate(VERSION)
        return version

    @property
    def last_version(self) -> int:
        """The last version that the page knows of."""
        version: int = self.page.evaluate(LAST_VERSION)
        return version

    def wait_for_version(self, version: int) -> None:
        """Wait until a version, and no other, is shown."""
        self.page.wait_for_function(IS_AT, arg=version)

    def wait_beyond(self, version: int) -> None:
        """Wait until a later version than this one is shown."""
        self.page.wait_for_function(IS_BEYOND, arg=version)

    def asked(self, seconds: float = 4 * PATIENCE) -> str:
        """Wait until the table asks its reader for something. Return its kind, see ASKED."""
        handle = self.page.wait_for_function(ASKED, timeout=seconds * 1000)
        return str(handle.json_value())

    def choices(self) -> Locator:
        """The buttons of the choices."""
        return self.page.locator(".play-choice")

    def targets(self) -> Locator:
        """The places of the board that can be picked."""
        return self.page.locator(".replay-board [data-place][role=button]")


def remembered(page: Page, match: str) -> dict[str, Any]:
    """Return the browser's memory of a match, as a page has it."""
    memory: dict[str, Any] = page.evaluate(REMEMBERED, match)
    return memory


def match_at(page: Page) -> str:
    """Return the match of a table's page."""
    return page.url.rpartition("/")[2]


def unfold_form(page: Page) -> None:
    """Go to the lobby, and show the whole form that opens a match."""
    page.goto("/")
    page.get_by_text("Choose seats and options").click()


def send_form(page: Page) -> str:
    """Open the match that the form says. Return it once its table is there."""
    page.get_by_role("button", name="Open this match").click()
    page.wait_for_url("**/matches/*")
    return match_at(page)


def take_seat(page: Page, address: str, name: str) -> None:
    """Go to the table of a match that gathers, and take a seat with a name."""
    page.goto(address)
    page.get_by_label("Your name").fill(name)
    page.get_by_role("button", name="Take the seat").click()


def play_on(table: Table, chance: random.Random) -> str:
    """Do the next thing that the table asks for. Return its kind, see ASKED.

    Choices are pressed as buttons or on the board, at random.
    """
    outcome = table.asked()
    assert outcome != "refused", table.page.locator(".play-panel").inner_text()

    controls = table.page.locator(CONTROLS)
    may_compose = outcome in ("send", "compose") and controls.count() > 0
    if outcome == "compose" or (may_compose and chance.random() < COMPOSED):
        press_one(table, controls, chance)
    elif outcome == "send":
        press(table, table.page.locator(".play-end .primary"))
    elif outcome == "choose":
        choose(table, chance)
    return outcome


def choose(table: Table, chance: random.Random) -> None:
    """Press one of the choices, or a place on the board that stands for one."""
    targets = table.targets()
    on_board = chance.random() < ON_BOARD and targets.count() > 0
    if on_board:
        press_one(table, targets, chance)
        return

    folded = table.page.locator(FOLDED)
    if folded.count():
        press(table, folded)
    press_one(table, table.choices(), chance)


def press_one(table: Table, controls: Locator, chance: random.Random) -> None:
    """Press one of some controls, if there still are any."""
    number = controls.count()
    if number:
        press(table, controls.nth(chance.randrange(number)))


def press(table: Table, control: Locator) -> None:
    """Press a control, and wait until the page is drawn again.

    A control that has gone meanwhile, because the match moved on, is let be.
    """
    with suppress(Late):
        table.way.press(control, GONE_AFTER)
        table.page.evaluate(DRAWN)
