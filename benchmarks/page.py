"""The pages in a real Chromium: loading them, going through a match, watching one live, signing.

`giornale serve` runs on a directory of its own, and bots play a match of each game with four seats,
of 300 versions and more. The goals hold for a machine that does nothing else: a page has at most
200 kB, a step is on the screen within 50 ms (p95), a move within 200 ms after its answer, and a
signature takes 5 ms at most (p95). Without a Chromium on the PATH nothing is measured. What a page
waits for is timed in it, by `clock.js`.
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
NEAR = 20  # versions that the thumb of the slider covers at most; a click on it moves nothing
BOARD = ".replay-board [data-place]"

KEYS = {"steps": "ArrowRight", "turns": "Shift+ArrowRight"}


# ---- Loading -------------------------------------------------------------------------------------


def visit(browser: Browser, address: str, selector: str) -> tuple[int, int, float]:
    """Load a page with an empty memory; selector: of what one waits for.

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
    """Print how the pages load; return their sizes against the goal."""
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
    """Step until no other version is shown, at most STEPS times; return the time of each."""
    chance = random.Random(3)
    taken: list[float] = []
    while len(taken) < STEPS:
        page.wait_for_timeout(60 * (1 + chance.random()))
        act()
        milliseconds = page.evaluate("clock.step()")
        if milliseconds is None:
            break
        taken.append(milliseconds)
    return taken


def go_through(browser: Browser, address: str, last: int) -> dict[str, list[float]]:
    """Go through a match in all ways; return the milliseconds of each, and of two empty frames.

    The jumps come first, when only the present was loaded.
    """
    chance = random.Random(2)
    before = last
    with open_table(browser, address) as page:

        def jump() -> None:
            """Click on the slider, wherever chance will have it, but not just beside."""
            nonlocal before
            far = [each for each in range(1, last + 1) if abs(each - before) > NEAR]
            before = chance.choice(far)
            page.mouse.click(*page.evaluate("(version) => clock.pointOf(version)", before))

        page.wait_for_load_state("networkidle")
        taken = {"two empty frames": [page.evaluate("clock.empty()") for _ in range(STEPS)]}
        taken["jumps"] = steps(page, jump)
        for name, key in KEYS.items():
            page.keyboard.press("Home")
            page.locator(".replay-time", has_text="Move 1,").wait_for()
            taken[name] = steps(page, partial(page.keyboard.press, key))
    return taken


# ---- Watching ------------------------------------------------------------------------------------


def watched_moves(browser: Browser, service: RunningService, game: str) -> dict[str, list[float]]:
    """Make moves in a new match of three people while a page looks on.

    Its reader wants less motion: else moves that follow each other wait for the pace at which they
    are shown. Returns the milliseconds from each answer to the screen; below 0 where the screen was
    first.
    """
    taken: list[float] = []
    client = Client(port_of(service))
    match = open_match(client, game, seed="watched")
    address = f"{service.url}/matches/{match['id']}"
    with open_table(browser, address, reduced_motion="reduce") as page:
        page.locator(".table-live").wait_for()
        page.evaluate("void clock.look()")
        for number in range(MOVES):
            found = legal_move(client, match, number)
            assert found is not None
            version = post_move(client, match, *found)
            answered = 1000 * time.time()
            seen_at = page.evaluate("(version) => clock.seen(version)", version)
            taken.append(seen_at - answered)
            time.sleep(0.15)
    client.connection.close()
    return {"to the screen": taken}


# ---- Signing -------------------------------------------------------------------------------------

SIGNED = 200
# Signs moves by the page's own modules, with a key in its store. A match that is verified up to
# each version and an API that asks for the signature stand in for the service.
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
    """Print how long a page takes to sign a move; return it against the goal."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(url)
    taken = page.evaluate(SIGN, SIGNED)
    context.close()
    show_spread("a move signed", taken, "ms")
    return [limit("a move signed, p95 (ms)", p95(taken), 5)]


def repeated(measure: Callable[[], dict[str, list[float]]]) -> dict[str, list[float]]:
    """Measure several times; print how all values are spread, and return them."""
    runs = [measure() for _ in range(RUNS)]
    taken = {name: [each for run in runs for each in run[name]] for name in runs[0]}
    for name, values in taken.items():
        show_spread(name, values, "ms")
    return taken


def measure_game(browser: Browser, service: RunningService, game: str) -> Figures:
    """Print what a reader of a match waits for; return it against the goals."""
    match = played_match(service, game, SEATS, seed="replay 1")
    print(f"\n{game}, {match['version']} versions (load {os.getloadavg()[0]:.1f})")

    ratios: Figures = []
    if game == GAMES[0]:
        ratios += compare_loads(browser, service.url, match["id"])

    address = f"{service.url}/matches/{match['id']}"
    shown = repeated(lambda: go_through(browser, address, match["version"]))
    live = repeated(lambda: watched_moves(browser, service, game))
    for name in ("jumps", *KEYS):
        ratios.append(limit(f"{game}: {name}, p95 (ms)", p95(shown[name]), 50))

    name = f"{game}: a move to a watcher's screen, p95 (ms)"
    return [*ratios, limit(name, p95(live["to the screen"]), 200)]


def main() -> Figures:
    """Measure the pages of all games; return the ratios."""
    if installed(CHROMIUM) is None:
        print("There is no Chromium.")
        return []

    with whole_service() as service, running_chromium() as browser:
        ratios = [ratio for game in GAMES for ratio in measure_game(browser, service, game)]
        return ratios + signing(browser, service.url)
