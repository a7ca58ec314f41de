"""`GET /v1/records`: page after page it equals the `giornale dump` of the same time."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard
from flask import Flask
from werkzeug.test import TestResponse

from giornale_client import Client
from service.base.config import Config
from service.bootstrap import open_archive
from service.matches import automation, lifecycle, records
from service.matches.context import Context
from service.matches.opening import OpenRequest, open_new
from service.matches.records import export
from tests.service.api.conftest import json, links, problem
from tests.service.ops.cli.conftest import Run, Seal
from tests.service.ops.cli.test_dump import BOTS, played
from tests.whole import whole_unless

Get = Callable[..., TestResponse]

SEVERAL = 7


@pytest.fixture
def get(app: Flask) -> Get:
    """Asks the application for records."""
    client = app.test_client()

    def ask(query: str = "", method: str = "GET", **headers: str) -> TestResponse:
        fields = {name.replace("_", "-"): text for name, text in headers.items()}
        path = query if query.startswith("/") else f"/v1/records?{query}"
        return client.open(path, method=method, headers=fields)

    return ask


@pytest.fixture
def matches(here: Context, seal: Seal, environ: dict[str, str]) -> list[str]:
    """Matches with ends on the 1st to 7th of January 2026, the second archived.

    There are a private match and a running one, too.
    """
    ended = [played(here, day) for day in range(1, SEVERAL + 1)]
    played(here, 5, "private")
    played(here, 5, to_end=False)
    lifecycle.archive(here, open_archive(Config.load(environ)), ended[1])
    seal()
    return ended


def pages(get: Get, query: str) -> list[bytes]:
    """Return all pages of a time, along the links in their headers."""
    bodies = []
    while True:
        page = get(query)
        assert page.status_code == 200, page.text
        assert "Giornale-Missing" not in page.headers
        bodies.append(page.data)
        if "next" not in links(page):
            return bodies
        query = links(page)["next"]


@pytest.mark.parametrize(
    ("most", "commits"),
    [
        *(pytest.param(most, 10_000, marks=whole_unless(most == 3)) for most in (100, 1, 3)),
        (100, 1),
    ],
)
@pytest.mark.parametrize(
    ("start", "end"),
    [("", ""), ("2026-01-02", ""), ("", "2026-01-05"), ("2026-01-03", "2026-01-06")],
    ids=["all", "from", "to", "both"],
)
def test_all_pages_together_are_the_dump(
    get: Get,
    run: Run,
    matches: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    most: int,
    commits: int,
    start: str,
    end: str,
) -> None:
    """The pages equal the dump to the byte, without private and running matches."""
    monkeypatch.setattr(records, "MOST_MATCHES", most)
    monkeypatch.setattr(records, "MOST_COMMITS", commits)
    path = tmp_path / "dump.zst"
    times = [*(["--from", start] if start else []), *(["--to", end] if end else [])]
    run("dump", *times, "-o", path)
    bounds = {"ended_from": start, "ended_to": end}
    query = "&".join(f"{name}={day}T00:00:00Z" for name, day in bounds.items() if day)

    bodies = pages(get, f"{query}&game=toy" if query else "game=toy")

    dumped = zstandard.ZstdDecompressor().stream_reader(path.read_bytes()).readall()
    assert b"".join(bodies) == dumped
    assert dumped
    if most < SEVERAL or commits < SEVERAL:
        assert len(bodies) > 1


def test_all_pages_together_are_verified_as_a_dump_is(
    get: Get, run: Run, matches: list[str], tmp_path: Path
) -> None:
    """All pages packed into one file are verified like a dump."""
    path = tmp_path / "pages.ndjson.zst"
    path.write_bytes(zstandard.ZstdCompressor().compress(b"".join(pages(get, ""))))
    checked = run("verify", path)
    assert checked.output.startswith(f"{SEVERAL} records are right, 0 are not")
    assert checked.exit_code == 0


def test_the_client_reads_all_pages(
    get: Get, url: str, matches: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The client follows the links in the headers."""
    monkeypatch.setattr(records, "MOST_MATCHES", 2)
    times = ("2026-01-02T00:00:00Z", "2026-01-05T00:00:00Z")
    query = f"ended_from={times[0]}&ended_to={times[1]}"
    with Client(url) as client:
        assert list(client.records(*times)) == pages(get, query)
        assert list(client.records(game="firenze")) == [b""]
        assert len(list(client.records())) == 4


