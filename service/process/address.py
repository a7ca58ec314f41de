"""The address at which the service listens: whether it is free, who answers there, its URL."""

import http.client
import os
import socket

from service.config import Config

_PROBE_SECONDS = 1

# Where to ask a process that listens on every address.
_LOOPBACK = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - nothing is bound here


class PortTaken(Exception):
    """The address cannot be listened on; the message says why."""


def free_port(host: str, port: int) -> int:
    """Return the port, or any free one for 0; raises PortTaken.

    Granian shares its port with others that ask for it (SO_REUSEPORT), so the port is tried before.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET

    try:
        socket.getaddrinfo(host, port, family, socket.SOCK_STREAM)
        with socket.create_server((host, port), family=family) as probe:
            return int(probe.getsockname()[1])
    except socket.gaierror as error:  # its numbers are not those of the system's other errors
        reason = (error.strerror or str(error)).lower()
        raise PortTaken(f"GIORNALE_HOST: cannot listen on {host}: {reason}") from None
    except OSError as error:
        reason = os.strerror(error.errno or 0).lower()
        raise PortTaken(f"cannot listen on {host}:{port}: {reason}") from None


def answers(host: str, port: int) -> bool:
    """Return whether a web process answers there.

    Raises OSError or HTTPException where none does.
    """
    reachable_host = _LOOPBACK.get(host, host)
    connection = http.client.HTTPConnection(reachable_host, port, timeout=_PROBE_SECONDS)

    try:
        connection.request("GET", "/livez")
        return connection.getresponse().status == http.HTTPStatus.OK
    finally:
        connection.close()


def service_url(config: Config) -> str:
    """Return where the service is found from this machine."""
    host = f"[{config.host}]" if ":" in config.host else config.host
    return f"http://{host}:{config.port}{config.path_prefix}"
