"""Going through a match: from a key press, or a click on the slider, to the board on the screen."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, CDPSession, Page, ViewportSize

from benchmarks.browsing.times import Times

CLOCK = Path(__file__).with_name("clock.js").read_text()
WINDOW: ViewportSize = {"width": 1440, "height": 1000}
CALM = 60  # milliseconds between two steps, and less by chance
BOARD = ".replay-board [data-place]"
TOLD = ".story [data-version]"

# The ways of going through a match, by their keys; "": with the slider.
WAYS = {"jumps": "", "steps": "ArrowRight", "turns": "Shift+ArrowRight"}

Step = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Journey:
    """One visitor's way through a match, from a first load on.

    empty: two frames with nothing to draw.
    shown: by the way of going, until a frame that shows the version was over.
    pictures: by the way of going, until the picture was there as the browser itself measures it, in
    grains of 8 ms. That is the next picture, be it of the version or not.
    work: by the way of going, how many milliseconds the page's main thread has run for each step,
    which other programs hardly change.
    """

    empty: Times
    shown: dict[str, Times]
    pictures: dict[str, Times]
    work: dict[str, float]


def go_through(browser: Browser, address: str, last: int, number: int) -> Journey:
    """Go through a match in all WAYS; the jumps come first, when only the present was loaded.

    last: the match's last version.   number: of steps in each way.
    """
    context = browser.new_context(viewport=WINDOW)
    page = context.new_page()
    open_table(page, address)
    page.wait_for_load_state("networkidle")
    empty = empty_frames(page, number)

    shown: dict[str, Times] = {}
    pictures: dict[str, Times] = {}
    work: dict[str, float] = {}
    session = context.new_cdp_session(page)
    session.send("Performance.enable")
    for name, key in WAYS.items():
        if key:
            go_to_first(page)
        step = pressing(page, key) if key else jumping(page, last)
        before = thread_time(session)
        shown[name], pictures[name] = measured(page, number, step)
        work[name] = (thread_time(session) - before) / number
    context.close()
    return Journey(empty, shown, pictures, work)


def thread_time(session: CDPSession) -> float:
    """Return how many milliseconds the page's main thread has run so far."""
    metrics = session.send("Performance.getMetrics")["metrics"]
    seconds = next(metric["value"] for metric in metrics if metric["name"] == "ThreadTime")
    return float(seconds) * 1000


def open_table(page: Page, address: str) -> None:
    """Open the table of a match, wait until it is drawn and told, and start the clock."""
    page.goto(address)
    page.locator(BOARD).first.wait_for()
    page.locator(TOLD).last.wait_for(state="attached")
    page.evaluate(CLOCK)


def empty_frames(page: Page, number: int) -> Times:
    """Return how long two frames take with nothing to draw."""
    chance = random.Random(1)
    times = []
    for _ in range(number):
        page.wait_for_timeout(CALM * chance.random())
        times.append(page.evaluate("clock.empty()"))
    return Times(times)


def go_to_first(page: Page) -> None:
    """Go to the first version, and wait for it."""
    page.keyboard.press("Home")
    page.locator(".replay-time", has_text="Version 1,").wait_for()


def pressing(page: Page, key: str) -> Step:
    """Return a step by a key."""
    return lambda: page.keyboard.press(key)


def jumping(page: Page, last: int) -> Step:
    """Return a step by a click on the slider, wherever chance will have it."""
    chance = random.Random(2)

    def jump() -> None:
        x, y = page.evaluate("(version) => clock.pointOf(version)", chance.randint(1, last))
        page.mouse.click(x, y)

    return jump


def measured(page: Page, number: int, step: Step) -> tuple[Times, Times]:
    """Step so many times, or until the end; return how long it took, and until the pictures."""
    chance = random.Random(3)
    steps = []
    for _ in range(number):
        page.wait_for_timeout(CALM * (1 + chance.random()))
        step()
        steps.append(page.evaluate("clock.step()"))

    page.wait_for_timeout(CALM)
    taken = [step for step in steps if step["time"] is not None]
    pictures = [page.evaluate("(start) => clock.picture(start)", step["started"]) for step in taken]
    return Times([step["time"] for step in taken]), Times(pictures)
