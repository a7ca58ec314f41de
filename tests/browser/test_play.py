"""Whole matches, played by mouse, keys and touch: from the lobby to the seal.

A spectator watches one live.
"""

import os
import random
import signal
from collections.abc import Iterator
from functools import partial
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page, Response

from tests.browser.asking import ADA, BOT, get, open_match, seat_address
from tests.browser.pages import playing
from tests.browser.table import KEYBOARD, MOUSE, TOUCH, Table, Way, match_at, play_on
from tests.browser.watched import window
from tests.e2e.playing import Json
from tests.running import PATIENCE, RunningService, until
from tests.whole import whole_but

MOST_PRESSES = 3000
FEW_MOVES = 5
TITLES = ("Calimala", "Firenze")

# How many requests the first load of a table may take: the page, its modules, its data and its
# stream. The icon of the tab is not counted, since a browser fetches it at any time.
MOST_REQUESTS = 30
MOST_BYTES = 180_000
TAB_ICON = "/icons/icon"

# A bot may move while the browser asks for a preview. The move is then chosen again.
MEANWHILE = "status of 412"

# Messages of the browser itself about an absent server.
AWAY = ["Failed to load resource", "ERR_"]

STREAM = "**/v1/matches/*/stream*"  # of a spectator
MOVES = 4  # the player's moves while the spectator looks on

# Fields of Calimala's views and events that one seat alone may see (C43).
SECRETS = {"own", "hand", "scoring_cards_dealt", "scoring_card_kept"}
SECRET_EVENTS = {
    "scoring_cards_dealt": "cards",
    "scoring_card_kept": "card",
    "compensated": "card",
}


@pytest.fixture(
    params=[
        pytest.param(MOUSE, id="mouse"),
        pytest.param(KEYBOARD, id="keyboard"),
        pytest.param(TOUCH, id="touch"),
    ]
)
def way(request: pytest.FixtureRequest) -> Way:
    """How a person uses the pages."""
    chosen: Way = request.param
    return chosen


def open_from_lobby(page: Page, title: str, way: Way) -> str:
    """Begin a match against bots with one press in the lobby. Return its id."""
    page.goto("/")
    way.press(page.get_by_role("button", name=f"Play {title}"), PATIENCE * 1000)
    page.wait_for_url("**/matches/*")
    page.locator(".replay-board [data-place]").first.wait_for()
    address, _, _ = page.url.partition("#")
    return address.rpartition("/")[2]


@pytest.mark.parametrize("title", whole_but(["Firenze"], TITLES))
def test_a_person_begins_a_match_against_bots(
    browser: Browser, service: RunningService, title: str
) -> None:
    """From the lobby into a match: moves are chosen, looked at and made by clicks.

    No script fails and no other server is asked on the way.
    """
    with window(browser, service.url) as (page, watch):
        watch.expected = [MEANWHILE]
        match = open_from_lobby(page, title, MOUSE)
        table = Table(page)
        chance = random.Random(title)

        def played() -> bool:
            play_on(table, chance)
            return len(own_commits(service, match)) >= FEW_MOVES

        until(played, "some moves", 4 * PATIENCE)


@pytest.mark.parametrize("title", TITLES)
def test_a_first_load_of_the_table_asks_little(
    browser: Browser, service: RunningService, title: str
) -> None:
    """A browser that has never been here sees its choices after few requests."""
    opened = playing(service, title.lower(), 3)
    # A bot that moves meanwhile would have the page repeat its requests.
    until(partial(settled, service, opened["match"]), "the match to wait for its human alone")
    with window(browser, service.url) as (page, watch):
        received = 0

        def count(event: Json) -> None:
            nonlocal received
            received += event["encodedDataLength"]

        network = page.context.new_cdp_session(page)
        network.on("Network.loadingFinished", count)
        network.send("Network.enable")
        page.goto(seat_address(opened, 0))
        page.locator(".play-choice").first.wait_for()
        page.locator(".table-live").wait_for()
        urls = [url for url in watch.requests if TAB_ICON not in url]
        assert len(urls) <= MOST_REQUESTS, urls
        assert 0 < received <= MOST_BYTES


@pytest.mark.whole
@pytest.mark.parametrize("title", TITLES)
def test_a_person_plays_a_whole_match_against_bots(
    browser: Browser, service: RunningService, title: str, way: Way
) -> None:
    """Each way of use leads to the end of the match, and then to the seal that proves it."""
    with window(browser, service.url, **way.settings) as (page, watch):
        watch.expected = [MEANWHILE]
        match = open_from_lobby(page, title, way)
        play_to_the_end(Table(page, way), title)

        assert get(service, f"/v1/matches/{match}")["status"] == "ended"
        assert len(own_commits(service, match)) > 10
        way.press(page.get_by_role("link", name="Check the match"), PATIENCE * 1000)
        page.locator(".audit-seal.audit-proven").wait_for()


