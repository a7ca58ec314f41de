"""Many tabs of one browser: one stream for all, none while hidden, and titles with the turn."""

import random
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial

from playwright.sync_api import Browser, BrowserContext, Locator, Page, Request, expect

from tests.browser.asking import ADA, BOB, BOT, get, open_match, seat_address
from tests.browser.table import Table, play_on, remembered
from tests.browser.test_play import MEANWHILE, settled
from tests.browser.watched import window
from tests.e2e.playing import Json, client
from tests.running import RunningService, until

NINE = 9
A_MINUTE = 61_000  # milliseconds
TURN = re.compile("icon-turn")

# A tab's own idea of being shown or hidden. A browser without windows hides none.
SHOW = """(isHidden) => {
  Object.defineProperty(document, "hidden", { configurable: true, get: () => isHidden });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


class Streams:
    """The streams that the pages of a browser have open."""

    def __init__(self, context: BrowserContext) -> None:
        self.open: list[Request] = []
        self.all: list[Request] = []
        context.on("request", self._begun)
        context.on("requestfinished", self._ended)
        context.on("requestfailed", self._ended)

    def are_closed(self) -> bool:
        """Return True if no stream is open."""
        return not self.open

    def _begun(self, request: Request) -> None:
        if request.url.endswith("/stream"):
            self.open.append(request)
            self.all.append(request)

    def _ended(self, request: Request) -> None:
        if request in self.open:
            self.open.remove(request)


def opened_by_two(service: RunningService, seed: str) -> Json:
    """A match of Calimala with Ada to move first, Bob next."""
    return open_match(service, "calimala", [ADA, BOB, BOT], seed=seed)


def move(service: RunningService, match: str, token: str) -> int:
    """Make the first legal move of a seat. Return the version that follows."""
    with client(service, token) as asker:
        path = f"/v1/matches/{match}/moves"
        legal = asker.get(path).raise_for_status().json()["moves"]
        version: int = asker.post(path, json=legal[0]).raise_for_status().json()["version"]
        return version


def moved_on(service: RunningService, opened: Json) -> bool:
    """Move for Bob if it is his turn. Return True if it was Ada's."""
    waiting = get(service, f"/v1/matches/{opened['match']}")["waiting_for"]
    if waiting["seats"] == [1]:
        move(service, opened["match"], opened["tokens"]["seat:1"])
    return bool(waiting["seats"] == [0])


def icon(page: Page) -> Locator:
    """The icon of a tab."""
    return page.locator("link[rel=icon]")


def token_of(page: Page, match: str) -> str:
    """Return the token of seat 0, as the browser of a page has it."""
    token: str = remembered(page, match)["tokens"]["seat:0"]
    return token


def wait(page: Page, condition: Callable[[], object], what: str) -> None:
    """Wait until a condition on a page's requests holds. Events arrive during calls to the page."""
    until(lambda: page.evaluate("true") and condition(), what)


@contextmanager
def tables(
    browser: Browser, service: RunningService, matches: list[Json]
) -> Iterator[tuple[list[Table], Streams]]:
    """A browser with a tab for each of some matches, in each of them on seat 0."""
    with window(browser, service.url) as (first, watch):
        watch.expected = [MEANWHILE]
        streams = Streams(first.context)
        with ExitStack() as stack:
            others = [first.context.new_page() for _ in matches[1:]]
            all_tables = []
            for page, opened in zip([first, *others], matches, strict=True):
                stack.callback(page.close)
                page.bring_to_front()
                table = Table(page)
                table.open(seat_address(opened, 0))
                page.locator(".play-choice").first.wait_for()
                all_tables.append(table)
            yield all_tables, streams


def test_nine_tabs_show_the_events_of_their_matches(
    browser: Browser, service: RunningService
) -> None:
    """All load, a move is made in each, and each shows the next. The browser has one stream."""
    chance = random.Random(9)
    matches = [
        open_match(service, "calimala", [ADA, BOT, BOT], seed=f"tab {number}")
        for number in range(NINE)
    ]
    with tables(browser, service, matches) as (tabs, streams):
        for table in tabs:
            # A tab behind others draws nothing, so a click in it waits in vain for a picture.
            table.page.bring_to_front()
            while play_on(table, chance) != "send":
                pass

        for table, opened in zip(tabs, matches, strict=True):
            version = until(partial(settled, service, opened["match"]), "the bots to wait")
            table.wait_for_version(version)
            assert len(streams.open) == 1


