"""The pages in a real Chromium: loading them, going through a match, watching one live, signing.

`giornale serve` runs on a directory of its own, and bots play a match of each game with four seats,
of 300 versions and more. The goals hold for a machine without other work: a page has at most
200 kB, a step is on the screen within 50 ms (p95), a move within 200 ms after its answer, and a
signature takes 5 ms at most (p95). Without a Chromium on the PATH nothing is measured. `clock.js`
measures the waiting times inside the page.
"""

import os
import random
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, Request

from benchmarks.measure import Figures, limit, p95, show_spread
from benchmarks.web import Client, legal_move, open_match, port_of, post_move, whole_service
from tests.browser.asking import played_match
from tests.browser.browsers import CHROMIUM, installed, running_chromium
from tests.running import RunningService

GAMES = ("calimala", "firenze")
SEATS = 4
RUNS = 3
STEPS = 100
MOVES = 40

CLOCK = Path(__file__).with_name("clock.js").read_text()
NEAR = 20  # versions under the thumb of the slider, at most. A click on it moves nothing
BOARD = ".replay-board [data-place]"

KEYS = {"steps": "ArrowRight", "turns": "Shift+ArrowRight"}


# ---- Loading -------------------------------------------------------------------------------------


def visit(browser: Browser, address: str, selector: str) -> tuple[int, int, float]:
    """Load a page with an empty cache, and wait for a selector.

    Returns the requests until the page was quiet, bytes as sent, milliseconds until it was drawn.
    """
    context = browser.new_context()
    page = context.new_page()
    finished: list[Request] = []
    page.on("requestfinished", lambda request: finished.append(request))

    page.goto(address, wait_until="commit")
    page.evaluate(CLOCK)
    drawn = page.evaluate("(selector) => clock.drawn(selector)", selector)
    page.wait_for_load_state("networkidle")
    sizes = [request.sizes() for request in finished]
    context.close()
    size = sum(each["responseBodySize"] + each["responseHeadersSize"] for each in sizes)
    return len(sizes), size, drawn


def compare_loads(browser: Browser, url: str, match: str) -> Figures:
    """Print the loading times of the pages. Return their sizes against the goal."""
    pages = {
        "lobby": ("/", ".lobby-match"),
        "table": (f"/matches/{match}", BOARD),
        "audit": (f"/matches/{match}/audit", ".audit-seal.audit-proven"),
    }
    ratios: Figures = []
    for name, (path, selector) in pages.items():
        visits = [visit(browser, url + path, selector) for _ in range(RUNS)]
        requests, size, drawn = map(statistics.median, zip(*visits, strict=True))
        print(f"{name}: {requests} requests, {size} bytes, drawn after {drawn} ms")
        ratios.append(limit(f"{name}: bytes against 200 kB", size / 200_000, 1))
    return ratios


# ---- Going through a match -----------------------------------------------------------------------


@contextmanager
def open_table(browser: Browser, address: str, **settings: Any) -> Iterator[Page]:
    """Open the table of a match in a new window, wait until it is drawn, and start the clock.

    settings: of the window, as Playwright's `new_context` takes them.
    """
    context = browser.new_context(viewport={"width": 1440, "height": 1000}, **settings)
    page = context.new_page()
    page.goto(address)
    page.locator(BOARD).first.wait_for()
    page.locator(".story [data-version]").last.wait_for(state="attached")
    page.evaluate(CLOCK)
    yield page
    context.close()


def steps(page: Page, act: Callable[[], None]) -> list[float]:
    """Step until no other version is shown, at most STEPS times. Return the time of each."""
    chance = random.Random(3)
    times: list[float] = []
    while len(times) < STEPS:
        page.wait_for_timeout(60 * (1 + chance.random()))
        act()
        milliseconds = page.evaluate("clock.step()")
        if milliseconds is None:
            break
        times.append(milliseconds)
    return times


def go_through(browser: Browser, address: str, last: int) -> dict[str, list[float]]:
    """Go through a match in all ways. Return the milliseconds of each, and of two empty frames.

    The jumps come first, while only the present is loaded.
    """
    chance = random.Random(2)
    before = last
    with open_table(browser, address) as page:

        def jump() -> None:
            """Click on the slider at a place drawn by chance, but not too near."""
            nonlocal before
            far = [each for each in range(1, last + 1) if abs(each - before) > NEAR]
            before = chance.choice(far)
            page.mouse.click(*page.evaluate("(version) => clock.pointOf(version)", before))

        page.wait_for_load_state("networkidle")
        times = {"two empty frames": [page.evaluate("clock.empty()") for _ in range(STEPS)]}
        times["jumps"] = steps(page, jump)
        for name, key in KEYS.items():
            page.keyboard.press("Home")
            page.locator(".replay-time", has_text="Move 1,").wait_for()
            times[name] = steps(page, partial(page.keyboard.press, key))
    return times


