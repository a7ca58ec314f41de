"""The examples of proxies fit the service behind them, and the proxies themselves accept them."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from service.config import Config
from service.process.connections import IDLE_SECONDS
from tests.deploy.conftest import MakeApp
from tests.deploy.places import PROXIES

NGINX = PROXIES / "nginx.conf"
CADDY = PROXIES / "Caddyfile"
SOME_ID = "a" * 26

CERTIFICATE = [
    *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes"),
    *("-subj", "/CN=games.example.org"),
    *("-keyout", "privkey.pem", "-out", "fullchain.pem"),
]


def routes(make_app: MakeApp) -> set[str]:
    """Return the paths of the service, with names in angle brackets where they vary."""
    return {rule.rule for rule in make_app().url_map.iter_rules()}


def test_paths_with_rules_of_their_own_are_routes(make_app: MakeApp) -> None:
    """Both proxies keep /metrics for the operator, and the service has it."""
    by_nginx = re.findall(r"location = (\S+)", NGINX.read_text())
    by_caddy = re.findall(r"path (\S+)", CADDY.read_text())

    assert by_nginx == by_caddy == ["/metrics"]
    assert "/metrics" in routes(make_app)


def test_nginx_hands_on_every_stream_at_once(make_app: MakeApp) -> None:
    """The place without buffers holds all routes of streams."""
    [pattern] = re.findall(r"location ~ (\S+)", NGINX.read_text())
    streams = [route for route in routes(make_app) if route.endswith("/stream")]

    assert streams
    for route in streams:
        assert re.search(pattern, re.sub(r"<[^>]+>", SOME_ID, route))


def test_bodies_have_the_bound_of_the_service() -> None:
    """64 KiB, however each writes it."""
    assert Config.load({}).max_body == 64 * 1024
    assert "client_max_body_size 64k" in NGINX.read_text()
    assert "max_size 64KB" in CADDY.read_text()


@pytest.mark.parametrize("path", [NGINX, CADDY], ids=["nginx", "caddy"])
def test_the_service_is_where_the_proxy_looks_for_it(path: Path) -> None:
    """On the loopback, at the port that it serves by default."""
    addresses = set(re.findall(r"127\.0\.0\.1:\d+", path.read_text()))

    assert addresses == {f"127.0.0.1:{Config.load({}).port}"}


@pytest.mark.parametrize(
    ("path", "pattern"),
    [(NGINX, r"^\s*keepalive_timeout (\d+)s;"), (CADDY, r"^\s*keepalive (\d+)s")],
    ids=["nginx", "caddy"],
)
def test_a_proxy_ends_idle_connections_before_the_service_does(path: Path, pattern: str) -> None:
    """Otherwise a request may go out on a connection that just ends, and a POST is not repeated."""
    [seconds] = re.findall(pattern, path.read_text(), re.MULTILINE)

    assert int(seconds) < IDLE_SECONDS


@pytest.mark.skipif(shutil.which("nginx") is None, reason="nginx is not on the PATH")
def test_nginx_accepts_its_file(tmp_path: Path) -> None:
    """`nginx -t` finds nothing wrong, with a certificate of the test."""
    subprocess.run(CERTIFICATE, cwd=tmp_path, check=True, capture_output=True)
    site = NGINX.read_text()
    site = site.replace("/etc/ssl/games.example.org", str(tmp_path))
    site = site.replace("listen 443", "listen 127.0.0.1:8443")
    (tmp_path / "site.conf").write_text(site)

    configuration = tmp_path / "nginx.conf"
    configuration.write_text(
        f"pid {tmp_path}/pid;\n"
        "error_log stderr;\n"
        "events {}\n"
        f"http {{ access_log off; include {tmp_path}/site.conf; }}\n"
    )
    command = ["nginx", "-t", "-p", str(tmp_path), "-c", str(configuration)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(shutil.which("caddy") is None, reason="caddy is not on the PATH")
def test_caddy_accepts_its_file() -> None:
    """`caddy validate` finds nothing wrong."""
    command = ["caddy", "validate", "--adapter", "caddyfile", "--config", str(CADDY)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
