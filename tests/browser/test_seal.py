"""The audit page: the reader's own browser proves a match, or names the commit that is wrong."""

import random
from typing import Any

import pytest
from playwright.sync_api import Browser, Error, Page, Route, expect

from tests.browser.asking import open_match, played_match, record_of
from tests.browser.watched import window
from tests.e2e.playing import client
from tests.running import RunningService

CHANGED_BYTES = 200
SHOWN = 3  # of the changes that are shown by the whole page

# Checks changed copies of a record in the page, and returns the title beside each seal.
# changes: where each copy differs, and by which byte.
TITLES = """async ([record, changes, tree]) => {
  const { verifyRecord } = await import(`${tree}verify/record.js`);
  const { standingOf, verdictOf } = await import(`${tree}audit/parts.js`);
  const bytes = new TextEncoder().encode(record);
  const titles = [];
  for (const [offset, byte] of changes) {
    const copy = bytes.slice();
    copy[offset] = byte;
    const report = await verifyRecord(copy);
    titles.push(`${standingOf(report)}: ${verdictOf(report).title}`);
  }
  return titles;
}"""
TREE = "document.querySelector('script[type=module]').src.replace(/audit\\/audit\\.js$/, '')"


@pytest.fixture(scope="module")
def match(service: RunningService) -> dict[str, Any]:
    """A match of Firenze that bots have played to its end."""
    return played_match(service, "firenze", 2, seed="seal")


@pytest.fixture(scope="module")
def record(service: RunningService, match: dict[str, Any]) -> bytes:
    """Its record."""
    return record_of(service, match["id"]).encode()


@pytest.fixture(scope="module")
def changes(record: bytes) -> list[tuple[int, int]]:
    """Places in the record, drawn from all of it, and another byte for each."""
    chance = random.Random("seal")
    offsets = chance.sample(range(len(record)), CHANGED_BYTES)
    return [(offset, other_letter(chance, record[offset])) for offset in offsets]


def other_letter(chance: random.Random, byte: int) -> int:
    """Return another byte that is a letter or a digit of ASCII."""
    letters = b"abcdefghijklmnopqrstuvwxyz0123456789"
    return chance.choice(letters.replace(bytes([byte]), b""))


def commit_at(record: bytes, offset: int) -> int:
    """Return the number of the line, and so of the commit, that a byte belongs to."""
    return record.count(b"\n", 0, offset) + 1


def test_the_browser_proves_a_match(
    browser: Browser, service: RunningService, match: dict[str, Any]
) -> None:
    """The seal is green, and what the server alone can say is said apart."""
    with window(browser, service.url) as (page, _watch):
        page.goto(f"/matches/{match['id']}/audit")
        page.locator(".audit-seal.audit-proven").wait_for()
        page.locator(".audit-server .audit-said-good").wait_for()


def test_commits_that_only_move_the_next_draw_are_told(
    browser: Browser, service: RunningService
) -> None:
    """A seat has replaced its token three times: the page counts that among what no check tells."""
    opened = open_match(service, "calimala", [{"kind": "human"}] * 3)
    token = opened["tokens"]["seat:2"]
    for _ in range(3):
        with client(service, token) as asker:
            answer = asker.post(f"/v1/matches/{opened['id']}/tokens", json={})
        token = answer.raise_for_status().json()["token"]

    with window(browser, service.url) as (page, _watch):
        page.goto(f"/matches/{opened['id']}/audit")
        page.get_by_role("heading", name="What no check can tell").wait_for()
        told = page.locator(".audit-findings").inner_text()

    assert "3 of 4 commits of match" in told


@pytest.mark.parametrize("path", ["/", "/matches/{id}", "/matches/{id}/audit", "/docs"])
def test_the_workers_policy_is_taken_on_every_page(
    browser: Browser, service: RunningService, match: dict[str, Any], path: str
) -> None:
    """Another script cannot make one of that name, which would let any address be run."""
    with window(browser, service.url) as (page, watch):
        watch.expected.append("TrustedTypePolicy")
        page.goto(path.format(id=match["id"]))
        with pytest.raises(Error, match="giornale"):
            page.evaluate("() => { trustedTypes.createPolicy('giornale', {}); }")


def test_every_changed_byte_names_its_commit(
    browser: Browser,
    service: RunningService,
    match: dict[str, Any],
    record: bytes,
    changes: list[tuple[int, int]],
) -> None:
    """With one byte changed, wherever, the verdict is red and names the byte's commit."""
    with window(browser, service.url) as (page, _watch):
        page.goto(f"/matches/{match['id']}/audit")
        tree = page.evaluate(TREE)
        titles = page.evaluate(TITLES, [record.decode(), changes, tree])

    expected = [
        f"broken: Broken at commit {commit_at(record, offset)}" for offset, _byte in changes
    ]
    assert titles == expected


def test_a_changed_record_breaks_the_seal(
    browser: Browser,
    service: RunningService,
    match: dict[str, Any],
    record: bytes,
    changes: list[tuple[int, int]],
) -> None:
    """The whole page shows a broken seal, the commit, and the way to that moment."""
    with window(browser, service.url) as (page, _watch):
        for offset, byte in changes[:SHOWN]:
            changed = record[:offset] + bytes([byte]) + record[offset + 1 :]
            serve_record(page, changed)
            page.goto(f"/matches/{match['id']}/audit")
            page.locator(".audit-seal.audit-broken").wait_for()

            commit = commit_at(record, offset)
            expect(page.locator(".audit-title").first).to_have_text(f"Broken at commit {commit}")
            link = page.get_by_role("link", name="Look at that moment")
            address = link.get_attribute("href")
            assert address is not None
            assert address.endswith(f"/matches/{match['id']}/{commit}")


def serve_record(page: Page, record: bytes) -> None:
    """Answer the page's request for the record with these bytes."""

    def answer(route: Route) -> None:
        route.fulfill(body=record, content_type="application/x-ndjson")

    page.unroute("**/record")
    page.route("**/record", answer)
