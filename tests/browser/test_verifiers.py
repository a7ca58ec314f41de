"""The verifiers agree: of forged records a browser finds what this program finds, or nothing."""

import base64

import pytest
from playwright.sync_api import Browser

from tests import toy
from tests.browser.watched import window
from tests.running import RunningService
from tests.service.toy_matches import new_desk
from tests.service.verify.forgeries import fault_without_play, forged_records

# Checks records, each in base64, with the page's own modules; returns what is wrong with each.
FAULTS = """async (records) => {
  const entry = document.querySelector('script[type=module]').src;
  const { verifyRecord } = await import(new URL('../verify/record.js', entry));
  const faults = [];
  for (const record of records) {
    const bytes = Uint8Array.from(atob(record), (letter) => letter.charCodeAt(0));
    const { wrong } = await verifyRecord(bytes);
    faults.push(wrong === null ? null : [wrong.commit, wrong.code]);
  }
  return faults;
}"""


def test_forged_records_are_judged_alike(
    browser: Browser, service: RunningService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same commit and the same code, or both find nothing wrong."""
    toy.install(monkeypatch)
    forged = list(forged_records(new_desk()))
    packed = [base64.b64encode(one).decode() for one in forged]

    with window(browser, service.url) as (page, _watch):
        page.goto("/")
        found = page.evaluate(FAULTS, packed)

    by_browser = [None if fault is None else tuple(fault) for fault in found]
    assert by_browser == [fault_without_play(one, monkeypatch) for one in forged]
