"""The page signs nothing that a lying server could use (M18)."""

import random
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.asking import ADA, BOB, open_match, seat_address
from tests.browser.pages import OPEN
from tests.browser.table import Table, play_on
from tests.browser.test_keys import make_key, open_proven
from tests.browser.watched import window
from tests.e2e.playing import Json
from tests.lying import Lie, LyingProxy, broken_link, lying_proxy, other_commit, other_hash
from tests.running import RunningService

REFUSED = ["status of 412", "status of 422", "status of 409"]
BAD = ".box-bad"


@contextmanager
def keyed_table(
    browser: Browser, service: RunningService, proxy: LyingProxy
) -> Iterator[tuple[Page, Table, Json]]:
    """A page before the proxy, with a table at which seat 0 signs."""
    with window(browser, proxy.url) as (page, watch):
        watch.expected = REFUSED
        page.goto("/")
        key = make_key(page)
        terms = {"take_back": "own", "seed": "lies"}
        opened = open_proven(page, service, "firenze", [ADA, BOB], key, **terms)
        table = Table(page)
        table.open(seat_address(opened, 0))
        yield page, table, opened


@pytest.fixture
def proxy(service: RunningService) -> Iterator[LyingProxy]:
    """A proxy that does not lie yet."""
    with lying_proxy(service.url) as running:
        yield running


def press_send(table: Table, seed: int) -> None:
    """Choose some move and send it."""
    chance = random.Random(seed)
    while play_on(table, chance) != "send":
        pass


def test_the_same_state_again_gets_no_second_signature(
    browser: Browser, service: RunningService, proxy: LyingProxy
) -> None:
    """Another move gets none, nor does a move after a reload. The player is told."""
    with keyed_table(browser, service, proxy) as (page, table, _opened):
        proxy.forget()
        proxy.refusal = 412
        press_send(table, 1)
        expect(page.locator(BAD).first).to_contain_text("shows the same history again")
        page.reload()
        page.locator(".replay-board [data-place]").first.wait_for()
        press_send(table, 5)
        expect(page.locator(BAD).first).to_contain_text("shows the same history again")
        assert len(proxy.signatures) >= 2
        assert len(set(proxy.signatures)) == len(set(proxy.bodies)) == 1


@pytest.mark.parametrize("lie", [other_hash, broken_link, other_commit])
def test_a_join_is_proven_in_a_checked_history(
    browser: Browser, service: RunningService, proxy: LyingProxy, lie: Lie
) -> None:
    """A false history gets no proof, and the player is told."""
    with window(browser, proxy.url) as (page, watch):
        watch.expected = REFUSED
        page.goto("/")
        make_key(page)
        opened = open_match(service, "calimala", [ADA, OPEN, OPEN], seed="a false join")
        proxy.forget()
        proxy.lie = lie
        page.goto(f"/matches/{opened['match']}")
        page.get_by_label("Your name").fill("Bob")
        page.get_by_role("button", name="Take the seat").click()
        expect(page.locator(BAD).first).to_contain_text("your browser has signed nothing")
        assert proxy.signatures == []
