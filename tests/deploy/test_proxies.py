"""The examples of proxies: real nginx and Caddy with them, in front of two web processes."""

import gzip
import re
import shutil
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest

from service.api.http.requests import MOST_BYTES
from service.base.config import Config
from service.ops.process.preflight import free_port
from service.ops.process.valkey import Server
from service.ops.process.web import IDLE_SECONDS
from tests.deploy.conftest import MakeApp
from tests.deploy.places import PROXIES, ROOT
from tests.deploy.proxying import HOST, OPERATOR, Webs, running_proxy

NGINX = PROXIES / "nginx.conf"
CADDY = PROXIES / "Caddyfile"
RECORD = ROOT / "tests/records/calimala/1-3-00.ndjson.gz"
OPENING = {"game": "firenze", "seats": [{"kind": "human"}] * 2}
NDJSON = {"Authorization": f"Bearer {OPERATOR}", "Content-Type": "application/x-ndjson"}
JSON = {"Content-Type": "application/json"}
MEBIBYTE = 2**20
PLAYERS = 4


def test_paths_with_rules_of_their_own_are_routes(make_app: MakeApp) -> None:
    """Both have rules for /metrics and /v1/records, nginx also for streams: all are routes."""
    routes = {rule.rule for rule in make_app().url_map.iter_rules()}
    by_nginx = set(re.findall(r"location = (\S+)", NGINX.read_text()))
    by_caddy = set(re.findall(r"path (\S+)", CADDY.read_text()))
    assert by_nginx == by_caddy == {"/metrics", "/v1/records"}
    assert by_nginx <= routes

    [pattern] = re.findall(r"location ~ (\S+)", NGINX.read_text())
    streams = [route for route in routes if route.endswith("/stream")]
    assert streams
    for route in streams:
        assert re.search(pattern, re.sub(r"<[^>]+>", "a" * 26, route))


def test_bodies_have_the_bound_of_the_service() -> None:
    """Both proxies and the service take 64 KiB, and 4 MiB of a record."""
    assert (Config.load({}).max_body, MOST_BYTES) == (64 * 1024, 4 * MEBIBYTE)
    assert re.findall(r"client_max_body_size (\S+);", NGINX.read_text()) == ["64k", "4m"]
    assert re.findall(r"max_size (\S+)", CADDY.read_text()) == ["4MiB", "64KiB"]
    assert re.findall(r"> (\d+)`", CADDY.read_text()) == [str(4 * MEBIBYTE), str(64 * 1024)]


def test_nginx_retries_a_refused_request_at_the_other_process() -> None:
    """Openings and moves are retried, too: the service does nothing that it refuses by 503."""
    [cases] = re.findall(r"proxy_next_upstream (.+);", NGINX.read_text())
    assert set(cases.split()) == {"error", "timeout", "http_503", "non_idempotent"}


@pytest.mark.parametrize(
    ("path", "keepalive"),
    [(NGINX, r"^\s*keepalive_timeout (\d+)s;"), (CADDY, r"^\s*keepalive (\d+)s")],
    ids=["nginx", "caddy"],
)
def test_a_proxy_ends_idle_connections_before_the_service_does(path: Path, keepalive: str) -> None:
    """Otherwise a request may go out on a connection that just ends, and a POST is not repeated."""
    text = path.read_text()
    port = Config.load({}).port
    addresses = set(re.findall(r"127\.0\.0\.1:\d+", text))
    assert addresses == {f"127.0.0.1:{port}", f"127.0.0.1:{port + 1}"}

    [seconds] = re.findall(keepalive, text, re.MULTILINE)
    assert int(seconds) < IDLE_SECONDS


# ---- at work -------------------------------------------------------------------------------------


class Site(NamedTuple):
    """A proxy and the processes behind it."""

    name: str
    client: httpx.Client
    webs: Webs

    def open_match(self) -> httpx.Response:
        """Open a match, without an idempotency key."""
        return self.client.post("/v1/matches", json=OPENING)

    def count_matches(self) -> int:
        """Return the number of matches, counted page by page."""
        count, path = 0, "/v1/matches?limit=500"
        while path:
            page = self.client.get(path).raise_for_status()
            count += len(page.json()["matches"])
            path = page.links.get("next", {}).get("url", "")
        return count


NAMES = [
    pytest.param(
        name,
        marks=pytest.mark.skipif(shutil.which(name) is None, reason=f"{name} is not on the PATH"),
    )
    for name in ("nginx", "caddy")
]


@pytest.fixture(scope="module")
def webs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Webs]:
    """Two web processes behind one proxy after the other."""
    with (
        Server(tmp_path_factory.mktemp("journal")) as server,
        Webs(server.url, tmp_path_factory.mktemp("data")) as started,
    ):
        yield started


@pytest.fixture(scope="module", params=NAMES)
def site(
    request: pytest.FixtureRequest, webs: Webs, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Site]:
    """Each proxy with the example's file, before the web processes."""
    directory = tmp_path_factory.mktemp("proxy")
    with running_proxy(request.param, directory, webs.ports) as client:
        yield Site(request.param, client, webs)


def problem(answer: httpx.Response) -> tuple[int, str]:
    """Return the status and the type of an answer that must be a problem (RFC 9457)."""
    assert answer.headers["Content-Type"] == "application/problem+json", answer.text
    document: dict[str, Any] = answer.json()
    assert document["status"] == answer.status_code
    assert document["title"]
    assert document["detail"]
    return answer.status_code, document["type"]


@pytest.mark.whole
def test_a_rolling_restart_keeps_nobody_out(site: Site) -> None:
    """Both web processes are replaced while people read and open matches. Nothing is done twice.

    Only openings behind Caddy may be answered 503, since Caddy does not repeat them.
    """
    enough = threading.Event()
    answers: list[tuple[str, httpx.Response]] = []
    matches_before = site.count_matches()

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
    assert site.count_matches() - matches_before == statuses["open", 201]


@pytest.mark.whole
def test_a_record_passes_and_a_longer_body_is_refused(site: Site) -> None:
    """An imported record may have 4 MiB. A longer one and an opening over 64 KiB are refused.

    Refusals by the proxy have the form of the service's problems.
    """
    record = gzip.decompress(RECORD.read_bytes())
    long_record = b"x" * (4 * MEBIBYTE - 1)

    def send(path: str, headers: dict[str, str], body: bytes) -> httpx.Response:
        return site.client.post(path, headers=headers, content=body)

    assert send("/v1/records", NDJSON, record).status_code in (200, 201)  # 200: there already
    assert problem(send("/v1/records", NDJSON, long_record)) == (422, "/problems/bad-record")
    too_large = (413, "/problems/too-large")
    assert problem(send("/v1/records", NDJSON, long_record + b"xx")) == too_large
    assert problem(send("/v1/matches", JSON, b" " * 65_535 + b"{}")) == too_large


@pytest.mark.whole
@pytest.mark.parametrize("name", NAMES)
def test_a_proxys_own_answer_is_a_problem(name: str, tmp_path: Path) -> None:
    """The 503 without a web process is a problem, and so is Caddy's 403 for the metrics."""
    ports = [free_port(HOST, 0) for _ in range(2)]
    with running_proxy(name, tmp_path, ports) as client:
        answers = [client.get("/v1/matches"), client.post("/v1/matches", json=OPENING)]
        metrics = client.get("/metrics")

    for answer in answers:
        assert problem(answer) == (503, "about:blank")
        assert answer.headers["Retry-After"] == "1"
    assert name != "caddy" or problem(metrics) == (403, "about:blank")