def test_another_tab_goes_on_with_the_stream(browser: Browser, service: RunningService) -> None:
    """The other tab asks for what follows the last event heard, and shows the next move."""
    matches = [opened_by_two(service, "first"), opened_by_two(service, "second")]
    with tables(browser, service, matches) as ((first, second), streams):
        match = matches[1]["match"]
        wait(second.page, lambda: len(streams.open) == 1, "the stream")
        first.page.close()
        wait(second.page, lambda: len(streams.all) > 1 and streams.open, "the next stream")
        assert "last-event-id" in streams.all[-1].headers

        version = move(service, match, token_of(second.page, match))
        second.wait_for_version(version)


def test_a_hidden_tab_holds_no_stream_and_catches_up(
    browser: Browser, service: RunningService
) -> None:
    """A player's tab and a watcher's hear nothing while hidden, and all of it afterwards."""
    opened = opened_by_two(service, "hidden")
    match = opened["match"]
    with (
        tables(browser, service, [opened]) as ((table,), streams),
        window(browser, service.url) as (page, _watch),
    ):
        watching = Streams(page.context)
        watcher = Table(page)
        watcher.open(f"/matches/{match}")
        page.locator(".table-live").wait_for()

        for one, of_one in ((table, streams), (watcher, watching)):
            one.page.evaluate(SHOW, arg=True)
            wait(one.page, of_one.are_closed, "the end of the stream")
        version = move(service, match, token_of(table.page, match))
        for one in (table, watcher):
            assert one.last_version < version
            one.page.evaluate(SHOW, arg=False)
            one.wait_for_version(version)


def test_a_hidden_tab_polls_once_a_minute_for_its_title(
    browser: Browser, service: RunningService
) -> None:
    """The tab asks for the difference to its state, and holds no stream afterwards."""
    opened = opened_by_two(service, "glance")
    match = opened["match"]
    with window(browser, service.url) as (page, _watch):
        page.clock.install()
        streams = Streams(page.context)
        table = Table(page)
        table.open(seat_address(opened, 0))
        page.locator(".table-live").wait_for()
        page.evaluate(SHOW, arg=True)
        wait(page, streams.are_closed, "the end of the stream")

        move(service, match, token_of(page, match))
        page.clock.fast_forward(A_MINUTE)
        expect(page).to_have_title("Bob's turn - Calimala")
        assert "last-event-id" in streams.all[-1].headers
        wait(page, streams.are_closed, "the end of the glance")


def test_titles_say_in_how_many_matches_it_is_my_turn(
    browser: Browser, service: RunningService
) -> None:
    """Lobby and tables say it at each change. The lobby reads an unchanged match twice at most."""
    matches = [opened_by_two(service, f"title {number}") for number in range(2)]
    with tables(browser, service, matches) as ((first, second), _streams):
        lobby = first.page.context.new_page()
        urls: list[str] = []
        lobby.on("request", lambda request: urls.append(request.url))
        lobby.goto("/")
        expect(lobby).to_have_title("Your turn in 2 matches - Giornale")
        for table in (first, second):
            expect(table.page).to_have_title("Your turn in 2 matches - Calimala")
            expect(icon(table.page)).to_have_attribute("href", TURN)

        move(service, matches[0]["match"], token_of(lobby, matches[0]["match"]))
        expect(lobby).to_have_title("Your turn - Giornale")
        mine = lobby.get_by_role("region", name="My matches").locator(".lobby-match")
        expect(mine.last).to_contain_text("Bob to move")
        expect(first.page).to_have_title("Bob's turn, yours in 1 other match - Calimala")
        expect(icon(first.page)).not_to_have_attribute("href", TURN)
        expect(second.page).to_have_title("Your turn - Calimala")

        # The lobby reads it at the beginning, and when the stream first tells of it.
        unchanged = f"{service.url}/v1/matches/{matches[1]['match']}"
        polls = len(urls)
        wait(lobby, lambda: len(urls) > polls, "a look at the public matches")
        assert urls.count(unchanged) <= 2


def test_pages_do_without_a_refused_stream(browser: Browser, service: RunningService) -> None:
    """The lobby asks for each match again and again, and a table follows its match alone."""
    opened = opened_by_two(service, "refused")
    match = opened["match"]
    with window(browser, service.url) as (page, watch):
        watch.expected = ["status of 404"]
        page.context.route("**/v1/me/stream", lambda route: route.fulfill(status=404, json={}))
        table = Table(page)
        table.open(seat_address(opened, 0))
        page.locator(".table-live").wait_for()
        table.wait_for_version(move(service, match, token_of(page, match)))

        page.goto("/")
        mine = page.get_by_role("region", name="My matches")
        expect(mine).to_contain_text("Bob to move")
        until(lambda: moved_on(service, opened), "the turn to leave Bob")
        expect(mine).not_to_contain_text("Bob to move")
