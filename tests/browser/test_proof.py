"""The reader's own browser proves a match, or names the commit that is wrong: page and file."""

import base64
import gzip
import json
import random
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner
from playwright.sync_api import Browser, Error, Locator, Page, Route, expect

from service.ops.cli.commands import main
from service.record.commit import Json
from service.record.tlog.checkpoint import read_checkpoint, read_note
from service.record.tlog.proof import Proof, read_proof
from tests import toy
from tests.browser.asking import BOT, get, open_match, played_match, record_of
from tests.browser.table import Table
from tests.browser.test_advice import check_for_everybody
from tests.browser.test_everyone import widths
from tests.browser.watched import window
from tests.e2e.playing import client
from tests.running import RunningService, until
from tests.service.record.tlog.test_proof import LOG, WITNESSES, cosignature
from tests.service.record.verify.forged_receipts import given, said_by_page, said_by_program
from tests.service.record.verify.forged_table import forged_rows
from tests.service.record.verify.forgeries import fault_without_play, forged_records
from tests.service.record.verify.node import fault_of
from tests.service.record.verify.small_order import mixed, pairs
from tests.service.record.verify.test_small_order import MIXED, is_signed, with_pairs
from tests.service.toy_matches import new_context, whole

CHANGES = 2  # of single bytes, drawn from the whole record

# The element of the file with the packed data of the page.
MATCH_TAG = '<script type="application/octet-stream" id="single-match">'
PACKED_MATCH = re.compile(f"{MATCH_TAG}([^<]*)</script>")

# Checks records, each with its known facts, by the page's own modules.
REPORTS = """async (cases) => {
  const script = document.querySelector('script[type=module]').src;
  const entry = script.replace('/joined/', '/');
  const { verifyRecord } = await import(new URL('../verify/record.js', entry));
  const reports = [];
  for (const [record, beside] of cases) {
    const bytes = Uint8Array.from(atob(record), (letter) => letter.charCodeAt(0));
    reports.push(await verifyRecord(bytes, beside));
  }
  return reports;
}"""


# Tells of keys, signatures and texts whether the page's own module takes them.
ARE_SIGNED = """async (cases) => {
  const script = document.querySelector('script[type=module]').src;
  const entry = script.replace('/joined/', '/');
  const { hasSigned } = await import(new URL('../verify/signatures.js', entry));
  return Promise.all(cases.map((one) => hasSigned(...one)));
}"""


@pytest.fixture(scope="module", params=["calimala", "firenze"])
def match(request: pytest.FixtureRequest, service: RunningService) -> dict[str, Any]:
    """A match that bots have played to its end."""
    return played_match(service, request.param, 3, seed="a proof")


@pytest.fixture(scope="module")
def record(service: RunningService, match: dict[str, Any]) -> bytes:
    """The record of the match."""
    return record_of(service, match["match"]).encode()


