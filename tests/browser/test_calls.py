"""A call when it is one's turn, off until asked for. Presence, among players alone."""

from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.asking import ADA, BOB, BOT, get, open_match, seat_address
from tests.browser.table import Table
from tests.browser.test_advice import check_for_everybody
from tests.browser.test_play import MEANWHILE
from tests.browser.test_streams import A_MINUTE, SHOW, Streams, move, moved_on, token_of
from tests.browser.watched import window
from tests.running import RunningService, until

TABS = 3
TURN = "It is your turn"
BOBS = ".table-seat.seat-1"

# Stands in for the notifications and the sound of the browser, and counts them.
COUNTING = """
window.asked = 0;
window.notes = [];
window.tones = 0;
window.Notification = class {
  static permission = "default";
  static async requestPermission() {
    window.asked += 1;
    return "granted";
  }
  constructor(title) {
    window.notes.push(title);
  }
};
const { start } = AudioScheduledSourceNode.prototype;
AudioScheduledSourceNode.prototype.start = function (when) {
  window.tones += 1;
  start.call(this, when);
};
"""


class Tabs:
    """Some tabs of one browser, all at the same table."""

    def __init__(self, context: BrowserContext, address: str) -> None:
        context.add_init_script(COUNTING)
        context.clock.install()
        self.streams = Streams(context)
        self.context = context
        self.pages = [context.pages[0]]
        Table(self.pages[0]).open(address)
        for _ in range(TABS - 1):
            page = context.new_page()
            Table(page).open(address.partition("#")[0])
            self.pages.append(page)

    def show(self, *, is_hidden: bool) -> None:
        """Show all tabs, or hide all and wait until nothing is followed."""
        for page in self.pages:
            page.evaluate(SHOW, arg=is_hidden)
        if is_hidden:
            until(self.rest_closed, "the end of the streams")

    def rest_closed(self) -> bool:
        """Let playwright handle its events. Return True if no stream is open."""
        self.pages[0].wait_for_timeout(1)
        return self.streams.are_closed()

    def glance(self) -> None:
        """Let a minute go by, until one of the tabs has looked how the matches stand."""
        number = len(self.streams.all)
        self.context.clock.fast_forward(A_MINUTE)
        until(lambda: self.rest_closed() and len(self.streams.all) > number, "a glance")

    def notes(self) -> list[str]:
        """Return the notifications that were shown in any tab."""
        return [note for page in self.pages for note in page.evaluate("window.notes")]

    def tones(self) -> int:
        """Return the number of tones that any tab has played."""
        return sum(page.evaluate("window.tones") for page in self.pages)


def choose_calls(page: Page) -> None:
    """Ask for both calls."""
    page.get_by_text("Pace and calls").click()
    assert page.evaluate("[window.asked, window.tones]") == [0, 0]
    page.get_by_label("Call me by a sound when it is my turn").check()
    page.get_by_label("Call me by a notification").check()
    until(lambda: page.evaluate("window.asked") == 1, "the question for permission")
    check_for_everybody(page)


def is_bobs(service: RunningService, page: Page, match: str) -> bool:
    """Move for Ada while it is her turn. Return True if it has become Bob's."""
    waiting = get(service, f"/v1/matches/{match}")["waiting_for"]
    if waiting["seats"] == [0]:
        move(service, match, token_of(page, match))
    return bool(waiting["seats"] == [1])


def test_a_player_with_hidden_tabs_is_called_once_for_a_turn(
    browser: Browser, service: RunningService
) -> None:
    """No permission is asked for before. Of several tabs one calls, and none while one is shown."""
    opened = open_match(service, "calimala", [ADA, BOB, BOT], seed="call")
    with window(browser, service.url) as (page, watch):
        watch.expected = [MEANWHILE]
        tabs = Tabs(page.context, seat_address(opened, 0))
        choose_calls(page)
        tried = tabs.tones()
        move(service, opened["match"], token_of(page, opened["match"]))
        for tab in tabs.pages:
            expect(tab).to_have_title("Bob's turn - Calimala")

        tabs.show(is_hidden=True)
        until(lambda: moved_on(service, opened), "Ada's turn")
        tabs.glance()
        until(tabs.notes, "the call")
        tabs.glance()
        assert tabs.notes() == [TURN]
        assert tabs.tones() > tried

        tabs.show(is_hidden=False)
        called = tabs.tones()
        until(lambda: is_bobs(service, page, opened["match"]), "Bob's turn")
        for tab in tabs.pages:
            expect(tab).to_have_title("Bob's turn - Calimala")
        until(lambda: moved_on(service, opened), "Ada's turn")
        for tab in tabs.pages:
            expect(tab).to_have_title("Your turn - Calimala")
        assert (tabs.notes(), tabs.tones()) == ([TURN], called)


def test_only_players_see_the_presence_of_others(browser: Browser, service: RunningService) -> None:
    """Bob is here once his page is open. A spectator learns nothing of it."""
    opened = open_match(service, "calimala", [ADA, BOB, BOT], seed="here")
    with (
        window(browser, service.url) as (ada, _ada_watch),
        window(browser, service.url) as (bob, _bob_watch),
        window(browser, service.url) as (watcher, _watch),
    ):
        Table(watcher).open(f"/matches/{opened['match']}")
        Table(bob).open(seat_address(opened, 1))
        expect(bob.locator(".table-seat.seat-0")).to_contain_text("not here")
        Table(ada).open(seat_address(opened, 0))
        expect(ada.locator(BOBS)).to_contain_text("here")
        expect(ada.locator(BOBS)).not_to_contain_text("not here")
        check_for_everybody(ada)
        expect(watcher.locator(".table-seats")).not_to_contain_text("here")
