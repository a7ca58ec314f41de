"""Going through a match: from a key press, or a click on the slider, to the board on the screen."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, CDPSession, Page, ViewportSize

from benchmarks.browsing.times import Times

CLOCK = Path(__file__).with_name("clock.js").read_text()
WINDOW: ViewportSize = {"width": 1440, "height": 1000}
NEAR = 20  # versions that the thumb of the slider covers at most; a click on it moves nothing
CALM = 60  # milliseconds between two steps, and less by chance
BOARD = ".replay-board [data-place]"
TOLD = ".story [data-version]"

# The ways of going through a match, by their keys; "": with the slider.
WAYS = {"jumps": "", "steps": "ArrowRight", "turns": "Shift+ArrowRight"}

Act = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Step:
    """How many milliseconds one step took.

    shown: until a frame that shows the version was over.
    picture: until the next picture was there, as the browser itself measures it: 0 if before 16 ms,
    else in grains of 8 ms.   work: that the page's main thread has run, which other programs hardly
    change.
    """

    shown: float
    picture: float
    work: float


@dataclass(frozen=True, slots=True)
class Journey:
    """One visitor's way through a match from a first load on: the steps of each way, by its name.

    empty: two frames with nothing to draw.
    """

    empty: Times
    shown: dict[str, Times]
    pictures: dict[str, Times]
    work: dict[str, Times]


def go_through(browser: Browser, address: str, last: int, number: int) -> Journey:
    """Go through a match in all WAYS; the jumps come first, when only the present was loaded.

    last: the match's last version.   number: of steps in each way.
    """
    context = browser.new_context(viewport=WINDOW)
    page = context.new_page()
    open_table(page, address)
    page.wait_for_load_state("networkidle")
    empty = empty_frames(page, number)

    journey = Journey(empty, shown={}, pictures={}, work={})
    session = context.new_cdp_session(page)
    session.send("Performance.enable")
    for name, key in WAYS.items():
        if key:
            go_to_first(page)
        step = pressing(page, key) if key else jumping(page, last)
        taken = list(steps_taken(page, session, number, step))
        journey.shown[name] = Times([step.shown for step in taken])
        journey.pictures[name] = Times([step.picture for step in taken])
        journey.work[name] = Times([step.work for step in taken])
    context.close()
    return journey


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


def pressing(page: Page, key: str) -> Act:
    """Return a step by a key."""
    return lambda: page.keyboard.press(key)


def jumping(page: Page, last: int) -> Act:
    """Return a step by a click on the slider, wherever chance will have it, but not just beside."""
    chance = random.Random(2)
    before = last

    def jump() -> None:
        nonlocal before
        version = chance.choice([each for each in range(1, last + 1) if abs(each - before) > NEAR])
        before = version
        x, y = page.evaluate("(version) => clock.pointOf(version)", version)
        page.mouse.click(x, y)

    return jump


def steps_taken(page: Page, session: CDPSession, number: int, act: Act) -> Iterator[Step]:
    """Step so many times, or until no other version is shown; yield how long each step took."""
    chance = random.Random(3)
    for _ in range(number):
        page.wait_for_timeout(CALM * (1 + chance.random()))
        before = thread_time(session)
        act()
        shown = page.evaluate("clock.step()")
        if shown["time"] is None:
            return
        work = thread_time(session) - before

        page.wait_for_timeout(CALM)
        picture = page.evaluate("(start) => clock.picture(start)", shown["started"])
        yield Step(shown["time"], picture, work)


def thread_time(session: CDPSession) -> float:
    """Return how many milliseconds the page's main thread has run so far."""
    metrics = session.send("Performance.getMetrics")["metrics"]
    seconds = next(metric["value"] for metric in metrics if metric["name"] == "ThreadTime")
    return float(seconds) * 1000