# ---- Watching ------------------------------------------------------------------------------------


def watched_moves(browser: Browser, service: RunningService, game: str) -> dict[str, list[float]]:
    """Make moves in a new match of three people while a page looks on.

    Its reader prefers reduced motion: else moves that follow each other wait for their pace on the
    screen. Returns the milliseconds from each answer to the screen, below 0 if that was first.
    """
    times: list[float] = []
    client = Client(port_of(service))
    match = open_match(client, game, seed="watched")
    address = f"{service.url}/matches/{match['match']}"
    with open_table(browser, address, reduced_motion="reduce") as page:
        page.locator(".table-live").wait_for()
        page.evaluate("void clock.look()")
        for number in range(MOVES):
            choice = legal_move(client, match, number)
            assert choice is not None
            version = post_move(client, match, *choice)
            answered = 1000 * time.time()
            seen_at = page.evaluate("(version) => clock.seen(version)", version)
            times.append(seen_at - answered)
            time.sleep(0.15)
    client.connection.close()
    return {"to the screen": times}


# ---- Signing -------------------------------------------------------------------------------------

SIGNED = 200
# Signs moves by the page's own modules, with a key in its store. In place of the service it has a
# match that is verified up to each version, and an API that asks for the signature.
SIGN = """async (number) => {
  const entry = document.querySelector('script[type=module]').src;
  const [tree] = /^.*\\/static\\/[^/]+\\//.exec(entry);
  const { Problem } = await import(`${tree}base/api.js`);
  const { advance, makeKey } = await import(`${tree}keys/store.js`);
  const { sendSigned } = await import(`${tree}keys/signing.js`);
  const { digest } = await import(`${tree}verify/digests.js`);
  const { textToSign } = await import(`${tree}verify/signatures.js`);

  const { key } = await makeKey('');
  const match = 'm'.repeat(26);
  const hash = 'ab'.repeat(32);
  const view = {};
  const sealed = await digest(view);
  const command = { type: 'end_turn', seat: 0 };
  const sending = { method: 'POST', path: '/moves', body: command };
  const taken = [];
  for (let version = 1; version <= number; version += 1) {
    await advance(key, match, { version, hash, view: sealed, isFinal: false, signed: null });
    const text = textToSign(key, { match, prev: hash, version: version + 1 }, command);
    const api = {
      async post(_path, _body, { signature }) {
        if (!signature) throw new Problem(422, { to_sign: text });
      },
    };
    const started = performance.now();
    await sendSigned(api, { key, match, seat: 0, version, hash, view }, command, sending);
    taken.push(performance.now() - started);
  }
  return taken;
}"""


def signing(browser: Browser, url: str) -> Figures:
    """Print the time of a page to sign a move. Return it against the goal."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(url)
    times = page.evaluate(SIGN, SIGNED)
    context.close()
    show_spread("a move signed", times, "ms")
    return [limit("a move signed, p95 (ms)", p95(times), 5)]


def repeated(measure: Callable[[], dict[str, list[float]]]) -> dict[str, list[float]]:
    """Measure several times. Print the spread of all values, and return them."""
    runs = [measure() for _ in range(RUNS)]
    times = {name: [each for run in runs for each in run[name]] for name in runs[0]}
    for name, values in times.items():
        show_spread(name, values, "ms")
    return times


def measure_game(browser: Browser, service: RunningService, game: str) -> Figures:
    """Print the waiting times of a match's reader. Return them against the goals."""
    match = played_match(service, game, SEATS, seed="replay 1")
    print(f"\n{game}, {match['version']} versions (load {os.getloadavg()[0]:.1f})")

    ratios: Figures = []
    if game == GAMES[0]:
        ratios += compare_loads(browser, service.url, match["match"])

    address = f"{service.url}/matches/{match['match']}"
    replayed = repeated(lambda: go_through(browser, address, match["version"]))
    live = repeated(lambda: watched_moves(browser, service, game))
    for name in ("jumps", *KEYS):
        ratios.append(limit(f"{game}: {name}, p95 (ms)", p95(replayed[name]), 50))

    name = f"{game}: a move to a watcher's screen, p95 (ms)"
    return [*ratios, limit(name, p95(live["to the screen"]), 200)]


def main() -> Figures:
    """Measure the pages of all games. Return the ratios."""
    if installed(CHROMIUM) is None:
        print("There is no Chromium.")
        return []

    with whole_service() as service, running_chromium() as browser:
        ratios = [ratio for game in GAMES for ratio in measure_game(browser, service, game)]
        return ratios + signing(browser, service.url)
