"""What is watched goes on by itself after the server was away."""

import os
import random
import signal

from playwright.sync_api import Browser

from tests.browser.asking import BOT, get, open_match, seat_address
from tests.browser.table import Table, play_on
from tests.browser.test_spectator import settled
from tests.browser.watched import window
from tests.running import RunningService, processes, until

# What the browser itself says of a server that is away.
AWAY = "Failed to load resource"
CUT = "ERR_"


def test_a_page_goes_on_after_the_web_process_was_killed(
    browser: Browser, service: RunningService
) -> None:
    """The page says that the connection is lost, connects again, and shows what was missed."""
    chance = random.Random(2)
    seats = [{"kind": "human", "name": "Ada"}, BOT]
    opened = open_match(service, "firenze", seats, seed="reconnect")
    path = f"/v1/matches/{opened['id']}"

    with (
        window(browser, service.url) as (page, watch),
        window(browser, service.url) as (player_page, player_watch),
    ):
        watch.expected = player_watch.expected = [AWAY, CUT]
        spectator = Table(page)
        spectator.open(f"/matches/{opened['id']}")
        page.locator(".table-live").wait_for()

        web = service.children()["web"]
        orphans = {pid for pid, (parent, _) in processes().items() if parent == web}
        os.kill(web, signal.SIGKILL)
        until(lambda: service.children().get("web") not in (None, web), "another web process")
        page.locator(".table-live").wait_for()

        player = Table(player_page)
        player.open(seat_address(opened, 0))
        while play_on(player, chance) != "send":
            pass
        version = until(lambda: settled(service, path), "the bot to wait for the player")
        spectator.wait_for_version(version)
        assert get(service, path)["version"] == version

    # They serve on until the next ones are ready. Whoever connects as they end may be cut off, and
    # the service is shared with other tests.
    until(lambda: not orphans & processes().keys(), "the end of the web processes left behind")
