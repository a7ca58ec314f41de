"""The measurement of the pages, on a small match: it loads, steps and watches in a Chromium."""

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser

from benchmarks.browsing import live, loads, steps
from benchmarks.browsing.times import Times
from benchmarks.page import SETTINGS
from tests.browser.asking import played_match
from tests.browser.chromium import running_chromium
from tests.running import RunningService, running_service

STEPS = 4
MOVES = 2


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A running Chromium."""
    with running_chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """The whole service on a directory of its own."""
    with running_service(tmp_path_factory.mktemp("data"), **SETTINGS) as started:
        yield started


def test_the_second_visit_comes_out_of_the_browsers_memory(
    browser: Browser, service: RunningService
) -> None:
    """The first one fetches the modules and styles; both show the page."""
    first, again = loads.visits(browser, f"{service.url}/", "#page h1, #page h2", 1)

    assert first.requests > again.requests > 0
    assert first.size > again.size > 0
    assert first.data <= first.size
    assert min(first.drawn, again.drawn) > 0


def test_steps_are_measured_in_every_way(browser: Browser, service: RunningService) -> None:
    """Each step that led to another version has a time, of two frames at least."""
    match = played_match(service, "firenze", 2, seed="steps")
    address = f"{service.url}/matches/{match['id']}"

    journey = steps.go_through(browser, address, match["version"], STEPS)

    assert list(journey.shown) == list(steps.WAYS)
    assert len(journey.shown["steps"].all) == STEPS
    assert min(journey.shown["steps"].all) > 0
    assert min(journey.work["steps"].all) > 0


def test_a_move_is_seen_on_the_screen_of_a_watcher(
    browser: Browser, service: RunningService
) -> None:
    """Each move has a time until its answer, and a time until it was seen after the request."""
    port = urlsplit(service.url).port
    assert port is not None

    moves = live.watched_moves(browser, port, "firenze", MOVES)

    assert len(moves.shown.all) == MOVES
    until_seen = [
        post + shown for post, shown in zip(moves.posts.all, moves.shown.all, strict=True)
    ]
    assert min(until_seen) > 0


@pytest.mark.parametrize(
    ("times", "p50", "p95"),
    [([3.0], 3, 3), ([1.0, 2.0, 9.0], 2, 9), (list(map(float, range(1, 101))), 50.5, 96)],
    ids=["one", "few", "many"],
)
def test_times_are_told_by_median_and_95th_percentile(
    times: list[float], p50: float, p95: float
) -> None:
    """Of few times the 95th percentile is the longest."""
    assert (Times(times).p50, Times(times).p95) == (p50, p95)
