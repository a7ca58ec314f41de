"""The examples of proxies fit the service behind them; `test_through_proxies` has them at work."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from service.api.http.requests import MOST_BYTES
from service.config import Config
from service.process.web import IDLE_SECONDS
from tests.deploy.conftest import MakeApp
from tests.deploy.places import PROXIES

NGINX = PROXIES / "nginx.conf"
CADDY = PROXIES / "Caddyfile"
SOME_ID = "a" * 26


def routes(make_app: MakeApp) -> set[str]:
    """Return the paths of the service, with names in angle brackets where they vary."""
    return {rule.rule for rule in make_app().url_map.iter_rules()}


def test_paths_with_rules_of_their_own_are_routes(make_app: MakeApp) -> None:
    """Both proxies keep /metrics for the operator and let long records in; the service has both."""
    by_nginx = set(re.findall(r"location = (\S+)", NGINX.read_text()))
    by_caddy = set(re.findall(r"path (\S+)", CADDY.read_text()))

    assert by_nginx == by_caddy == {"/metrics", "/v1/records"}
    assert by_nginx <= routes(make_app)


def test_nginx_hands_on_every_stream_at_once(make_app: MakeApp) -> None:
    """The place without buffers holds all routes of streams."""
    [pattern] = re.findall(r"location ~ (\S+)", NGINX.read_text())
    streams = [route for route in routes(make_app) if route.endswith("/stream")]

    assert streams
    for route in streams:
        assert re.search(pattern, re.sub(r"<[^>]+>", SOME_ID, route))


def test_bodies_have_the_bound_of_the_service() -> None:
    """64 KiB, and 4 MiB of a record, however each writes it."""
    assert (Config.load({}).max_body, MOST_BYTES) == (64 * 1024, 4 * 1024 * 1024)
    assert re.findall(r"client_max_body_size (\S+);", NGINX.read_text()) == ["64k", "4m"]
    assert re.findall(r"max_size (\S+)", CADDY.read_text()) == ["4MiB", "64KiB"]
    assert re.findall(r"> (\d+)`", CADDY.read_text()) == [str(4 * 1024 * 1024), str(64 * 1024)]


@pytest.mark.parametrize("path", [NGINX, CADDY], ids=["nginx", "caddy"])
def test_the_service_is_where_the_proxy_looks_for_it(path: Path) -> None:
    """On the loopback, at the port that it serves by default, and a second process at the next."""
    addresses = set(re.findall(r"127\.0\.0\.1:\d+", path.read_text()))

    port = Config.load({}).port
    assert addresses == {f"127.0.0.1:{port}", f"127.0.0.1:{port + 1}"}


@pytest.mark.parametrize(
    ("path", "pattern"),
    [(NGINX, r"^\s*keepalive_timeout (\d+)s;"), (CADDY, r"^\s*keepalive (\d+)s")],
    ids=["nginx", "caddy"],
)
def test_a_proxy_ends_idle_connections_before_the_service_does(path: Path, pattern: str) -> None:
    """Otherwise a request may go out on a connection that just ends, and a POST is not repeated."""
    [seconds] = re.findall(pattern, path.read_text(), re.MULTILINE)

    assert int(seconds) < IDLE_SECONDS


@pytest.mark.skipif(shutil.which("caddy") is None, reason="caddy is not on the PATH")
def test_caddy_accepts_its_file() -> None:
    """`caddy validate` finds nothing wrong."""
    command = ["caddy", "validate", "--adapter", "caddyfile", "--config", str(CADDY)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
