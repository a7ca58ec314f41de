"""The file that `giornale view` writes opens without network and proves itself."""

import base64
import gzip
import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from playwright.sync_api import Browser, expect

from service.cli.commands import main
from tests.browser.asking import played_match, record_of
from tests.browser.table import Table
from tests.browser.watched import window
from tests.running import RunningService

# Where what is shown stands in the file, packed.
MATCH_TAG = '<script type="application/octet-stream" id="single-match">'
PACKED_MATCH = re.compile(f"{MATCH_TAG}([^<]*)</script>")


@pytest.fixture(scope="module", params=["calimala", "firenze"])
def file(
    request: pytest.FixtureRequest,
    service: RunningService,
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    """A match that bots have played, as one file."""
    directory = tmp_path_factory.mktemp("file")
    match = played_match(service, request.param, 3, seed="a file")
    record = directory / "record.ndjson"
    record.write_text(record_of(service, match["id"]))

    written = directory / "match.html"
    result = CliRunner().invoke(main, ["view", str(record), "-o", str(written)])
    assert result.exit_code == 0, result.output
    return written


def test_the_file_opens_without_network(browser: Browser, file: Path) -> None:
    """From the disk, with no network, it shows the match, steps through it and proves it."""
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


def test_a_view_that_was_altered_is_named(browser: Browser, file: Path, tmp_path: Path) -> None:
    """The file compares what it shows with the digests in the chain: the altered one is named."""
    altered = tmp_path / "altered.html"
    altered.write_text(with_altered_view(file.read_text(), version=30))
    with window(browser, altered.as_uri(), offline=True) as (page, _watch):
        page.goto(altered.as_uri())
        page.locator(".audit-seal.audit-broken").wait_for()
        expect(page.locator(".audit-title").first).to_have_text("Broken at commit 30")


def with_altered_view(page: str, version: int) -> str:
    """Return a file's page in which somebody has other points at one version than they had."""
    beginning, packed, end = PACKED_MATCH.split(page, maxsplit=1)
    data = json.loads(gzip.decompress(base64.b64decode(packed)))
    frame = next(frame for frame in data["frames"] if frame["version"] == version)
    frame["state"]["players"][0]["points"] += 1
    repacked = base64.b64encode(gzip.compress(json.dumps(data).encode())).decode()
    return f"{beginning}{MATCH_TAG}{repacked}</script>{end}"
