"""The verifiers agree: a browser finds what this program finds in forged records and receipts."""

import base64
from collections.abc import Sequence

import pytest
from playwright.sync_api import Browser

from service.ledger.commit import Json
from tests import toy
from tests.browser.watched import window
from tests.running import RunningService
from tests.service.toy_matches import new_context, whole
from tests.service.verify.forged_receipts import given, said_by_page, said_by_program
from tests.service.verify.forgeries import fault_without_play, forged_records
from tests.service.verify.node import fault_of

# Checks records, each with what is known beside it, by the page's own modules.
REPORTS = """async (cases) => {
  const entry = document.querySelector('script[type=module]').src;
  const { verifyRecord } = await import(new URL('../verify/record.js', entry));
  const reports = [];
  for (const [record, beside] of cases) {
    const bytes = Uint8Array.from(atob(record), (letter) => letter.charCodeAt(0));
    reports.push(await verifyRecord(bytes, beside));
  }
  return reports;
}"""


def test_forged_records_are_judged_alike(
    browser: Browser, service: RunningService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same commit and the same code, or both find nothing wrong."""
    toy.install(monkeypatch)
    forged = list(forged_records(new_context()))

    found = reports(browser, service, [(one, {}) for one in forged])

    by_program = [fault_without_play(one, monkeypatch) for one in forged]
    assert [fault_of(report) for report in found] == by_program


def test_receipts_are_judged_alike(
    browser: Browser, service: RunningService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every receipt is right by both, or proves nothing for the same reason."""
    toy.install(monkeypatch)
    lines = whole(new_context(), 1)

    found = reports(browser, service, [(b"".join(lines), beside) for beside in given(lines)])

    if any("receipts: " in what for report in found for what in report["unchecked"]):
        pytest.skip("this browser does not know Ed25519 signatures")
    assert list(map(said_by_page, found)) == list(map(said_by_program, given(lines)))


def reports(
    browser: Browser, service: RunningService, cases: Sequence[tuple[bytes, Json]]
) -> list[Json]:
    """Return what a browser reports of records, each with what is known beside it."""
    packed = [[base64.b64encode(lines).decode(), beside] for lines, beside in cases]
    with window(browser, service.url) as (page, _watch):
        page.goto("/")
        found: list[Json] = page.evaluate(REPORTS, packed)
    return found
