"""A spectator beside a player: both see the match live, and only the player sees the hand."""

import random
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Response

from tests.browser.asking import BOT, get, open_match, seat_address
from tests.browser.table import Table, play_on
from tests.browser.watched import window
from tests.running import RunningService, until

MOVES = 8  # what the player makes while the spectator looks on

# Fields of Calimala's views and events that one seat alone may see (C43).
SECRETS = {"own", "hand", "scoring_cards_dealt", "scoring_card_kept"}
SECRET_EVENTS = {
    "scoring_cards_dealt": "cards",
    "scoring_card_kept": "card",
    "compensated": "card",
}


class Listener:
    """The bodies of all answers of the API that a page got."""

    def __init__(self, page: Page) -> None:
        self.responses: list[Response] = []
        page.on("response", lambda response: self.responses.append(response))

    def values(self) -> Iterator[Any]:
        """Yield the JSON of every answer that has any."""
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


def test_the_search_finds_what_a_seat_sees() -> None:
    """The search for secrets finds a hand and a redacted event's field, and nothing else."""
    seen = {"state": {"own": {"hand": {}}}, "events": [{"type": "compensated", "card": "wood"}]}
    assert sorted(secrets_in(seen)) == ["compensated.card", "hand", "own"]
    assert list(secrets_in({"state": {"players": [{"hand_size": 2}]}})) == []


@pytest.fixture
def opened(service: RunningService) -> dict[str, Any]:
    """A match of Calimala with a person at seat 0 and bots beside them."""
    seats = [{"kind": "human", "name": "Ada"}, BOT, BOT]
    return open_match(service, "calimala", seats, seed="spectator")


def test_a_spectator_sees_the_match_live_and_no_hand(
    browser: Browser, service: RunningService, opened: dict[str, Any]
) -> None:
    """What the player does shows up at the spectator's; the player's secrets never do.

    Neither the spectator's document nor any answer that its page got holds them.
    """
    chance = random.Random(1)
    with (
        window(browser, service.url) as (own_page, _),
        window(browser, service.url) as (page, _watch),
    ):
        answers = Listener(page)
        spectator = Table(page)
        spectator.open(f"/matches/{opened['id']}")
        player = Table(own_page)
        player.open(seat_address(opened, 0))
        own_page.get_by_text("What you hold").wait_for()

        sent = 0
        while sent < MOVES:
            sent += play_on(player, chance) == "send"
        player.asked()

        path = f"/v1/matches/{opened['id']}"
        version = until(lambda: settled(service, path), "the bots to wait for the player")
        player.wait_for_version(version)
        spectator.wait_for_version(version)

        assert page.get_by_text("What you hold").count() == 0
        assert page.locator(".play-panel").count() == 0
        found = [secret for value in answers.values() for secret in secrets_in(value)]
        assert found == []
        assert opened["tokens"]["seat:0"] not in page.content()


def settled(service: RunningService, path: str) -> int | None:
    """Return the version of a match that waits for its human alone, None before."""
    document = get(service, path)
    waiting = document["waiting_for"]
    is_settled = waiting["seats"] == [0] and not waiting["bots"] and not waiting["house"]
    version: int = document["version"]
    return version if is_settled else None