@pytest.fixture(scope="module")
def file(record: bytes, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The match as one file, as `giornale view` writes it."""
    directory = tmp_path_factory.mktemp("file")
    (directory / "record.ndjson").write_bytes(record)
    written = directory / "match.html"
    words = ["view", str(directory / "record.ndjson"), "-o", str(written)]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 0, result.output
    return written


def test_the_audit_page_proves_a_match_or_breaks_the_seal(
    browser: Browser, service: RunningService, match: dict[str, Any], record: bytes
) -> None:
    """With a random byte changed, the page names the changed commit and links to that moment."""
    chance = random.Random("seal")
    address = f"/matches/{match['match']}/audit"
    with window(browser, service.url) as (page, _watch):
        page.goto(address)
        page.locator(".audit-seal.audit-proven").wait_for()
        page.locator(".audit-server .audit-said-good").wait_for()

        for offset in chance.sample(range(len(record)), CHANGES):
            other = chance.choice(b"0123456789abcdef".replace(record[offset : offset + 1], b""))
            changed = record[:offset] + bytes([other]) + record[offset + 1 :]
            serve_record(page, changed)
            page.goto(address)
            page.locator(".audit-seal.audit-broken").wait_for()

            commit = record.count(b"\n", 0, offset) + 1
            expect(page.locator(".audit-title").first).to_have_text(f"Broken at entry {commit}")
            moment = page.get_by_role("link", name="Look at that moment").get_attribute("href")
            assert moment is not None
            assert moment.endswith(f"/matches/{match['match']}/{commit}")


def serve_record(page: Page, record: bytes) -> None:
    """Answer the page's request for the record with these bytes."""

    def answer(route: Route) -> None:
        route.fulfill(body=record, content_type="application/x-ndjson")

    page.unroute("**/record")
    page.route("**/record", answer)


@pytest.mark.parametrize("path", ["/", "/matches/{id}", "/matches/{id}/audit", "/docs"])
def test_the_workers_policy_is_taken_on_every_page(
    browser: Browser, service: RunningService, path: str
) -> None:
    """Another script cannot make a policy named giornale, which would let any address be run."""
    with window(browser, service.url) as (page, watch):
        watch.expected.append("TrustedTypePolicy")
        opened = open_match(service, "firenze", [BOT] * 2)
        page.goto(path.format(id=opened["match"]))
        with pytest.raises(Error, match="giornale"):
            page.evaluate("() => { trustedTypes.createPolicy('giornale', {}); }")


def test_the_file_opens_without_network_and_proves_itself(
    browser: Browser, file: Path, tmp_path: Path
) -> None:
    """From the disk it shows the match and steps through it. A view that was altered is named."""
    with window(browser, file.as_uri(), offline=True) as (page, _watch):
        table = Table(page)
        table.open(file.as_uri())
        page.locator(".audit-seal.audit-proven").wait_for()

        last = table.last_version
        page.keyboard.press("Home")
        table.wait_for_version(1)
        page.keyboard.press("ArrowRight")
        table.wait_for_version(2)
        page.keyboard.press("End")
        table.wait_for_version(last)

    altered = tmp_path / "altered.html"
    altered.write_text(with_altered_view(file.read_text(), version=30))
    with window(browser, altered.as_uri(), offline=True) as (page, _watch):
        page.goto(altered.as_uri())
        page.locator(".audit-seal.audit-broken").wait_for()
        expect(page.locator(".audit-title").first).to_have_text("Broken at entry 30")


def with_altered_view(page: str, version: int) -> str:
    """Return a file's page with other points for somebody at one version."""
    beginning, packed, end = PACKED_MATCH.split(page, maxsplit=1)
    data = json.loads(gzip.decompress(base64.b64decode(packed)))
    frame = next(frame for frame in data["frames"] if frame["version"] == version)
    frame["state"]["players"][0]["points"] += 1
    repacked = base64.b64encode(gzip.compress(json.dumps(data).encode())).decode()
    return f"{beginning}{MATCH_TAG}{repacked}</script>{end}"


def test_a_browser_and_the_program_agree_on_forged_records(
    browser: Browser, service: RunningService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Browser and program name the same commit and code, or both find nothing wrong."""
    toy.install(monkeypatch)
    forged = list(forged_records(new_context()))
    lines = whole(new_context(), 1)
    receipts = list(given(lines))

    of_forged = reports(browser, service, [(one, {}) for one in forged])
    of_receipts = reports(browser, service, [(b"".join(lines), beside) for beside in receipts])

    by_program = [fault_without_play(one, monkeypatch) for one in forged]
    assert list(map(fault_of, of_forged)) == by_program
    assert list(map(said_by_page, of_receipts)) == list(map(said_by_program, receipts))


def test_a_browser_judges_signatures_as_the_program_does(
    browser: Browser, service: RunningService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """M18: browser and program judge signatures of seats and points of small order alike."""
    toy.install(monkeypatch)
    rows = {name: row for name, row in forged_rows().items() if name.startswith("M18-")}
    forged = [b"".join(row.lines) for row in rows.values()]
    lines = whole(new_context(), 1)
    receipts = with_pairs(lines)
    of_small_order = [*pairs(), *mixed(MIXED)]

    of_seats = reports(browser, service, [(one, {}) for one in forged])
    of_receipts = reports(browser, service, [(b"".join(lines), beside) for beside in receipts])
    with window(browser, service.url) as (page, _watch):
        page.goto("/")
        verdicts = page.evaluate(ARE_SIGNED, of_small_order)

    assert list(map(fault_of, of_seats)) == [row.verdict for row in rows.values()]
    assert list(map(said_by_page, of_receipts)) == list(map(said_by_program, receipts))
    assert verdicts == [is_signed(*one) for one in of_small_order]


def reports(
    browser: Browser, service: RunningService, cases: Sequence[tuple[bytes, Json]]
) -> list[Json]:
    """Return a browser's reports on records, each with its known facts."""
    packed = [[base64.b64encode(lines).decode(), beside] for lines, beside in cases]
    with window(browser, service.url) as (page, _watch):
        page.goto("/")
        answers: list[Json] = page.evaluate(REPORTS, packed)
    return answers


def test_the_audit_page_checks_that_the_match_is_in_the_log(
    browser: Browser, service: RunningService
) -> None:
    """The page tells the match's position, says that it has none yet, or names the fault."""
    match = played_match(service, "firenze", 2, seed="in the log")
    version = match["version"]
    proof = until(lambda: proof_of(service, match["match"]), "the proof of the last commit")
    size = read_checkpoint(read_note(proof.checkpoint)).size

    with window(browser, service.url) as (page, _watch):
        page.goto(f"/matches/{match['match']}/audit")
        finding = page.locator(".audit-findings .audit-right", has_text="In the log at")
        expect(finding).to_contain_text(f"Entry {version} has position {proof.position}, counted")
        count = re.search(r"in a log of (\d+)", finding.inner_text())
        assert count is not None
        assert int(count[1]) >= size

        forged = replace(proof, position=proof.position - 1)
        serve_proof(page, status=200, body=forged.written(), content_type="text/plain")
        page.get_by_role("button", name="Check again").click()
        wrong = page.locator(".audit-findings .audit-wrong")
        expect(wrong).to_contain_text("its hashes do not lead from the commit to the root")
        expect(page.locator(".audit-title").first).to_have_text("Proven")

        refused = json.dumps({"type": "/problems/overloaded", "title": "Busy", "status": 503})
        serve_proof(page, status=503, body=refused, content_type="application/problem+json")
        page.get_by_role("button", name="Check again").click()
        expect(page.locator(".audit-unknown", has_text="Not in the log yet")).to_be_visible()
        expect(wrong).to_have_count(0)


def test_the_audit_page_checks_witnesses_by_the_readers_policy(
    browser: Browser, service: RunningService, tmp_path: Path
) -> None:
    """Without a policy, witnesses' signatures are counted. With one, those who signed are named."""
    match = played_match(service, "firenze", 2, seed="witnesses")
    proof = until(lambda: proof_of(service, match["match"]), "the proof of the last commit")
    key = get(service, "/v1/keys")["log_key"]
    policy, nonsense = tmp_path / "trust.policy", tmp_path / "nonsense.policy"
    policy.write_text(f"# mine\nlog {key}\n{WITNESSES}group two 2 w1 w2 w3\nquorum two\n")
    nonsense.write_text("quorum everybody\n")

    with window(browser, service.url) as (page, _watch):
        serve_cosigned(page, proof, 1, 3)
        page.goto(f"/matches/{match['match']}/audit")
        findings, panel = page.locator(".audit-findings"), page.locator(".audit-policy")
        expect(findings).to_contain_text("Not checked here: 2 further signatures on it")
        give(panel, nonsense)
        expect(panel).to_contain_text("This is no policy: line 1 of the policy: no line before")

        give(panel, policy)
        expect(findings).to_contain_text(f"In the log at {proof.position}, seen by 2 witnesses")
        expect(findings).to_contain_text(
            "by its witnesses w1 and w3. That is enough for the policy"
        )
        expect(panel.locator(".audit-policy-text")).to_contain_text("# mine")
        check_for_everybody(page)
        assert all(page_width <= width for width, page_width in widths(page).items())

        serve_cosigned(page, proof, 2, 4)
        page.reload()
        few = "only 1 of the policy's witnesses have signed the checkpoint"
        expect(findings.locator(".audit-unknown", has_text=few)).to_be_visible()
        expect(page.locator(".audit-title").first).to_have_text("Proven")

        policy.write_text(f"log {LOG}\nquorum none\n")
        give(panel, policy)
        expect(findings).to_contain_text("no log of the policy has signed the checkpoint")
        panel.get_by_role("button", name="Use no policy").click()
        expect(findings).to_contain_text("Not checked here: 2 further signatures on it")


def give(panel: Locator, policy: Path) -> None:
    """Give a policy to the audit page."""
    panel.locator("input[type=file]").set_input_files(policy)


def serve_cosigned(page: Page, proof: Proof, *witnesses: int) -> None:
    """Answer the page's requests for a proof by one that witnesses have signed."""
    checkpoint = proof.checkpoint + b"".join(
        cosignature(number, read_note(proof.checkpoint).text) for number in witnesses
    )
    body = replace(proof, checkpoint=checkpoint).written()
    serve_proof(page, status=200, body=body, content_type="text/plain")


def proof_of(service: RunningService, match: str) -> Proof | None:
    """Return the proof of the last commit of a match. None while it has no position."""
    with client(service) as asker:
        answer = asker.get(f"/v1/matches/{match}/proof")
    return read_proof(answer.content) if answer.status_code == httpx.codes.OK else None


def serve_proof(page: Page, **answer: Any) -> None:
    """Answer the page's requests for a proof in this way."""
    page.unroute("**/proof?*")
    page.route("**/proof?*", lambda route: route.fulfill(**answer))