def test_the_client_logs_the_matches_it_was_not_given(
    url: str,
    matches: list[str],
    environ: dict[str, str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The client logs the match that was left out, and yields the others."""
    [packed] = Path(environ["GIORNALE_DATA"], "archive").rglob("*.zst")
    packed.unlink()
    with Client(url) as client:
        [page] = client.records()
    assert matches[2].encode() in page
    assert f"left out: {matches[1]!a}" in " ".join(caplog.messages)


def test_parameters_select_the_records(get: Get, matches: list[str], here: Context) -> None:
    """`game` selects a game. `after` selects matches that ended after a position of the log."""
    assert get("game=firenze").data == b""
    whole = get().data
    log = here.log
    assert log is not None
    assert get(f"after={log.size()}").data == b""
    later = get("after=1").data
    assert later == whole, "the first match has not ended with the first commit"


def test_records_are_compressed_by_zstd_if_the_caller_accepts_it(
    get: Get, matches: list[str]
) -> None:
    """Callers without zstd get gzip. HEAD has the same headers without a body."""
    plain = get()
    packed = get(Accept_Encoding="gzip, zstd")
    assert packed.headers["Content-Encoding"] == "zstd"
    assert plain.headers["Vary"] == packed.headers["Vary"] == "Accept-Encoding"
    assert plain.mimetype == packed.mimetype == "application/x-ndjson"
    unpacked = zstandard.ZstdDecompressor().stream_reader(packed.data).readall()
    assert unpacked == plain.data

    for coding in ("", "identity, zstd;q=0.5", "zstd;q=0"):
        assert get(Accept_Encoding=coding).data == plain.data
    assert get(Accept_Encoding="gzip").headers["Content-Encoding"] == "gzip"

    head = get(method="HEAD", Accept_Encoding="zstd")
    assert (head.status_code, head.data) == (200, b"")
    for name in ("Content-Encoding", "Content-Type", "Vary", "Cache-Control"):
        assert head.headers[name] == packed.headers[name]


def test_head_leads_on_as_well(
    get: Get, matches: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """HEAD has the same Link as the page."""
    monkeypatch.setattr(records, "MOST_MATCHES", 2)
    query = "ended_from=2026-01-02T00:00:00Z&game=toy"
    page = get(query)
    assert links(get(query, "HEAD")) == links(page)
    assert links(page)["next"].startswith("/v1/records?ended_from=2026-01-02T00")


def test_deleted_matches_are_left_out_and_unreadable_ones_named(
    get: Get, matches: list[str], here: Context, served: Context, environ: dict[str, str]
) -> None:
    """A page leaves out deleted matches, names unreadable ones, and has the others whole."""
    [packed] = Path(environ["GIORNALE_DATA"], "archive").rglob("*.zst")
    packed.unlink()
    lifecycle.delete(here, matches[3], "tests")
    served.cache.forget()

    page = get()
    assert page.headers["Giornale-Missing"] == matches[1]
    rest = [match for match in matches if match not in (matches[1], matches[3])]
    assert page.data == b"".join(line for match in rest for line in export(here, match, None))


def test_a_match_deleted_while_its_page_is_made_is_left_out(
    get: Get, matches: list[str], here: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A match deleted while its page is made is left out like one deleted before."""
    listed = records.ended

    def then_deleted(*arguments: Any) -> records.EndedMatches:
        page = listed(*arguments)
        lifecycle.delete(here, matches[0], "tests")
        return page

    monkeypatch.setattr(records, "ended", then_deleted)
    page = get()
    assert "Giornale-Missing" not in page.headers
    rest = [line for match in matches[1:] for line in export(here, match, None)]
    assert page.data == b"".join(rest)


def test_a_match_comes_when_it_is_revealed_and_sequenced(
    get: Get, here: Context, seal: Seal
) -> None:
    """A match is on a page once it is revealed and its last commit is in the log."""
    played(here, 1)
    seal()
    first = get().data
    assert first

    match = open_new(here, OpenRequest("toy", BOTS, {"rounds": 2}))
    owner = {"Authorization": f"Bearer {match.tokens['owner']}"}
    path = f"/v1/matches/{match.loaded.id}/abort"
    assert get(path, "POST", **owner).status_code == 201
    seal()
    assert get().data == first

    automation.act(here, match.loaded.id)
    assert get().data == first
    seal()
    assert get().data == first + b"".join(export(here, match.loaded.id, None))


@pytest.mark.parametrize(
    ("query", "wrong"),
    [
        ("ended_from=soon", "ended_from"),
        ("ended_to=2026-02-30T00:00:00Z", "ended_to"),
        ("game=No!", "game"),
        ("after=-1", "after"),
        ("limit=3", "limit"),
    ],
)
def test_a_wrong_question_is_named(get: Get, query: str, wrong: str) -> None:
    """The problem names the wrong parameter."""
    refused = get(query)
    assert problem(refused) == (422, "invalid-request")
    assert [place["parameter"] for place in json(refused)["errors"]] == [wrong]
