"""The examples of proxies at work: real nginx and Caddy in front of two web processes."""

import gzip
import shutil
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest

from tests.deploy.places import ROOT
from tests.deploy.proxying import OPERATOR, Webs, running_proxy, running_webs

RECORD = ROOT / "tests/records/calimala/1-3-00.ndjson.gz"
OPENING = {"game": "firenze", "seats": [{"kind": "human"}] * 2}
NDJSON = {"Authorization": f"Bearer {OPERATOR}", "Content-Type": "application/x-ndjson"}
JSON = {"Content-Type": "application/json"}
MEBIBYTE = 2**20
PLAYERS = 4


class Site(NamedTuple):
    """A proxy and what stands behind it."""

    name: str
    client: httpx.Client
    webs: Webs

    def open_match(self) -> httpx.Response:
        """Open a match, without an idempotency key."""
        return self.client.post("/v1/matches", json=OPENING)

    def count_matches(self) -> int:
        """Return how many matches there are, counted page by page."""
        count, path = 0, "/v1/matches?limit=500"
        while path:
            page = self.client.get(path).raise_for_status()
            count += len(page.json()["matches"])
            path = page.links.get("next", {}).get("url", "")
        return count


@pytest.fixture(
    params=[
        pytest.param(
            name,
            marks=pytest.mark.skipif(
                shutil.which(name) is None, reason=f"{name} is not on the PATH"
            ),
        )
        for name in ("nginx", "caddy")
    ]
)
def site(request: pytest.FixtureRequest, redis_url: str, tmp_path: Path) -> Iterator[Site]:
    """Each proxy with the example's file, and two web processes."""
    data, directory = tmp_path / "data", tmp_path / "proxy"
    data.mkdir()
    directory.mkdir()
    with (
        running_webs(redis_url, data) as webs,
        running_proxy(request.param, directory, webs.ports) as client,
    ):
        yield Site(request.param, client, webs)


def problem(answer: httpx.Response) -> tuple[int, str]:
    """Return the status and the type of an answer that must be a problem (RFC 9457)."""
    assert answer.headers["Content-Type"] == "application/problem+json", answer.text
    told: dict[str, Any] = answer.json()
    assert told["status"] == answer.status_code
    assert told["title"]
    assert told["detail"]
    return answer.status_code, told["type"]


def test_a_rolling_restart_keeps_nobody_out(site: Site) -> None:
    """Both web processes are replaced while people read and open matches; nothing is done twice.

    Only what Caddy could not send again is answered 503; its opener comes again.
    """
    enough = threading.Event()
    answers: list[tuple[str, httpx.Response]] = []

    def use() -> None:
        while not enough.is_set():
            answers.append(("read", site.client.get("/v1/matches")))
            answers.append(("open", site.open_match()))

    players = [threading.Thread(target=use) for _ in range(PLAYERS)]
    for player in players:
        player.start()
    try:
        site.webs.replace_each()
    finally:
        enough.set()
        for player in players:
            player.join()

    statuses = Counter((kind, answer.status_code) for kind, answer in answers)
    refused = [answer for _, answer in answers if answer.status_code >= 400]
    may_refuse = {("open", 503)} if site.name == "caddy" else set()

    assert statuses.keys() - may_refuse == {("read", 200), ("open", 201)}
    assert {problem(answer)[0] for answer in refused} <= {503}
    assert site.count_matches() == statuses["open", 201]


def test_a_record_passes_and_what_is_longer_is_told(site: Site) -> None:
    """The operator's imports have room of their own; all else is as long as the service takes it.

    What the proxy refuses itself has the form of the service's own problems.
    """
    record = gzip.decompress(RECORD.read_bytes())
    long_record = b"x" * (4 * MEBIBYTE - 1)

    def send(path: str, headers: dict[str, str], body: bytes) -> httpx.Response:
        return site.client.post(path, headers=headers, content=body)

    assert send("/v1/records", NDJSON, record).status_code == 201
    assert problem(send("/v1/records", NDJSON, long_record)) == (422, "/problems/bad-record")
    too_large = (413, "/problems/too-large")
    assert problem(send("/v1/records", NDJSON, long_record + b"xx")) == too_large
    assert problem(send("/v1/matches", JSON, b" " * 65_535 + b"{}")) == too_large


def test_what_a_proxy_answers_itself_is_a_problem(site: Site) -> None:
    """That nobody is behind it, and that something is not for strangers."""
    if site.name == "caddy":
        assert problem(site.client.get("/metrics")) == (403, "about:blank")

    for number in range(len(site.webs.ports)):
        site.webs.stop(number)
    for answer in (site.client.get("/v1/matches"), site.open_match()):
        assert problem(answer) == (503, "about:blank")
        assert answer.headers["Retry-After"] == "1"