def play_to_the_end(table: Table, seed: str) -> None:
    """Do the steps that the table asks for until the match is over, at most MOST_PRESSES."""
    chance = random.Random(seed)
    for _ in range(MOST_PRESSES):
        if play_on(table, chance) == "over":
            return


def own_commits(service: RunningService, match: str) -> list[Json]:
    """Return the commits that the person at seat 0 made."""
    path = f"/v1/matches/{match}/commits"
    commits: list[Json] = get(service, path, actor="seat:0", limit=1000)["commits"]
    return commits


# ---- a spectator beside a player -----------------------------------------------------------------


class Listener:
    """The bodies of all answers of the API that a page got."""

    def __init__(self, page: Page) -> None:
        self.responses: list[Response] = []
        page.on("response", lambda response: self.responses.append(response))

    def secrets(self) -> set[str]:
        """Return the names of all secret fields in them."""
        return {secret for value in self._values() for secret in secrets_in(value)}

    def _values(self) -> Iterator[Any]:
        for response in self.responses:
            kind = response.headers.get("content-type", "")
            if response.ok and kind.startswith("application/json"):
                yield response.json()


def secrets_in(value: Any) -> Iterator[str]:
    """Yield the names of secret fields in a JSON value."""
    if isinstance(value, list):
        for item in value:
            yield from secrets_in(item)
    if not isinstance(value, dict):
        return

    secret_field = SECRET_EVENTS.get(value.get("type", ""))
    if secret_field in value:
        yield f"{value['type']}.{secret_field}"
    for name, member in value.items():
        if name in SECRETS:
            yield name
        yield from secrets_in(member)


def settled(service: RunningService, match: str) -> int | None:
    """Return the version of a match that waits for its human alone, None before."""
    document = get(service, f"/v1/matches/{match}")
    waiting = document["waiting_for"]
    is_settled = waiting["seats"] == [0] and not waiting["bots"] and not waiting["house"]
    version: int = document["version"]
    return version if is_settled else None


@pytest.mark.whole
def test_a_spectator_sees_the_match_live_and_no_hand(
    browser: Browser, service: RunningService
) -> None:
    """The spectator's page shows each of the player's moves, and no hand or token.

    No answer that this page got has a secret field.
    """
    opened = open_match(service, "calimala", [ADA, BOT, BOT], seed="spectator")
    chance = random.Random(1)
    with (
        window(browser, service.url) as (own_page, _),
        window(browser, service.url) as (page, _watch),
    ):
        own_answers, answers = Listener(own_page), Listener(page)
        spectator = Table(page)
        spectator.open(f"/matches/{opened['match']}")
        player = Table(own_page)
        player.open(seat_address(opened, 0))
        own_page.get_by_text("What you hold").wait_for()

        moves_sent = 0
        while moves_sent < MOVES:
            moves_sent += play_on(player, chance) == "send"
        player.asked()
        version = until(lambda: settled(service, opened["match"]), "the bots to wait")
        player.wait_for_version(version)
        spectator.wait_for_version(version)

        assert page.get_by_text("What you hold").count() == 0
        assert page.locator(".play-panel").count() == 0
        assert opened["tokens"]["seat:0"] not in page.content()
        assert {"own", "hand"} <= own_answers.secrets()
        assert answers.secrets() == set()


@pytest.mark.whole
def test_a_page_goes_on_after_the_web_process_was_killed(
    browser: Browser, service: RunningService
) -> None:
    """The page connects to the next web process. It shows a move that it missed, and a later one.

    The page cannot connect before the first of these moves.
    """
    chance = random.Random(2)
    opened = open_match(service, "firenze", [ADA, BOT], seed="reconnect")
    with (
        window(browser, service.url) as (page, watch),
        window(browser, service.url) as (player_page, player_watch),
    ):
        watch.expected = player_watch.expected = AWAY
        spectator = Table(page)
        spectator.open(f"/matches/{opened['match']}")
        page.locator(".table-live").wait_for()

        page.route(STREAM, lambda route: route.abort())
        web = service.children()["web"]
        os.kill(web, signal.SIGKILL)
        until(lambda: service.children().get("web") not in (None, web), "another web process")
        page.locator(".table-lost").wait_for()
        until(lambda: answers(service), "the web process to answer")

        player = Table(player_page)
        player.open(seat_address(opened, 0))
        missed = version_after_a_move(service, player, chance)
        assert spectator.last_version < missed
        page.unroute(STREAM)
        spectator.wait_for_version(missed)
        page.locator(".table-live").wait_for()

        spectator.wait_for_version(version_after_a_move(service, player, chance))


def answers(service: RunningService) -> bool:
    """Return True if the web process answers."""
    try:
        get(service, "/livez")
    except httpx.TransportError:
        return False
    return True


def version_after_a_move(service: RunningService, player: Table, chance: random.Random) -> int:
    """Make a move, let the bots answer it, and return the version of the match then."""
    match = match_at(player.page)
    before = player.version
    while play_on(player, chance) != "send":
        pass
    player.wait_beyond(before)
    version: int = until(lambda: settled(service, match), "the bots to wait")
    return version
