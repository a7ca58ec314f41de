"""nginx and Caddy as the examples set them up, before two web processes on loopback."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Self

import httpx

from service.ops.process.preflight import free_port
from tests.deploy.places import PROXIES
from tests.deploy.processes import process, status_of
from tests.running import PATIENCE, environment, until

HOST = "127.0.0.1"
NAME = "games.example.org"
OPERATOR = "the operator's own token of 32 bytes"
EXAMPLE_PORTS = ("8000", "8001")

CERTIFICATE = [
    *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes"),
    *("-subj", f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME}"),
    *("-keyout", "privkey.pem", "-out", "fullchain.pem"),
]


class Webs:
    """Two web processes with a port each, set up as the heads of the examples say."""

    def __init__(self, redis_url: str, data: Path) -> None:
        self.ports = [free_port(HOST, 0) for _ in EXAMPLE_PORTS]
        self._directory = data
        self._environ = environment() | {
            "GIORNALE_JOURNAL_URL": redis_url,
            "GIORNALE_DATA": str(data),
            "GIORNALE_ALLOWED_HOSTS": NAME,
            "GIORNALE_TRUSTED_PROXIES": HOST,
            "GIORNALE_OPERATOR_TOKEN": OPERATOR,
            "GIORNALE_OPENINGS": "0",
        }
        self._running = [ExitStack() for _ in EXAMPLE_PORTS]

    def start(self, number: int) -> None:
        """Start a web process, and wait until it serves."""
        port = self.ports[number]
        environ = self._environ | {"GIORNALE_PORT": str(port)}
        command = [sys.executable, "-P", "-m", "workers.giornale", "web"]
        self._running[number].enter_context(process(command, environ, self._directory))
        until(lambda: status_of(f"http://{HOST}:{port}/livez") == 200, "a web process")

    def stop(self, number: int) -> None:
        """End a web process gently."""
        self._running[number].close()

    def replace_each(self) -> None:
        """Restart one after the other, each once the proxy hands requests to the one before."""
        for number in range(len(self.ports)):
            self.stop(number)
            self.start(number)
            until(partial(self._is_used, number), "a request through the proxy")

    def _is_used(self, number: int) -> bool:
        """Return True if a process has listed matches for somebody since its start."""
        url = f"http://{HOST}:{self.ports[number]}/metrics"
        metrics = httpx.get(url, headers={"Host": NAME}, timeout=PATIENCE)
        return 'operation="listMatches"' in metrics.text

    def __enter__(self) -> Self:
        for number in range(len(self.ports)):
            self.start(number)
        return self

    def __exit__(self, *_error: object) -> None:
        for number in range(len(self.ports)):
            self.stop(number)


@contextmanager
def running_proxy(name: str, directory: Path, ports: Sequence[int]) -> Iterator[httpx.Client]:
    """A client of nginx or Caddy with the example's file, in front of web processes."""
    subprocess.run(CERTIFICATE, cwd=directory, check=True, capture_output=True)
    port = free_port(HOST, 0)
    write = {"nginx": _write_nginx, "caddy": _write_caddy}[name]
    command = write(directory, port, ports)

    environ = {**os.environ, "HOME": str(directory), "XDG_DATA_HOME": str(directory)}
    with process(command, environ, directory), _client(port) as client:
        until(lambda: _listens(port), name)
        yield client


def _client(port: int) -> httpx.Client:
    """Return a client that asks a proxy for the example's host."""
    return httpx.Client(
        base_url=f"https://{HOST}:{port}",
        headers={"Host": NAME},
        verify=False,  # noqa: S501 - the test has made the certificate
        timeout=PATIENCE,
        trust_env=False,
        event_hooks={"request": [_ask_for_name]},
    )


def _ask_for_name(request: httpx.Request) -> None:
    request.extensions["sni_hostname"] = NAME


def _listens(port: int) -> bool:
    """Return True if something listens on a port."""
    try:
        socket.create_connection((HOST, port)).close()
    except ConnectionRefusedError:
        return False
    return True


def _example(name: str, ports: Sequence[int]) -> str:
    """Return an example's text with the ports of web processes in place of those of the example."""
    text = (PROXIES / name).read_text()
    for example, port in zip(EXAMPLE_PORTS, ports, strict=True):
        text = text.replace(f"{HOST}:{example}", f"{HOST}:{port}")
    return text


def _write_nginx(directory: Path, port: int, ports: Sequence[int]) -> list[str]:
    """Write the example and its surroundings. Return the command that serves it."""
    site = _example("nginx.conf", ports)
    site = site.replace(f"/etc/ssl/{NAME}", str(directory))
    site = site.replace("listen 443", f"listen {HOST}:{port}")
    (directory / "site.conf").write_text(site)

    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    places = "".join(f"{kind}_temp_path {directory}/{kind};\n" for kind in kinds)
    user = "user root;\n" if os.getuid() == 0 else ""
    (directory / "nginx.conf").write_text(
        f"daemon off;\n{user}pid {directory}/pid;\nerror_log stderr;\nevents {{}}\n"
        f"http {{\naccess_log off;\n{places}include {directory}/site.conf;\n}}\n"
    )
    return ["nginx", "-p", str(directory), "-c", str(directory / "nginx.conf")]


def _write_caddy(directory: Path, port: int, ports: Sequence[int]) -> list[str]:
    """Write the example with the test's certificate. Return the command that serves it."""
    site = _example("Caddyfile", ports)
    tls = f"https://{NAME}:{port} {{\n\tbind {HOST}\n\ttls fullchain.pem privkey.pem\n"
    site = site.replace(f"{NAME} {{\n", tls, 1)
    options = "{\n\tadmin off\n\tauto_https disable_redirects\n}\n"
    (directory / "Caddyfile").write_text(options + site)
    return ["caddy", "run", "--adapter", "caddyfile", "--config", str(directory / "Caddyfile")]
