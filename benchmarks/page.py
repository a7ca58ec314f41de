"""The pages in a real Chromium: loading them, going through a match, watching one live.

`python -m benchmarks.page` runs `giornale serve` on a directory of its own and lets bots play a
match of each game with four seats, of 300 versions and more. The goals hold for a machine that does
nothing else: a page has at most 200 kB, a step is on the screen within 50 ms (p95), a move within
200 ms after its answer. Without a Chromium on the PATH nothing is measured.
"""

import tempfile
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Browser

from benchmarks.browsing import live, loads, steps
from benchmarks.browsing.times import Times, machine_load
from benchmarks.measure import Ratio
from tests.browser.asking import played_match
from tests.browser.chromium import chromium_path, running_chromium
from tests.running import RunningService, running_service

GAMES = ("calimala", "firenze")
SEATS = 4
SEED = "replay 1"
RUNS = 3
STEPS = 100
MOVES = 40

PAGE_SIZE = 200_000
STEP_GOAL = 50
LIVE_GOAL = 200

SETTINGS = {
    "GIORNALE_ALLOW_SEED": "true",
    "GIORNALE_OPENINGS": "0",
    "GIORNALE_RATE_LIMIT": "0",
    "GIORNALE_ADDRESS_LIMIT": "0",
}


def compare_loads(browser: Browser, service: RunningService, match: str) -> list[Ratio]:
    """Print how the pages load, first and again; return their sizes against the goal."""
    plain, _again = loads.visits(
        browser, service.url + loads.PLAIN_PAGE, loads.PLAIN_SELECTOR, RUNS
    )
    print(f"a page without scripts   {plain}")

    pages = {
        "lobby": ("/", ".lobby-match"),
        "table": (f"/matches/{match}", steps.BOARD),
        "audit": (f"/matches/{match}/audit", ".audit-seal.audit-proven"),
    }
    ratios = []
    for name, (path, selector) in pages.items():
        first, again = loads.visits(browser, service.url + path, selector, RUNS)
        print(f"{name}, first visit   {first}\n{name}, second visit  {again}")
        ratios += [
            Ratio(
                f"{name}: bytes against 200 kB", first.size / PAGE_SIZE, 1, smaller_is_better=True
            ),
            Ratio(
                f"{name}: first load against a page without scripts",
                first.drawn / plain.drawn,
                smaller_is_better=True,
            ),
        ]
    return ratios


def compare_steps(browser: Browser, address: str, last: int) -> dict[str, float]:
    """Print how long steps through a match take; return their medians against two empty frames.

    last: the match's last version.
    """
    runs = [steps.go_through(browser, address, last, STEPS) for _ in range(RUNS)]
    empty = Times.together(run.empty for run in runs)
    print(f"two empty frames   {empty}")

    ratios: dict[str, float] = {}
    for name in steps.WAYS:
        shown = Times.together(run.shown[name] for run in runs)
        pictures = Times.together(run.pictures[name] for run in runs)
        work = Times.together(run.work[name] for run in runs)
        print(f"{name:16}   {shown}   {verdict(shown.p95, STEP_GOAL)}")
        print(f"  the picture      {pictures}   main thread p50 {work.p50:.1f}")
        ratios[name] = shown.p50 / empty.p50
    return ratios


def compare_live(browser: Browser, port: int, game: str) -> float:
    """Print how long a move takes to a watcher's screen; return that against its POST."""
    runs = [live.watched_moves(browser, port, game, MOVES) for _ in range(RUNS)]
    posts = Times.together(run.posts for run in runs)
    shown = Times.together(run.shown for run in runs)
    print(f"POST of a move     {posts}")
    print(f"from there to see  {shown}   {verdict(shown.p95, LIVE_GOAL)}")
    return (posts.p50 + shown.p50) / posts.p50


def verdict(p95: float, goal: int) -> str:
    """Return whether the 95th percentile reaches a goal, in words."""
    return f"(goal p95 at most {goal} ms: {'reached' if p95 <= goal else 'missed'})"


def measure(browser: Browser, service: RunningService, game: str) -> list[Ratio]:
    """Measure one game; the ratios are told at the end."""
    match = played_match(service, game, SEATS, seed=SEED)
    address = f"{service.url}/matches/{match['id']}"
    print(f"\n{game}, {match['version']} versions ({machine_load()})")

    ratios = []
    if game == GAMES[0]:
        ratios += compare_loads(browser, service, match["id"])
    for name, ratio in compare_steps(browser, address, match["version"]).items():
        ratios.append(Ratio(f"{game}: {name} against two empty frames", ratio, 0, True))

    port = urlsplit(service.url).port
    assert port is not None
    watched = compare_live(browser, port, game)
    ratios.append(Ratio(f"{game}: a move to a watcher's screen against its POST", watched, 0, True))
    print(f"({machine_load()})")
    return ratios


def main() -> list[Ratio]:
    """Measure the pages of all games; return the ratios."""
    if chromium_path() is None:
        print("There is no Chromium.")
        return []

    ratios: list[Ratio] = []
    with (
        tempfile.TemporaryDirectory() as directory,
        running_service(Path(directory), **SETTINGS) as service,
        running_chromium() as browser,
    ):
        for game in GAMES:
            ratios += measure(browser, service, game)

    print(*ratios, sep="\n")
    return ratios


if __name__ == "__main__":
    main()
